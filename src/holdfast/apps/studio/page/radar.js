/* The fingerprint as a radar over the outline of the design that it is held against: 0 in the middle, 1 at the rim.
 *
 * The server says which readings are its sides, and where they point. A reading that is not there has no vertex and its
 * axis is dashed. DDR* stands where reports have DDR; a trained DDR is a diamond on the same axis, its mark.
 */

import { number, put, s } from "./dom.js";

const RADIUS = 78, WIDE = 300, TALL = 226;

const corner = (value, x, y) => (typeof value === "number" ? [value * RADIUS * x, value * RADIUS * y] : null);

/** The sides between readings that are next to each other and both there. */
function outline(sides, values) {
  const points = sides.map(({ key, x, y }) => corner(values[key], x, y));
  if (points.every(Boolean)) return `M ${points.map((p) => p.join(" ")).join(" L ")} Z`;
  return points.map((p, k) => [p, points[(k + 1) % points.length]]).filter(([a, b]) => a && b).map(([a, b]) => `M ${a.join(" ")} L ${b.join(" ")}`).join(" ");
}

function words(sides, values) {
  return sides.map(({ key, label }) => `${label} ${number(values[key], 3)}`).join(", ");
}

const diamond = ([x, y]) => `M ${x - 5} ${y} L ${x} ${y - 5} L ${x + 5} ${y} L ${x} ${y + 5} Z`;

/** The drawing, made once. */
export function radar(sides) {
  const axes = sides.map(({ x, y }) => s("line", { class: "axis", x1: 0, y1: 0, x2: RADIUS * x, y2: RADIUS * y }));
  const texts = sides.map(({ x, y }) => {
    const at = { x: x * (RADIUS + 9), "text-anchor": x ? (x > 0 ? "start" : "end") : "middle" };
    const top = x ? y * (RADIUS + 9) - 3 : y < 0 ? -RADIUS - 22 : RADIUS + 15;
    return [s("text", { class: "axis-name", ...at, y: top }), s("text", { class: "axis-value", ...at, y: top + 14 })];
  });
  return s("svg", { class: "radar", viewBox: `${-WIDE / 2} ${-TALL / 2} ${WIDE} ${TALL}`, role: "img" },
    [0.25, 0.5, 0.75].map((share) => s("circle", { class: "ring", r: RADIUS * share })), s("circle", { class: "rim", r: RADIUS }), axes,
    s("path", { class: "before" }), s("path", { class: "now" }), s("g", { class: "vertices" }, sides.map(() => s("circle", { r: 3.4 }))),
    s("path", { class: "diamond" }), texts.flat());
}

/** Show readings on it; those of the design before as an outline, or none; and what was trained as marks. */
export function showRadar(drawing, sides, values, before, marks, stale) {
  put(drawing, { class: stale ? "radar stale" : "radar", "aria-label": `Fingerprint: ${words(sides, values)}.${before ? ` Against: ${words(sides, before)}.` : ""}` });
  put(drawing.querySelector(".now"), { d: outline(sides, values) });
  put(drawing.querySelector(".before"), { d: before ? outline(sides, before) : "" });
  const lines = drawing.querySelectorAll(".axis"), dots = drawing.querySelectorAll(".vertices circle");
  const names = drawing.querySelectorAll(".axis-name"), shown = drawing.querySelectorAll(".axis-value");
  sides.forEach(({ key, label, x, y }, k) => {
    const at = corner(values[key], x, y);
    put(lines[k], { class: at ? "axis" : "axis missing" });
    put(dots[k], at ? { cx: at[0], cy: at[1], visibility: "visible" } : { visibility: "hidden" });
    names[k].textContent = label;
    shown[k].textContent = number(values[key], 3);
  });
  const marked = sides.map(({ mark, x, y }) => corner(marks[mark], x, y)).filter(Boolean);
  put(drawing.querySelector(".diamond"), { d: marked.map(diamond).join(" ") });
}
