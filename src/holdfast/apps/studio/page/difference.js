/* The difference of two texts, line by line. */

import { h } from "./dom.js";

const MOST = 3000, AROUND = 2;

/** Lines that are kept (" "), taken away ("-") and added ("+"), by a longest common subsequence. */
export function difference(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  let start = 0, enda = a.length, endb = b.length;
  while (start < enda && start < endb && a[start] === b[start]) start += 1;
  while (enda > start && endb > start && a[enda - 1] === b[endb - 1]) { enda -= 1; endb -= 1; }
  const x = a.slice(start, enda), y = b.slice(start, endb), head = a.slice(0, start).map((line) => [" ", line]), tail = a.slice(enda).map((line) => [" ", line]);
  if (x.length > MOST || y.length > MOST) return [...head, ...x.map((line) => ["-", line]), ...y.map((line) => ["+", line]), ...tail];
  const wide = y.length + 1, best = new Uint32Array((x.length + 1) * wide);
  for (let i = x.length - 1; i >= 0; i -= 1) for (let j = y.length - 1; j >= 0; j -= 1) best[i * wide + j] = x[i] === y[j] ? best[(i + 1) * wide + j + 1] + 1 : Math.max(best[(i + 1) * wide + j], best[i * wide + j + 1]);
  const middle = [];
  for (let i = 0, j = 0; i < x.length || j < y.length;) {
    if (i < x.length && j < y.length && x[i] === y[j]) { middle.push([" ", x[i]]); i += 1; j += 1; }
    else if (i < x.length && (j >= y.length || best[(i + 1) * wide + j] >= best[i * wide + j + 1])) { middle.push(["-", x[i]]); i += 1; }
    else { middle.push(["+", y[j]]); j += 1; }
  }
  return [...head, ...middle, ...tail];
}

/** The difference to look at: what changed, with a few lines around it. */
export function shownDifference(before, after) {
  const lines = difference(before, after), near = lines.map((_, k) => lines.slice(Math.max(0, k - AROUND), k + AROUND + 1).some(([sign]) => sign !== " "));
  const rows = [];
  lines.forEach(([sign, line], k) => {
    if (near[k]) rows.push(h("div", { class: sign === "-" ? "gone" : sign === "+" ? "new" : "" }, `${sign} ${line}`));
    else if (rows.at(-1)?.textContent !== "…") rows.push(h("div", { class: "quiet" }, "…"));
  });
  return h("pre", { class: "difference code", tabindex: "0", "aria-label": "The difference" }, rows);
}
