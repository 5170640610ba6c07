/* How likely the requirement is still kept after so many moves, where outcomes are drawn: a table and a curve.
 *
 * The curve of the design that it is held against lies under it.
 */

import { compared, reading } from "./answers.js";
import { count, h, s } from "./dom.js";
import { state } from "./store.js";

const WIDE = 300, TALL = 110, LEFT = 28, LOW = 92;

/** The points of a curve on the drawing, over so many moves; past its last point it goes on where it is. */
function points(curve, last) {
  const drawn = [...curve, [last, curve.at(-1)[1]]];
  return drawn.map(([moves, value]) => `${(LEFT + (WIDE - LEFT - 4) * (last ? moves / last : 0)).toFixed(1)},${(LOW - (LOW - 8) * value).toFixed(1)}`).join(" ");
}

/** A probability, or both ends of it where they differ in the digits that are shown. */
function shown({ low, high }) {
  const [a, b] = [low, high].map((end) => end.toFixed(4));
  return a === b ? a : `${a}–${b}`;
}

function figure(now, before) {
  const last = Math.max(now.curve.at(-1)[0], before?.curve?.at(-1)?.[0] ?? 0);
  const told = now.curve.filter((_, i) => i % 12 === 0).map(([moves, value]) => `${value.toFixed(4)} after ${moves} moves`).join(", ");
  return s("svg", { class: "survival", viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": `A falling curve: ${told}` },
    [0, 0.5, 1].map((share) => s("line", { class: "rule", x1: LEFT, x2: WIDE - 4, y1: LOW - (LOW - 8) * share, y2: LOW - (LOW - 8) * share })),
    [0, 0.5, 1].map((share) => s("text", { x: LEFT - 4, y: LOW - (LOW - 8) * share + 3, "text-anchor": "end" }, String(share))),
    before?.curve?.length > 1 && s("polyline", { class: "before", points: points(before.curve, last) }),
    s("polyline", { class: "now", points: points(now.curve, last) }),
    s("text", { x: LEFT, y: TALL - 4 }, "0"), s("text", { x: WIDE - 4, y: TALL - 4, "text-anchor": "end" }, `${count(last)} moves`));
}

/** The section; nothing where nothing is left to chance. */
export function survival() {
  const { value: now, stale } = reading(state.readings, "hold");
  if (!now?.moves) return null;
  const before = compared()?.hold;
  const rows = [...Object.entries(now.moves).map(([moves, ends]) => [`${count(moves)} moves`, ends, before?.moves?.[moves]]), ["for ever", now.forever, before?.forever]];
  const differs = (ends, was) => was && shown(was) !== shown(ends);
  return h("section", { class: `hold${stale ? " stale" : ""}` }, h("h3", {}, "How likely it holds"),
    h("table", {}, h("caption", { class: "unseen" }, "The probability that the requirement is kept, the defender at its best against the worst adversary"),
      h("tbody", {}, rows.map(([name, ends, was]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, shown(ends)),
        h("td", { class: "number quiet" }, differs(ends, was) ? `was ${shown(was)}` : ""))))),
    now.curve?.length > 2 && figure(now, before));
}
