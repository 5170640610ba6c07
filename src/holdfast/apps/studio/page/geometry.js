/* Boxes and links in pixels of the drawing. The server says in inches where they are; here they are drawn. */

import { own } from "./dom.js";

export const INCH = 118;
const GAP = 3, ASIDE = 0.16;

/** The size of a node's box, of its letters, and of what is around the boxes of a zone. */
export const sizesOf = ({ sizes }) => Object.fromEntries(Object.entries(sizes).map(([name, inches]) => [name, inches * INCH]));

/** Where the layout has a node. */
export const placed = ({ x, y }) => [x * INCH, y * INCH];

/** Where each node stands: where it was put, else where the layout has it. */
export function placesOf(drawing, layout) {
  return new Map(drawing.nodes.map((node) => [node.name, own(layout, node.name)?.map((inches) => inches * INCH) ?? placed(node)]));
}

/** Where the way from the middle of a box to a point leaves it. */
function edge([x, y], [px, py], size) {
  const dx = px - x, dy = py - y;
  const part = Math.min(1, (size.width / 2 + GAP) / Math.abs(dx || 1e-9), (size.height / 2 + GAP) / Math.abs(dy || 1e-9));
  return [x + part * dx, y + part * dy];
}

/** The control points of a link that nobody has routed: straight, or to its right where another leads back. */
export function plain(a, b, size, aside = false, other = size) {
  const by = aside ? ASIDE : 0;
  const control = [(a[0] + b[0]) / 2 - by * (b[1] - a[1]), (a[1] + b[1]) / 2 + by * (b[0] - a[0])];
  return [edge(a, control, size), control, edge(b, control, other)];
}

const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

export const curve = ([a, c, b]) => `M ${point(a)} Q ${point(c)} ${point(b)}`;

/** The head of an arrow at the end of a curve. */
export function head([, c, b], long = 9) {
  const away = Math.hypot(b[0] - c[0], b[1] - c[1]) || 1;
  const ux = (b[0] - c[0]) / away, uy = (b[1] - c[1]) / away, half = long * 0.4;
  const back = [b[0] - long * ux, b[1] - long * uy];
  return `M ${point(b)} L ${point([back[0] - half * uy, back[1] + half * ux])} L ${point([back[0] + half * uy, back[1] - half * ux])} Z`;
}

export const middle = ([a, c, b]) => [(a[0] + 2 * c[0] + b[0]) / 4, (a[1] + 2 * c[1] + b[1]) / 4];

/** A bar across the middle of a link that can be blocked. */
export function gate(controls) {
  const [a, , b] = controls, [x, y] = middle(controls);
  const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const px = (-(b[1] - a[1]) / long) * 7, py = ((b[0] - a[0]) / long) * 7;
  return `M ${point([x - px, y - py])} L ${point([x + px, y + py])}`;
}

/** The frame of a zone around its nodes. */
export function frame(names, places, size) {
  const at = names.map((name) => places.get(name)).filter(Boolean);
  if (!at.length) return null;
  const { padding: pad, title } = size;
  const xs = at.map(([x]) => x), ys = at.map(([, y]) => y);
  const x = Math.min(...xs) - size.width / 2 - pad, y = Math.min(...ys) - size.height / 2 - pad - title;
  return { x, y, width: Math.max(...xs) + size.width / 2 + pad - x, height: Math.max(...ys) + size.height / 2 + pad - y };
}

/** The rectangle that holds everything, with a margin. */
export function extent(drawing, places, size, fold = null) {
  const boxes = [...places].filter(([name]) => !fold?.boxOf.has(name)).map(([, at]) => at).map(([x, y]) => ({ x: x - size.width / 2, y: y - size.height / 2, width: size.width, height: size.height }));
  for (const zone of drawing.zones ?? []) boxes.push(fold?.frames.get(zone.name) ?? frame(zone.nodes, places, size));
  if (drawing.floor) boxes.push({ x: 0, y: 0, width: drawing.floor.columns * drawing.floor.side * INCH, height: drawing.floor.rows * drawing.floor.side * INCH });
  const all = boxes.filter(Boolean);
  if (!all.length) return { x: 0, y: 0, width: 400, height: 300 };
  const low = [Math.min(...all.map((b) => b.x)) - 60, Math.min(...all.map((b) => b.y)) - 34];
  const high = [Math.max(...all.map((b) => b.x + b.width)) + 34, Math.max(...all.map((b) => b.y + b.height)) + 34];
  return { x: low[0], y: low[1], width: high[0] - low[0], height: high[1] - low[1] };
}

/** A free place for a new box, near one that is wanted. */
export function freePlace(wanted, places, size) {
  const taken = ([x, y]) => [...places.values()].some(([px, py]) => Math.abs(px - x) < size.width + 14 && Math.abs(py - y) < size.height + 14);
  for (let ring = 0; ring < 30; ring += 1) {
    for (let k = 0; k < Math.max(1, 6 * ring); k += 1) {
      const angle = (2 * Math.PI * k) / Math.max(1, 6 * ring);
      const at = [wanted[0] + ring * 46 * Math.cos(angle), wanted[1] + ring * 40 * Math.sin(angle)];
      if (!taken(at)) return at;
    }
  }
  return wanted;
}
