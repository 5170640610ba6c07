/* The whole drawing in a corner, with a frame around what is in sight; only where that is not all of it. */

import { scene } from "./canvas.js";
import { byId, put, s } from "./dom.js";
import { extent } from "./geometry.js";
import { state } from "./store.js";

const WIDE = 170, TALL = 120;
let map = null;

/** Draw it; `view` tells what is in sight, `box` how large the canvas is. */
export function drawMap(view, box) {
  const holder = byId("minimap");
  if (!state.drawing || !scene.places.size) return holder.replaceChildren();
  const whole = extent(state.drawing, scene.places, scene.size, scene.fold);
  const seen = { x: -view.x / view.scale, y: -view.y / view.scale, width: box.width / view.scale, height: box.height / view.scale };
  const slack = 0.06 * Math.max(whole.width, whole.height);
  const all = seen.x <= whole.x + slack && seen.y <= whole.y + slack && seen.x + seen.width >= whole.x + whole.width - slack && seen.y + seen.height >= whole.y + whole.height - slack;
  holder.hidden = all;
  if (all) return holder.replaceChildren();
  const scale = Math.min(WIDE / whole.width, TALL / whole.height);
  map = { whole, scale };
  const place = ({ x, y, width, height }) => ({ x: ((x - whole.x) * scale).toFixed(1), y: ((y - whole.y) * scale).toFixed(1), width: Math.max(1.5, width * scale).toFixed(1), height: Math.max(1.5, height * scale).toFixed(1) });
  const { width, height } = scene.size, found = new Set(state.found ?? []);
  const boxes = [...scene.places].filter(([name]) => !scene.fold?.boxOf.has(name)).map(([name, [x, y]]) => s("rect", { class: `map-node ${found.has(name) ? "found" : ""}`, ...place({ x: x - width / 2, y: y - height / 2, width, height }) }));
  const frames = [...(scene.fold?.frames.values() ?? [])].map((one) => s("rect", { class: "map-zone", ...place(one) }));
  const picture = holder.firstChild ?? holder.appendChild(s("svg", { "aria-hidden": "true" }));
  put(picture, { width: (whole.width * scale).toFixed(0), height: (whole.height * scale).toFixed(0) });
  picture.replaceChildren(...frames, ...boxes, s("rect", { class: "map-view", ...place(seen) }));
}

/** The point of the drawing under a point of the map. */
export function pointOf(event) {
  const box = byId("minimap").firstChild.getBoundingClientRect();
  return [map.whole.x + (event.clientX - box.left) / map.scale, map.whole.y + (event.clientY - box.top) / map.scale];
}
