/* Numbers and clauses: sliders that show the frontier while they move, and formulas as text, with the parser's caret. */

import { ask, isUnwanted } from "./api.js";
import { button, byId, fill, h, later } from "./dom.js";
import { edit, tryEdit } from "./edits.js";
import { grid, holds, scaleOf } from "./frontier.js";
import { whenSeen } from "./panel.js";
import { keyOf, memory, state } from "./store.js";

const frontiers = memory(30), drafts = new Map();
let running = null, sliding = null;

// -- numbers --------------------------------------------------------------------------------------------

/** Where the frontier of this design is kept; of one number alone, where it is not among those of the first. */
const place = (number = null) => `${keyOf(state.document)}${number ? `\u0000${number.name}` : ""}`;

async function askFrontier(number = null) {
  const key = place(number);
  if (!state.drawing?.numbers?.length || frontiers.get(key) || running === key) return;
  running = key;
  // A number is named by the beginning of its bound: times(destroy)=0..5.
  const over = number ? [`${number.template.split(/\s*[<>=]+\s*\{\}/)[0]}=${number.low}..${number.high}`] : [];
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

function showFrontier() {
  const box = byId("frontier");
  if (!box) return;
  const frontier = found(), { numbers } = state.drawing, failure = frontier?.failure;
  if (!frontier?.scales) return fill(box, h("p", { class: "quiet" }, failure ?? (numbers.length ? "Looking for the frontier…" : "")));
  const values = valuesNow(frontier), held = holds(frontier, state.document.variant, values);
  const told = frontier.scales.map((scale, k) => scale.number.replace("k", values[k])).join(", ");
  return fill(box, h("p", { class: held === false ? "bad-words" : "good-words", role: "status" }, held === undefined ? `${told} is outside of what was solved.` : `With ${told} it ${sliding ? "would be" : "is"} ${held ? "held" : "lost"}.`),
    grid(frontier, state.document.variant, values));
}

const worded = (number, value) => number.template.replace("{}", value);

function slider(number) {
  const shown = h("output", {}, worded(number, number.value));
  const range = h("input", { type: "range", min: String(number.low), max: String(number.high), step: "1", "aria-label": number.template.replace("{}", "…"), "data-key": `number-${number.name}` });
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
    h("span", { class: "ends quiet" }, h("span", {}, String(number.low)), h("span", {}, String(number.high))));
}

// -- clauses --------------------------------------------------------------------------------------------

const slot = (clause) => `${clause.side}-${clause.index}`;

/** The text with a caret under the place that the parser could not read. */
export function caret(text, { message, place, hint }) {
  const at = place?.offset ?? 0, wide = Math.max(1, place?.width ?? 1);
  const line = text.replace(/\s/g, " ");
  return [h("pre", { class: "caret", "aria-hidden": "true" }, `${line}\n${" ".repeat(at)}${"^".repeat(Math.min(wide, Math.max(1, line.length - at + 1)))}`), h("p", { class: "bad-words" }, message, hint ? ` ${hint}` : "")];
}

async function check(clause, field, out) {
  const text = field.value;
  try {
    const answer = await ask("parse", `parse:${slot(clause)}`, { side: clause.side, text });
    if (field.value !== text) return false;
    out.replaceChildren(...(answer.ok ? [] : caret(text, answer.error)));
    field.setAttribute("aria-invalid", String(!answer.ok));
    return answer.ok;
  } catch (error) {
    if (!isUnwanted(error)) out.replaceChildren(...caret(text, error));
    return false;
  }
}

/** A formula to be changed: checked while it is written, set when it is left or Enter is pressed. */
function editor(clause, operation) {
  const key = slot(clause);
  const out = h("div", { class: "problem", id: `problem-${key}`, role: "alert" });
  const field = h("textarea", { rows: "1", spellcheck: "false", class: "code", "aria-label": `${clause.side} clause ${clause.index + 1}`, "aria-describedby": `problem-${key}`, "data-key": `clause-${key}` });
  field.value = drafts.get(key) ?? clause.text;
  const checked = later(150, () => check(clause, field, out));
  const set = async () => {
    if (field.value === clause.text) return drafts.delete(key);
    if (!(await check(clause, field, out))) return false;
    try {
      drafts.delete(key);
      await tryEdit({ ...operation, side: clause.side, text: field.value });
    } catch (error) {
      drafts.set(key, field.value);
      out.replaceChildren(h("p", { class: "bad-words" }, error.message));
    }
    return true;
  };
  field.addEventListener("input", () => { drafts.set(key, field.value); grow(field); checked(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); set(); }
    if (event.key === "Escape") { field.value = clause.text; drafts.delete(key); out.replaceChildren(); field.removeAttribute("aria-invalid"); }
  });
  field.addEventListener("blur", set);
  requestAnimationFrame(() => grow(field));
  if (drafts.has(key)) checked();
  return [field, out];
}

function grow(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

/** A clause that is no formula; an automaton can be replaced by one. */
function given(clause) {
  if (clause.kind !== "automaton") return h("p", { class: "quiet" }, "from the model");
  const write = () => {
    rewriting.add(slot(clause));
    show();
    byId("panel-rules").querySelector(`[data-key="clause-${slot(clause)}"]`)?.focus();
  };
  return h("p", { class: "quiet" }, "an automaton, as the file has it ", button("Write a formula instead", write, { class: "plain", "aria-label": `Write a formula instead of ${clause.label}` }));
}

function clauseRow(clause) {
  const removable = clause.kind !== "model";
  return h("li", { class: "clause", "data-live": true },
    clause.label !== clause.text && h("p", {}, clause.label),
    clause.editable || rewriting.has(slot(clause)) ? editor(clause.editable ? clause : { ...clause, text: "" }, { kind: "set_clause", index: clause.index }) : given(clause),
    removable && button("Remove", () => edit({ kind: "remove_clause", side: clause.side, index: clause.index }), { class: "plain", "aria-label": `Remove ${clause.label}` }));
}

const rewriting = new Set();
const adding = { defender: false, adversary: false };

function side(name, title, clauses) {
  const own = clauses.filter((clause) => clause.side === name);
  const given = own.filter((clause) => clause.kind !== "model").length;
  const fresh = { side: name, index: given, label: "", text: "", kind: "formula", editable: true };
  return h("section", {}, h("h3", {}, title), h("ul", { class: "clauses" }, own.map(clauseRow),
    adding[name] ? h("li", { class: "clause", "data-live": true }, editor(fresh, { kind: "add_clause" })) : h("li", {}, button("Add a clause", () => { adding[name] = true; show(); byId("panel-rules").querySelector(`[data-key="clause-${name}-${given}"]`)?.focus(); }, { class: "plain", "data-key": `add-${name}` }))));
}

// -- the tab --------------------------------------------------------------------------------------------

let shownFor = null;

/** Made again only when the drawing is another one: what is being written stays. */
function show() {
  const { drawing } = state;
  if (!drawing) return;
  const panel = byId("panel-rules");
  panel.replaceChildren(
    ...(drawing.numbers?.length ? [h("section", {}, h("h3", {}, "Numbers"), drawing.numbers.map(slider), h("div", { id: "frontier" }))] : []),
    side("defender", "Must always hold", drawing.clauses ?? []), side("adversary", "The attack keeps to", drawing.clauses ?? []));
  showFrontier();
}

export function startRules() {
  whenSeen("rules", ["drawing", "document"], () => {
    if (shownFor !== state.drawing) {
      shownFor = state.drawing;
      adding.defender = adding.adversary = false;
      rewriting.clear();
      const focus = byId("panel-rules").contains(document.activeElement) ? document.activeElement.dataset.key : null;
      show();
      if (focus) byId("panel-rules").querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
    }
    askFrontier();
  });
}
