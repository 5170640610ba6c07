/* The rules of a design: each as a sentence with gaps to fill, where it is of a usual kind, and as the formula beneath.
 *
 * Both can be changed, and each follows the other. What the parser cannot read has a caret; a rule that holds trivially
 * says so in its place.
 */

import { ask, isUnwanted } from "./api.js";
import { menu } from "./dialogs.js";
import { button, byId, fill, h, later } from "./dom.js";
import { edit, tryEdit } from "./edits.js";
import { KINDS, offered, taken } from "./sentences.js";
import { state } from "./store.js";

const drafts = new Map(), rewriting = new Set();

/** A rule that is being made of a sentence, by side; "formula" where one is being written. */
const adding = { defender: null, adversary: null };

/** Begin anew, as for another drawing. */
export function forget() {
  adding.defender = adding.adversary = null;
  rewriting.clear();
}

const words = () => state.drawing.rule_words ?? { hosts: [], sets: [], flows: [], active: false, verbs: {} };

// -- sentences ------------------------------------------------------------------------------------------

const select = (value, options, label, put) => h("select", { "aria-label": label, onchange: (event) => put(event.target.value) }, options.map(([one, shown]) => h("option", { value: one, selected: one === value ? "" : null }, shown)));

/** Several hosts: each can be another one, there may be more, and of more than two one can go. */
function hosts(values, put) {
  const free = offered("hosts", words()).filter(([one]) => !values.includes(one));
  const each = values.map((name, k) => [k > 0 && (k < values.length - 1 ? ", " : " and "),
    select(name, [[name, name], ...free], `Host ${k + 1}`, (other) => put(values.with(k, other))),
    values.length > 2 && button("×", () => put(values.toSpliced(k, 1)), { class: "plain", "aria-label": `Without ${name}` })]);
  return [each, free.length > 0 && select("", [["", "+"], ...free], "One more host", (name) => name && put([...values, name]))];
}

/** One gap of a sentence: a picker. */
function gap(what, label, value, put) {
  if (what === "hosts") return hosts(value, put);
  if (what !== "number") return select(value, offered(what, words()), label, put);
  const field = h("input", { type: "number", min: "0", max: "99", step: "1", "aria-label": label, onchange: (event) => event.target.value !== "" && put(Math.max(0, Math.round(Number(event.target.value)))) });
  field.value = value;
  return field;
}

/** The sentence of a kind with its gaps filled; a change of one gives all of them to `put`. */
function sentence({ kind, values }, put) {
  const parts = kind.words.map((part, k) => (k % 2 ? gap(kind.gaps[part], `${kind.key}: ${part}`, values[part], (value) => put({ ...values, [part]: value })) : part));
  return h("p", { class: "sentence" }, parts);
}

/** The rule of a sentence in the file, changed. */
function setTo(clause, kind, values) {
  const text = kind.write(values, words());
  edit({ kind: "set_clause", side: clause.side, index: clause.index, text, ...(clause.label !== clause.text ? { name: kind.name(values) } : {}) });
}

/** What is known to be empty about each rule, in its place; nothing else moves, since somebody may be writing. */
export function showTrivial() {
  for (const place of byId("panel-rules").querySelectorAll("[data-trivial]")) {
    const found = (state.readings?.warnings ?? []).filter((warning) => warning.includes(`"${place.dataset.trivial}"`));
    fill(place, found.map((warning) => h("p", { class: "over" }, `This rule asks for nothing: it ${warning.replace(/^.*?",\s*/, "")}.`)));
  }
}

// -- formulas -------------------------------------------------------------------------------------------

const slot = (clause) => `${clause.side}-${clause.index}`;

/** The text with a caret under the place that the parser could not read. */
export function caret(text, { message, place, hint }) {
  const at = place?.offset ?? 0, wide = Math.max(1, place?.width ?? 1);
  const line = text.replace(/\s/g, " ");
  return [h("pre", { class: "caret", "aria-hidden": "true" }, `${line}\n${" ".repeat(at)}${"^".repeat(Math.min(wide, Math.max(1, line.length - at + 1)))}`), h("p", { class: "bad-words" }, message, hint ? ` ${hint}` : "")];
}

/** Whether a formula can be read; what is asked while somebody writes, and what is asked in the end, are two topics. */
async function check(clause, field, out, when) {
  const text = field.value;
  try {
    const answer = await ask("parse", `parse:${when}:${slot(clause)}`, { side: clause.side, text });
    if (field.value !== text) return false;
    out.replaceChildren(...(answer.ok ? [] : caret(text, answer.error)));
    if (!answer.ok) out.scrollIntoView({ block: "nearest" });
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
  const checked = later(150, () => check(clause, field, out, "writing"));
  const set = async () => {
    if (field.value === clause.text) return drafts.delete(key);
    if (!(await check(clause, field, out, "written"))) return false;
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
    showAgain();
    byId("panel-rules").querySelector(`[data-key="clause-${slot(clause)}"]`)?.focus();
  };
  return h("p", { class: "quiet" }, "an automaton, as the file has it ", button("Write a formula instead", write, { class: "plain", "aria-label": `Write a formula instead of ${clause.label}` }));
}


/** A rule: its sentence with pickers, or its name, and its formula beneath. */
function clauseRow(clause) {
  const removable = clause.kind !== "model", known = clause.editable ? taken(clause.side, clause.text, words()) : null;
  return h("li", { class: "clause", "data-live": true, "data-clause": slot(clause) },
    known ? sentence(known, (values) => setTo(clause, known.kind, values)) : clause.label !== clause.text && h("p", {}, clause.label),
    clause.editable || rewriting.has(slot(clause)) ? editor(clause.editable ? clause : { ...clause, text: "" }, { kind: "set_clause", index: clause.index }) : given(clause),
    clause.side === "defender" && h("div", { "data-trivial": clause.label, role: "status" }),
    removable && button("Remove", () => edit({ kind: "remove_clause", side: clause.side, index: clause.index }), { class: "plain", "aria-label": `Remove ${clause.label}` }));
}

/** A rule that is being made: the sentence, the formula that it writes, and whether to take it. */
function making(side) {
  const { kind, values } = adding[side], text = kind.write(values, words());
  const put = (next) => { adding[side] = { kind, values: next }; showAgain(); };
  const add = () => edit({ kind: "add_clause", side, text, name: kind.name(values) });
  return h("li", { class: "clause making" }, sentence(adding[side], put), h("p", {}, h("code", {}, text)),
    h("p", { class: "controls" }, button("Add this rule", add, { class: "main", "data-key": `take-${side}` }), button("Cancel", () => { adding[side] = null; showAgain(); }, { "data-key": `leave-${side}` })));
}

const spelled = (kind) => kind.words.map((part, k) => (k % 2 ? (kind.gaps[part] === "number" ? "N" : "…") : part)).join("");

function offer(side, place) {
  const kinds = KINDS.filter((kind) => kind.side === side && kind.start(words()));
  const choose = (kind) => { adding[side] = { kind, values: kind.start(words()) }; showAgain(); };
  const write = () => {
    adding[side] = "formula";
    showAgain();
    byId("panel-rules").querySelector(`[data-key="clause-${side}-${place}"]`)?.focus();
  };
  return (event) => menu(event.currentTarget, [...kinds.map((kind) => [`… ${spelled(kind)}`.replace(/^… (…|[a-z])/, "$1"), () => choose(kind)]), ["A formula of my own", write]]);
}

/** The rules of a side, and a way to add one. */
export function side(name, title, clauses) {
  const own = clauses.filter((clause) => clause.side === name), given = own.filter((clause) => clause.kind !== "model").length;
  const fresh = { side: name, index: given, label: "", text: "", kind: "formula", editable: true };
  const last = adding[name] === "formula" ? h("li", { class: "clause", "data-live": true }, editor(fresh, { kind: "add_clause" })) : adding[name] ? making(name)
    : h("li", {}, button("Add a rule ▾", offer(name, given), { class: "plain", "data-key": `add-${name}`, "aria-haspopup": "menu", "aria-expanded": "false" }));
  return h("section", {}, h("h3", {}, title), h("ul", { class: "clauses" }, own.map(clauseRow), last));
}

let showAgain = () => {};

/** Have the tab shown again when something is begun here. */
export function whenBegun(show) {
  showAgain = show;
}
