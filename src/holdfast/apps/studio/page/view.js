/* What part of the drawing is in sight: pan, zoom, fit. */

import { scene } from "./canvas.js";
import { byId } from "./dom.js";
import { extent } from "./geometry.js";
import { state, subscribe } from "./store.js";

const view = { x: 0, y: 0, scale: 1 };
const LEAST = 0.15, MOST = 3;
let untouched = true;

function apply() {
  byId("world").setAttribute("transform", `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(4)})`);
}

/** Show the whole drawing, no larger than life and a third. */
export function fit() {
  if (!state.drawing) return;
  const box = byId("canvas").getBoundingClientRect();
  if (!box.width || !box.height) return;
  const whole = extent(state.drawing, scene.places, scene.size);
  view.scale = Math.min(box.width / whole.width, (box.height - 24) / whole.height, 1.7);
  view.x = box.width / 2 - view.scale * (whole.x + whole.width / 2);
  view.y = box.height / 2 - view.scale * (whole.y + whole.height / 2);
  untouched = true;
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
  new ResizeObserver(() => untouched && fit()).observe(byId("canvas"));
  let fitted = null;
  subscribe(["drawing"], () => {
    if (!state.drawing) {
      fitted = null;
      return;
    }
    const first = fitted === null;
    fitted = state.drawing;
    if (first) fit();
  });
  byId("zoom-in").addEventListener("click", () => zoom(1.25));
  byId("zoom-out").addEventListener("click", () => zoom(0.8));
  byId("fit").addEventListener("click", fit);
}
