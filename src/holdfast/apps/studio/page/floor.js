/* A floor with squares, areas and barriers, on which discs move; in a play, the squares that a move leads to can be clicked. */

import { byId, own, put, s } from "./dom.js";
import { INCH } from "./geometry.js";
import { state } from "./store.js";

let shown = null;

/** The side of a square in pixels; 0 for a drawing without a floor. */
export const sideOf = (drawing) => (drawing.floor ? drawing.floor.side * INCH : 0);

const corner = (floor, value) => floor.at[value].map((n) => n * floor.side * INCH);

/** Where discs stand: on the square that is their value, beside each other where there are several. */
export function standing(drawing, board) {
  const places = new Map(), { floor } = drawing, side = sideOf(drawing), here = new Map();
  for (const node of drawing.nodes) {
    if (node.shape !== "token") continue;
    const value = own(board?.values, node.variable ?? node.name) ?? own(drawing.initial, node.name);
    if (Object.hasOwn(floor.at, value)) here.set(value, [...(here.get(value) ?? []), node.name]);
  }
  for (const [value, names] of here) {
    const [x, y] = corner(floor, value);
    names.forEach((name, k) => places.set(name, [x + side / 2 + (k - (names.length - 1) / 2) * side * 0.42, y + side * 0.46]));
  }
  return places;
}

/** The name of an area stands in its square nearest to the middle in which no other name stands yet. */
function labels(floor, side, plates) {
  const taken = new Set(), found = [];
  for (const { name, values } of [...floor.areas].reverse()) {
    if (plates.has(name)) continue;
    const mid = [0, 1].map((k) => values.reduce((sum, value) => sum + floor.at[value][k], 0) / values.length);
    const away = (value) => (taken.has(value) ? 1e6 : 0) + (floor.at[value][0] - mid[0]) ** 2 + (floor.at[value][1] - mid[1]) ** 2;
    const at = values.reduce((best, value) => (away(value) < away(best) ? value : best), values[0]);
    taken.add(at);
    const [x, y] = corner(floor, at);
    found.push(s("text", { class: "area-name", x: x + side / 2, y: y + side * 0.86, "font-size": (side * 0.17).toFixed(1) }, name.length > 9 ? `${name.slice(0, 8)}…` : name));
  }
  return found;
}

function barrier(floor, side, [one, other]) {
  const [ax, ay] = floor.at[one], [bx, by] = floor.at[other], x = ((ax + bx) / 2 + 0.5) * side, y = ((ay + by) / 2 + 0.5) * side;
  return s("path", { class: "barrier", d: ax === bx ? `M ${x - side / 2} ${y} h ${side}` : `M ${x} ${y - side / 2} v ${side}` });
}

/** Draw the floor below everything else; once for each drawing. */
export function drawFloor(drawing) {
  const layer = byId("layer-floor");
  if (shown === (drawing?.floor ?? null)) return;
  shown = drawing?.floor ?? null;
  if (!shown) return layer.replaceChildren();
  const floor = shown, side = sideOf(drawing), plates = new Set(drawing.nodes.filter((node) => node.shape === "plate").map((node) => node.name));
  const square = (value, look) => { const [x, y] = corner(floor, value); return s("rect", { class: look, x, y, width: side, height: side }); };
  layer.replaceChildren(
    s("rect", { class: "walls", x: 0, y: 0, width: floor.columns * side, height: floor.rows * side, rx: 4 }),
    ...Object.keys(floor.at).map((value) => square(value, "square")),
    ...floor.areas.flatMap(({ values, tone }) => values.map((value) => square(value, `area ${tone ? `area-${tone}` : ""}`))),
    ...floor.barriers.map((pair) => barrier(floor, side, pair)),
    ...Object.entries(floor.at).map(([value]) => { const [x, y] = corner(floor, value); return s("text", { class: "square-name", x: x + 4, y: y + 11 }, value); }),
    ...labels(floor, side, plates));
}

/** The squares that a move of the asker leads to, to be clicked. */
export function drawOffers(drawing) {
  const layer = byId("layer-offers"), { line } = state;
  const asked = drawing?.floor && line?.pick && !line.over && line.at === line.positions.length - 1;
  if (!asked) return layer.replaceChildren();
  const movers = new Set(drawing.nodes.filter((node) => node.shape === "token").map((node) => node.variable)), side = sideOf(drawing);
  const offers = (line.actions ?? []).flatMap((action) => Object.entries(action.after ?? {}).filter(([name, value]) => movers.has(name) && Object.hasOwn(drawing.floor.at, value)).map(([, value]) => ({ action, value })));
  layer.replaceChildren(...offers.map(({ action, value }) => {
    const [x, y] = corner(drawing.floor, value);
    return put(s("rect", { rx: 8 }, s("title", {}, `${action.name}${action.safe === false ? `: ${action.why ?? "loses"}` : ""}`)),
      { class: `offer ${action.safe === false ? "lost" : "safe"}`, "data-action": action.name, x: x + 4, y: y + 4, width: side - 8, height: side - 8 });
  }));
}
