/* The frontier of one or two numbers: for each pair of values whether the design is held, as a grid of cells. */

import { button, h } from "./dom.js";

/** The values of the last scale that hold, for values of the others; the easy end is where they begin. */
function heldValues(scale, limit) {
  const { values } = scale;
  if (!limit || limit.holds === null || !limit.n_held) return new Set();
  const low = values.slice(0, limit.n_held), high = values.slice(-limit.n_held);
  return new Set(low.at(-1) === limit.holds ? low : high);
}

/** Whether a frontier speaks of a number, and as which of its scales. */
export const scaleOf = (frontier, number) => frontier?.scales.findIndex((scale) => scale.number === number.template.replace("{}", "k")) ?? -1;

const designOf = (frontier, label) => frontier.designs.find((one) => one.label === (label ?? "base")) ?? frontier.designs[0];

/** Whether the design holds with these values, one for each scale; undefined where the frontier does not say. */
export function holds(frontier, label, values) {
  const limit = designOf(frontier, label).limits.find((one) => one.at.every((value, k) => value === values[k]));
  if (!limit) return undefined;
  return heldValues(frontier.scales.at(-1), limit).has(values.at(-1));
}

/** The grid, with the place of the given values marked; a cell that is pressed gives its values to `put`. */
export function grid(frontier, label, values, put) {
  const [across, down] = frontier.scales.length > 1 ? [frontier.scales.at(-1), frontier.scales.at(-2)] : [frontier.scales[0], null];
  const rest = frontier.scales.length > 2 ? values.slice(0, -2) : [];
  const rows = down ? [...down.values].reverse() : [null];
  const cell = (value, row) => {
    const at = row === null ? [...rest, value] : [...rest, row, value];
    const held = holds(frontier, label, at);
    const here = at.every((one, k) => one === values[k]);
    const told = `${row === null ? "" : `${down.number.replace("k", row)}, `}${across.number.replace("k", value)}: ${held === undefined ? "unknown" : held ? "held" : "lost"}${here ? ", here" : ""}`;
    const cellWord = held === undefined ? "?" : held ? "✓" : "×";
    return h("td", { class: `${held === undefined ? "unknown" : held ? "held" : "lost"}${here ? " here" : ""}` }, button(cellWord, () => put(at), { class: "cell", "aria-label": told, "data-key": `cell-${at}` }));
  };
  return h("table", { class: "frontier" },
    h("caption", {}, down ? [h("code", {}, down.number), " upwards, ", h("code", {}, across.number), " to the right"] : h("code", {}, across.number)),
    h("tbody", {}, rows.map((row) => h("tr", {}, row !== null && h("th", { scope: "row" }, String(row)), across.values.map((value) => cell(value, row))))),
    h("tfoot", {}, h("tr", {}, down && h("td"), across.values.map((value) => h("th", { scope: "col" }, String(value))))));
}
