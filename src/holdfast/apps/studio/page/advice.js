/* What to change, in sentences: the list of recommend, shared by the first screen and the tab that has all of it. */

import { button, h, number, plural } from "./dom.js";
import { edit } from "./edits.js";
import { lookup } from "./lookup.js";
import { brief } from "./table.js";

export const advice = lookup("recommend-parts", { topic: "recommend", part: "recommendation" });

const VERBS = { cut: "Cut the link", harden: "Harden", close: "Take away the way in at", add: "Add", remove: "Remove", block: "Let the defender block", watch: "Put a sensor at" };

/** A change as a sentence begins: "cut GW -> DB" is to cut the link GW → DB. */
function inWords(change) {
  const [, verb, rest] = /^(\S+) (.*)$/.exec(change) ?? [null, "", change];
  const named = rest.replaceAll(" -> ", " → ");
  if (verb === "cut" && !rest.includes(" -> ")) return `Cut ${named}`;
  return VERBS[verb] ? `${VERBS[verb]} ${named}` : change.charAt(0).toUpperCase() + change.slice(1).replaceAll(" -> ", " → ");
}

const both = (changes) => changes.map((change, k) => (k ? inWords(change).replace(/^./, (letter) => letter.toLowerCase()) : inWords(change))).join(" and ");

/** A value as it is shown; what is not shown as different is no difference. */
const shown = (row, value) => number(value, row.whole ? 0 : 3);

/** What a change would do to the readings, against the design as it is: only what one sees change. */
function effects(found, base) {
  const parts = brief().map((row) => {
    const { key, label, name, group, less, endless } = row;
    const valueIn = (design) => (group === "response" ? design?.response?.[key] : design?.[key]);
    const now = valueIn(found), before = valueIn(base);
    if (now === undefined || now === null || before === undefined) return null;
    const [a, b] = [before, now].map((one) => (one === endless ? Infinity : one));
    if (typeof a !== "number" || typeof b !== "number" || shown(row, now) === shown(row, before)) return null;
    return h("span", { class: b < a === Boolean(less) ? "good-words" : "bad-words", title: name }, `${label} ${shown(row, before)} → ${shown(row, now)}`);
  });
  return h("span", { class: "effects" }, parts);
}

/** Why a change is worth it; harder cases are called as the ladder has them, without dashes. */
const plainly = (why) => why.replace(/^it then reaches (.*?) on the ladder/, (_, rungs) => `it then also holds in harder cases (${rungs.replaceAll("-", " ")})`).replace(/^./, (letter) => letter.toUpperCase());

/** One change: what to do, why, what it costs, and a button that does it. */
export function changeItem(found, base, why, { short = false } = {}) {
  const words = found.changes.join(", ");
  return h("li", {}, h("div", {}, h("strong", {}, both(found.changes)), h("span", { class: "quiet" }, ` (cost ${found.cost})`),
    why && h("span", { class: "why" }, plainly(why)), !short && base && effects(found, base)),
    button("Apply", () => edit({ kind: "apply", changes: found.changes }), { "data-key": `apply-${words}`, "aria-label": `Apply ${words}` }));
}

/** How far a held design's changes were tried, while none of them is known to be better. */
export const tried = ({ singles, changes }) => (singles?.length ? `Tried so far: ${singles.length} of ${plural(changes.length, "change")}; none makes it better.` : "");

/** The best change with its sentence: of a lost design what makes it hold, of a held one what makes it better. */
export function bestChange(found) {
  const list = found.defensible ? found.improvements : found.repairs;
  const best = list?.[0];
  return best && { best, why: found.defensible ? found.reasons?.[0] : "Then it holds.", others: list.length - 1 };
}
