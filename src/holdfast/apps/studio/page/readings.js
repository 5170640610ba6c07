/* The readings as a table, against those of another design, and where positions are lost. Sentences are the server's. */

import { compared, reading } from "./answers.js";
import { count, h, number } from "./dom.js";
import { term } from "./glossary.js";
import { state } from "./store.js";
import { table } from "./table.js";

/** The rows of the table: every reading that needs no training. */
export const rows = () => table().filter((one) => !one.learned);

/** One reading of a stream: undefined while it is not there, null where there is none. */
export function valueOf(readings, key) {
  const known = readings?.values?.[key];
  if (known) return { value: known.value, ends: known, stale: false };
  if (readings && !readings.pending) return { value: readings.error ? undefined : null, ends: null, stale: false };
  const before = readings?.stale?.values?.[key];
  return { value: before?.value, ends: before ?? null, stale: true };
}

export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** An arrow up or down, good or bad for the defender; what is not shown as different is the same. */
export function difference(row, value, before) {
  const asNumber = (one) => (one === row.endless ? Infinity : one);
  const a = asNumber(before), b = asNumber(value);
  if (typeof a !== "number" || typeof b !== "number") {
    return typeof a === typeof b ? ["", "", ""] : [typeof b === "number" ? "now read" : "no longer", "", ""];
  }
  const digits = row.whole ? 0 : row.digits;
  if (a === b || number(a, digits) === number(b, digits)) return ["same", "", "="];
  const better = row.less ? b < a : b > a;
  const by = Number.isFinite(a) && Number.isFinite(b) ? Math.abs(b - a) : Infinity;
  return [by === Infinity ? "" : `${b > a ? "+" : "−"}${number(by, row.whole ? 0 : 4)}`, !row.weighed ? "" : better ? "good-words" : "bad-words", b > a ? "▲" : "▼"];
}

function written(row, value, ends) {
  if (value === undefined) return state.readings?.pending || !state.readings ? "…" : "–";
  const digits = row.whole ? 0 : 3;
  if (value === null && typeof ends?.low === "number") return `${number(ends.low, digits)}–${number(ends.high, digits)}`;
  return number(value, row.whole ? 0 : row.digits);
}

function line(row) {
  const { key } = row, { readings } = state;
  const { value, ends, stale } = valueOf(readings, key);
  const before = compared();
  const then = before ? valueOf(before, key) : null;
  const [by, look, arrow] = then && value !== undefined && then.value !== undefined ? difference(row, value, then.value) : ["", "", ""];
  return h("tr", { class: stale ? "stale" : "", "data-axis": key },
    h("th", { scope: "row" }, h("span", {}, capital(row.name)), term(row.meaning, row.label)),
    h("td", { class: "number value" }, written(row, value, ends)),
    h("td", {},
      before && h("span", { class: `delta ${look}` }, h("span", { class: "arrow", "aria-hidden": "true" }, arrow), by,
        then.value !== undefined && arrow && arrow !== "=" ? h("span", { class: "before" }, `was ${written(row, then.value, then.ends)}`) : null),
      h("span", { class: "says" }, stale ? "" : says(row, readings, value))));
}

function says(row, readings, value) {
  const sentence = readings?.says?.[row.key];
  return value !== undefined && sentence ? sentence.replace(`${row.name}: `, "") : "";
}

export function readingsTable() {
  const before = compared();
  return h("table", { class: "readings" },
    h("caption", { class: "unseen" }, "Readings of the design"),
    h("thead", { class: "unseen" }, h("tr", {}, h("th", { scope: "col" }, "reading"), h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, before ? "change, and what it says" : "what it says"))),
    h("tbody", {}, rows().map(line)));
}

export function shells() {
  const { value: now, stale } = reading(state.readings, "certificate");
  if (!now?.shells) return null;
  const before = compared()?.certificate;
  const open = Number(now.positions) - Number(now.unsafe);
  const share = (n, of) => (of ? Number(n ?? 0) / of : 0);
  const then = before?.shells ? Number(before.positions) - Number(before.unsafe) : 0;
  const depth = Math.min(12, Math.max(now.shells.length, before?.shells?.length ?? 0));
  const rows = [["held", now.winning, before?.winning], ...Array.from({ length: depth }, (_, k) => [`${k + 1}`, now.shells[k] ?? 0, before?.shells?.[k]])];
  return h("section", { class: `shells${stale ? " stale" : ""}` }, h("h3", {}, "Where positions are lost ", term("shells", "shell")),
    h("table", {}, h("caption", { class: "unseen" }, "Positions by the number of moves within which a violation can be forced"),
      h("tbody", {}, rows.map(([name, n, was]) => h("tr", { class: name === "held" ? "held" : "" },
        h("th", { scope: "row" }, name === "held" ? "held for ever" : `lost in ${name}`),
        h("td", { class: "bar" }, meter(share(n, open), before ? share(was, then) : null)),
        h("td", { class: "number" }, count(n)),
        h("td", { class: "number quiet" }, before && was !== undefined && String(was) !== String(n) ? `was ${count(was)}` : ""))))));
}

/** A bar for a share; a mark where the other design has it. */
function meter(share, before) {
  const bar = h("span", { class: "fill" }), box = h("span", { class: "meter" }, bar);
  bar.style.width = `${(100 * share).toFixed(2)}%`;
  if (before !== null) {
    const mark = h("span", { class: "mark" });
    mark.style.left = `${(100 * before).toFixed(2)}%`;
    box.append(mark);
  }
  return box;
}
