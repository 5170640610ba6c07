/* The scenario as text, to be read and changed where the canvas does not reach. */

import { confirm, dialog } from "./dialogs.js";
import { byId, h } from "./dom.js";
import { commit, state } from "./store.js";

/** The offset of a place in a text; lines and columns count from one. */
export function offsetOf(text, { line, column }) {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

const numbers = (text) => text.split("\n").map((_, k) => k + 1).join("\n");

export async function editText() {
  const { text } = state.document, { problem } = state;
  const gutter = h("pre", { class: "gutter code", "aria-hidden": "true" });
  const field = h("textarea", { class: "code", spellcheck: "false", rows: "26", wrap: "off", "aria-label": "The scenario as text" });
  const number = () => { gutter.textContent = numbers(field.value); gutter.scrollTop = field.scrollTop; };
  field.value = text;
  field.addEventListener("input", number);
  field.addEventListener("scroll", () => { gutter.scrollTop = field.scrollTop; });
  const told = problem && h("p", { class: "bad-words" }, problem.place?.line ? `Line ${problem.place.line}: ${problem.message}` : problem.message);
  const { box, done } = dialog("The scenario as text", [told, h("div", { class: "numbered" }, gutter, field)], [["Use this text", "yes", "main"], ["Cancel", ""]], { class: "wide" });
  number();
  // Escape and Cancel ask first where something was typed.
  box.addEventListener("cancel", async (event) => {
    if (field.value === text) return;
    event.preventDefault();
    if (await confirm("Discard what was typed?", "The text was changed and not used yet.", "Discard it", "main bad")) box.close("");
  });
  field.focus();
  const at = problem?.place?.line ? offsetOf(text, problem.place) : 0;
  field.setSelectionRange(at, at + (problem?.place?.line ? Math.max(1, (problem.place.end_column ?? problem.place.column + 1) - problem.place.column) : 0));
  field.scrollTop = problem?.place?.line ? Math.max(0, (problem.place.line - 6) * (field.scrollHeight / field.value.split("\n").length)) : 0;
  if ((await done) === "yes" && field.value !== text) commit({ text: field.value }, "The text was changed.", { line: null });
}

export function startText() {
  byId("text").addEventListener("click", editText);
}
