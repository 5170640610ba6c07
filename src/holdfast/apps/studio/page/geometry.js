/* Where boxes and links are, in pixels of the drawing. The server places hosts in inches, as for reports.
 *
 * A link is a parabola from centre to centre, straight if that passes no other host, else bent as little as will
 * do; of two links that go both ways each keeps to its right. What is drawn is the piece between the two boxes.
 */

import { own } from "./dom.js";

export const INCH = 118;
const TALL = 2, MANY = 1.45, ZONED = 1.12, FEW = 12;
const BENDS = [0, ...[0.06, 0.11, 0.17, 0.24, 0.32, 0.42, 0.55, 0.7].flatMap((by) => [by, -by])];
const BESIDE = [0.07, 0.12, 0.18, 0.26, 0.36, 0.5];
const CLEARANCE = 5;
const GAP = 3;
const OUTSIDE = 0.4 * INCH;

/** The size of a host's box and of its letters. */
export function sizesOf(drawing) {
  const { width, height } = drawing.sizes ?? { width: 0.8, height: 0.29 };
  const font = Math.max((height * INCH) / 2.6, 9);
  // During a play a box also says its status, such as "X compromised", in smaller letters.
  const words = Object.entries(drawing.legend ?? {}).map(([value, word]) => value.length + word.length + 1);
  const longest = drawing.arrows.length ? Math.max(0, ...words) * font * 0.45 : 0;
  return { width: Math.max(width * INCH + 12, longest + 10, 62), height: Math.max(height * INCH + 4, 24), font };
}

/** Where the layout has a node, with more room than on paper: boxes are wider, and links there are to be clicked. */
export function placed(node, drawing) {
  const small = (drawing.sizes?.width ?? 0.8) * INCH, few = drawing.nodes.length <= FEW, beside = (few ? 0.8 : 0.5) * INCH;
  const wider = 1 + (sizesOf(drawing).width - small) / (small + beside);
  return [node.x * INCH * wider, node.y * INCH * (drawing.zones?.length || !drawing.arrows.length ? ZONED : few ? TALL : MANY)];
}

/** Where each node stands: where it was put, else where the layout has it. */
export function placesOf(drawing, layout) {
  return new Map(drawing.nodes.map((node) => [node.name, own(layout, node.name)?.map((inches) => inches * INCH) ?? placed(node, drawing)]));
}

const blossom = ([ax, ay], [bx, by], bend, s, t) => {
  const dx = bx - ax, dy = by - ay;
  const cx = (ax + bx) / 2 - 2 * bend * dy, cy = (ay + by) / 2 + 2 * bend * dx;
  const p = (1 - s) * (1 - t), q = (1 - s) * t + s * (1 - t), r = s * t;
  return [p * ax + q * cx + r * bx, p * ay + q * cy + r * by];
};

/** How much a link must bend to pass no other host; the least bad where nothing helps. */
export function bendOf(from, to, places, size, beside) {
  const a = places.get(from), b = places.get(to);
  const wide = size.width / 2 + CLEARANCE, tall = size.height / 2 + CLEARANCE;
  const reach = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const near = [...places].filter(
    ([name, [x, y]]) => name !== from && name !== to &&
      Math.abs(x - (a[0] + b[0]) / 2) < reach + wide && Math.abs(y - (a[1] + b[1]) / 2) < reach + tall,
  );
  const choices = beside ? BESIDE : BENDS;
  const xs = [...places.values()].map(([x]) => x), ys = [...places.values()].map(([, y]) => y);
  const low = [Math.min(...xs) - wide - OUTSIDE, Math.min(...ys) - tall - OUTSIDE], high = [Math.max(...xs) + wide + OUTSIDE, Math.max(...ys) + tall + OUTSIDE];
  let best = choices[0], fewest = Infinity;
  for (const bend of choices) {
    const hit = new Set();
    let strays = 0;
    for (let k = 1; k < 24; k += 1) {
      const [x, y] = blossom(a, b, bend, k / 24, k / 24);
      if (x < low[0] || y < low[1] || x > high[0] || y > high[1]) strays = places.size;
      for (const [name, [cx, cy]] of near) if (Math.abs(x - cx) < wide && Math.abs(y - cy) < tall) hit.add(name);
    }
    if (hit.size + strays < fewest) [best, fewest] = [bend, hit.size + strays];
    if (!fewest) break;
  }
  return best;
}

/** The three control points of a link between the edges of its boxes. */
export function visible(a, b, bend, size) {
  const wide = size.width / 2 + GAP, tall = size.height / 2 + GAP;
  const inside = (t, [cx, cy]) => {
    const [x, y] = blossom(a, b, bend, t, t);
    return Math.abs(x - cx) < wide && Math.abs(y - cy) < tall;
  };
  let first = 0, last = 1;
  while (first < 1 && inside(first, a)) first += 0.01;
  while (last > 0 && inside(last, b)) last -= 0.01;
  if (first >= last) [first, last] = [0, 1];
  return [blossom(a, b, bend, first, first), blossom(a, b, bend, first, last), blossom(a, b, bend, last, last)];
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
  const pad = 0.13 * INCH, title = 0.2 * INCH;
  const xs = at.map(([x]) => x), ys = at.map(([, y]) => y);
  const x = Math.min(...xs) - size.width / 2 - pad, y = Math.min(...ys) - size.height / 2 - pad - title;
  return { x, y, width: Math.max(...xs) + size.width / 2 + pad - x, height: Math.max(...ys) + size.height / 2 + pad - y };
}

/** The rectangle that holds everything, with a margin. */
export function extent(drawing, places, size) {
  const boxes = [...places.values()].map(([x, y]) => ({ x: x - size.width / 2, y: y - size.height / 2, width: size.width, height: size.height }));
  for (const zone of drawing.zones ?? []) boxes.push(frame(zone.nodes, places, size));
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
