/* Formulas in a text that the page shows, said as the sentences that they are, where they are of a usual kind. */

import { taken } from "./sentences.js";
import { state } from "./store.js";

/** A rule in words: its name, or its sentence where its name is only its formula. */
export function ruleInWords({ side, label, text, editable }) {
  const known = editable && label === text && state.drawing?.rule_words ? taken(side, text, state.drawing.rule_words) : null;
  return known ? known.kind.name(known.values) : label;
}

/** A text with the formulas of the design in sight said in words. */
export function spoken(text) {
  const clauses = (state.drawing?.clauses ?? []).filter((clause) => clause.label === clause.text);
  return clauses.reduce((said, clause) => said.replaceAll(clause.text, ruleInWords(clause)), text);
}
