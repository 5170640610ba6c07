/* What part of the drawing is in sight: pan, zoom, fit. */

import { scene } from "./canvas.js";
import { byId } from "./dom.js";
import { extent } from "./geometry.js";
import { drawMap, pointOf } from "./minimap.js";
import { state, subscribe } from "./store.js";

const view = { x: 0, y: 0, scale: 1 };
const LEAST = 0.08, MOST = 4;
const READABLE = 10;
let untouched = true;

function apply() {
  byId("world").setAttribute("transform", `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(4)})`);
  drawMap(view, byId("canvas").getBoundingClientRect());
}

/** Where the reader begins: where trouble does, else at the first host. */
function beginning() {
  const first = state.drawing.nodes.find((node) => node.marks.includes("entry")) ?? state.drawing.nodes.find((node) => node.marks.includes("exposed")) ?? state.drawing.nodes[0];
  return scene.places.get(first?.name) ?? [0, 0];
}

/** Show the whole drawing where its names can then be read; else as much of it as can be, from where trouble begins. */
export function fit(all = false) {
  if (!state.drawing) return;
  const box = byId("canvas").getBoundingClientRect();
  if (!box.width || !box.height) return;
  const whole = extent(state.drawing, scene.places, scene.size, scene.fold);
  const fitting = Math.min(box.width / whole.width, (box.height - 24) / whole.height, 1.7);
  const least = Math.min(1.7, READABLE / (scene.fold && scene.fold.boxOf.size === scene.places.size ? 13 : scene.size.font));
  view.scale = all || state.drawing.floor ? fitting : Math.max(fitting, least);
  const middle = [whole.x + whole.width / 2, whole.y + whole.height / 2], from = beginning();
  const along = (k, span, start, size) => {
    if (size / view.scale >= span) return middle[k];
    const half = size / view.scale / 2;
    return Math.max(start + half, Math.min(start + span - half, from[k]));
  };
  view.x = box.width / 2 - view.scale * along(0, whole.width, whole.x, box.width);
  view.y = box.height / 2 - view.scale * along(1, whole.height, whole.y, box.height - 24);
  untouched = true;
  apply();
}

/** Bring a place of the drawing to the middle, at a size at which it can be read. */
export function goTo([x, y]) {
  const box = byId("canvas").getBoundingClientRect();
  view.scale = Math.max(view.scale, READABLE / scene.size.font);
  view.x = box.width / 2 - view.scale * x;
  view.y = box.height / 2 - view.scale * y;
  untouched = false;
  apply();
}

/** The point of the drawing under a point of the screen. */
export function worldAt(clientX, clientY) {
  const box = byId("canvas").getBoundingClientRect();
  return [(clientX - box.left - view.x) / view.scale, (clientY - box.top - view.y) / view.scale];
}

/** The middle of what is in sight. */
export function centre() {
  const box = byId("canvas").getBoundingClientRect();
  return worldAt(box.left + box.width / 2, box.top + box.height / 2);
}

export function pan(dx, dy) {
  view.x += dx;
  view.y += dy;
  untouched = false;
  apply();
}

/** Zoom by a factor; the given point of the screen, else the middle, stays where it is. */
export function zoom(factor, clientX = null, clientY = null) {
  const box = byId("canvas").getBoundingClientRect();
  const x = (clientX ?? box.left + box.width / 2) - box.left, y = (clientY ?? box.top + box.height / 2) - box.top;
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  untouched = false;
  apply();
}

export const scale = () => view.scale;

/** Bring a place of the drawing into sight if it is not. */
export function reveal([x, y]) {
  const box = byId("canvas").getBoundingClientRect();
  const sx = view.x + view.scale * x, sy = view.y + view.scale * y, edge = 50;
  const dx = sx < edge ? edge - sx : sx > box.width - edge ? box.width - edge - sx : 0;
  const dy = sy < edge ? edge - sy : sy > box.height - edge ? box.height - edge - sy : 0;
  if (dx || dy) pan(dx, dy);
}

export function startView() {
  // A drawing that nobody has moved is fitted again when the window or the design changes.
  // What changes the room below the canvas alone, such as a choice, moves nothing.
  let window_ = "";
  new ResizeObserver(() => {
    const now = `${innerWidth} ${innerHeight}`;
    if (untouched && now !== window_) fit();
    else apply();
    window_ = now;
  }).observe(byId("canvas"));
  subscribe(["document", "found", "board"], () => drawMap(view, byId("canvas").getBoundingClientRect()));
  subscribe(["closed"], () => untouched && fit());
  const follow = (event) => event.buttons && goTo(pointOf(event));
  byId("minimap").addEventListener("pointerdown", follow);
  byId("minimap").addEventListener("pointermove", follow);
  let fitted = null;
  subscribe(["drawing", "opened"], (changed) => {
    if (changed.includes("opened") || !state.drawing) fitted = null;
    if (!state.drawing) return;
    const first = fitted === null;
    fitted = state.drawing;
    if (first) fit();
  });
  byId("zoom-in").addEventListener("click", () => zoom(1.25));
  byId("zoom-out").addEventListener("click", () => zoom(0.8));
  byId("fit").addEventListener("click", () => fit());
  byId("fit-all").addEventListener("click", () => fit(true));
}
