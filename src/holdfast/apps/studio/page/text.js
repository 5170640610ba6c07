/* The scenario as text, to be read and changed where the canvas does not reach. */

import { dialog } from "./dialogs.js";
import { byId, h } from "./dom.js";
import { commit, state } from "./store.js";

/** The offset of a place in a text; lines and columns count from one. */
export function offsetOf(text, { line, column }) {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

export async function editText() {
  const { text } = state.document, { problem } = state;
  const field = h("textarea", { class: "code", spellcheck: "false", rows: "26", "aria-label": "The scenario as text" });
  field.value = text;
  const { done } = dialog("The scenario as text", [problem && h("p", { class: "bad-words" }, problem.message), field], [["Use this text", "yes", "main"], ["Cancel", ""]], { class: "wide" });
  if (problem?.place?.line) {
    const at = offsetOf(text, problem.place);
    field.focus();
    field.setSelectionRange(at, at + Math.max(1, (problem.place.end_column ?? problem.place.column + 1) - problem.place.column));
  }
  if ((await done) === "yes" && field.value !== text) commit({ text: field.value }, "The text was changed.", { line: null });
}

export function startText() {
  byId("text").addEventListener("click", editText);
}
