/* The rules, and their numbers: sliders that show the frontier while they move. */

import { ask, isUnwanted } from "./api.js";
import { forget, showTrivial, side, whenBegun } from "./clauses.js";
import { byId, fill, h } from "./dom.js";
import { edit } from "./edits.js";
import { grid, holds, scaleOf } from "./frontier.js";
import { whenSeen } from "./panel.js";
import { keyOf, memory, state } from "./store.js";

const frontiers = memory(30);
let running = null, sliding = null;

// -- numbers --------------------------------------------------------------------------------------------

/** Where the frontier of this design is kept; of one number alone, where it is not among those of the first. */
const place = (number = null) => `${keyOf(state.document)}${number ? `\u0000${number.name}` : ""}`;

async function askFrontier(number = null) {
  const key = place(number);
  if (!state.drawing?.numbers?.length || frontiers.get(key) || running === key) return;
  running = key;
  // A number is named by the beginning of its bound: times(destroy)=0..5.
  const over = number ? [`${number.template.split(/\s*[<>=]+\s*\{\}/)[0]}=${lowest(number)}..${number.high}`] : [];
  try {
    frontiers.set(key, await ask("frontier", "frontier", { over }));
  } catch (error) {
    if (!isUnwanted(error)) frontiers.set(key, { failure: error.message });
  }
  if (running === key) running = null;
  if (state.tab === "rules") showFrontier();
}

/** What is known for the number that moves, or for the first two. */
function found() {
  const whole = frontiers.get(place());
  if (!sliding || !whole?.scales || scaleOf(whole, sliding.number) >= 0) return whole;
  askFrontier(sliding.number);
  return frontiers.get(place(sliding.number));
}

/** The values of the frontier's scales, with the one that is being moved. */
function valuesNow(frontier) {
  return frontier.scales.map((scale, k) => (sliding && scaleOf(frontier, sliding.number) === k ? sliding.value : scale.value));
}

/** Set the numbers of a cell, one after the other. */
async function setNumbers(frontier, values) {
  for (const [k, scale] of frontier.scales.entries()) {
    const number = state.drawing.numbers.find((one) => scaleOf({ scales: [scale] }, one) === 0);
    if (number && number.value !== values[k]) await edit({ kind: "set_number", name: number.name, value: values[k] });
  }
}

function showFrontier() {
  const box = byId("frontier");
  if (!box) return;
  const frontier = found(), { numbers } = state.drawing, failure = frontier?.failure;
  if (!frontier?.scales) return fill(box, h("p", { class: "quiet" }, failure ?? (numbers.length ? "Looking for the frontier…" : "")));
  const values = valuesNow(frontier), held = holds(frontier, state.document.variant, values);
  const told = frontier.scales.map((scale, k) => scale.number.replace("k", values[k])).join(", ");
  return fill(box, h("p", { class: held === undefined ? "quiet" : held ? "good-words" : "bad-words", role: "status" }, held === undefined ? `${told} is outside of what was solved.` : `With ${told} it ${sliding ? "would be" : "is"} ${held ? "held" : "lost"}.`),
    grid(frontier, state.document.variant, values, (chosen) => setNumbers(frontier, chosen)));
}

/** The least value that a slider offers: nothing is counted below zero. */
const lowest = (number) => (number.value < 0 ? number.low : Math.max(0, number.low));

const worded = (number, value) => number.template.replace("{}", value);

function slider(number) {
  const shown = h("output", {}, worded(number, number.value));
  const range = h("input", { type: "range", min: String(lowest(number)), max: String(number.high), step: "1", "aria-label": number.template.replace("{}", "…"), "data-key": `number-${number.name}` });
  range.value = number.value;
  range.addEventListener("input", () => {
    sliding = { number, value: Number(range.value) };
    shown.textContent = worded(number, range.value);
    range.setAttribute("aria-valuetext", worded(number, range.value));
    showFrontier();
  });
  range.addEventListener("change", async () => {
    const value = Number(range.value);
    if (value !== number.value) await edit({ kind: "set_number", name: number.name, value });
    sliding = null;
    showFrontier();
  });
  return h("div", { class: "slider", "data-live": true }, h("label", {}, h("span", { class: "quiet" }, number.side === "defender" ? "must hold" : "attack keeps to"), shown), range,
    h("span", { class: "ends quiet" }, h("span", {}, String(lowest(number))), h("span", {}, String(number.high))));
}

// -- the tab --------------------------------------------------------------------------------------------

let shownFor = null;

/** Made again only when the drawing is another one: what is being written stays. */
function show() {
  const { drawing } = state;
  if (!drawing) return;
  const panel = byId("panel-rules");
  panel.replaceChildren(
    side("defender", "Must always hold", drawing.clauses ?? []), side("adversary", "What the attacker keeps to", drawing.clauses ?? []),
    ...(drawing.numbers?.length ? [h("section", {}, h("h3", {}, "How far the numbers can go"), drawing.numbers.map(slider), h("div", { id: "frontier" }))] : []));
  showFrontier();
}

export function startRules() {
  whenBegun(show);
  whenSeen("rules", ["drawing", "document", "readings"], () => {
    if (shownFor !== state.drawing) {
      shownFor = state.drawing;
      forget();
      const focus = byId("panel-rules").contains(document.activeElement) ? document.activeElement.dataset.key : null;
      show();
      if (focus) byId("panel-rules").querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
    }
    showTrivial();
    askFrontier();
  });
}
