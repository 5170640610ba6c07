/* Nodes that are more than a box: tanks with their level, valves, pumps, sensors, lists of values, and what stands on a floor. */

import { own, put, s } from "./dom.js";
import { state } from "./store.js";

const COLOURS = ["#0072b2", "#882255", "#007a59", "#332288", "#a8457f", "#9c4e00"];

/** The children of a group made anew from descriptions [tag, attributes, text]. */
function drawn(group, parts) {
  if (group.childElementCount !== parts.length || parts.some(([tag], k) => group.children[k].tagName !== tag)) group.replaceChildren(...parts.map(([tag]) => s(tag)));
  parts.forEach(([, attributes, text], k) => {
    put(group.children[k], attributes);
    if (text !== undefined && group.children[k].textContent !== text) group.children[k].textContent = text;
  });
}

const told = (value) => `${value ?? ""} ${own(state.drawing.legend, value) ?? ""}`.trim();

/** Water in a tank: as high as its level is. */
function tank({ low, high }, [x, y], { width, height, font }, value) {
  const part = high > low ? Math.max(0, Math.min(1, (Number(value) - low) / (high - low))) : 0;
  const room = height - font * 1.9, top = y + height / 2 - part * room, ticks = Math.min(high - low, 12);
  const marks = Array.from({ length: Math.max(0, ticks - 1) }, (_, k) => {
    const at = y + height / 2 - ((k + 1) / ticks) * room;
    return `M ${(x + width / 2 - 8).toFixed(1)} ${at.toFixed(1)} h 8`;
  }).join(" ");
  return [
    ["rect", { class: "water", x: x - width / 2 + 1.5, y: top, width: width - 3, height: Math.max(0, part * room - 1.5), rx: 5 }],
    ["path", { class: "ticks", d: marks }],
    ["text", { class: "status", x, y: y + height / 2 - font * 0.75, "font-size": (font * 0.9).toFixed(1) }, `${value} of ${high}`],
  ];
}

/** The sign of a device: full where it lets something through. */
function device(shape, node, [x, y], { height, font }, value) {
  const word = String(value), stuck = /^jammed-|^blind/.test(word), passing = /(open|on|ok)$/.test(word), r = Math.min(height * 0.22, 15);
  const cy = y + font * 0.1, sign = { valve: `M ${x - 1.4 * r} ${cy - r * 0.8} L ${x + 1.4 * r} ${cy + r * 0.8} V ${cy - r * 0.8} L ${x - 1.4 * r} ${cy + r * 0.8} Z`,
    pump: `M ${x - r} ${cy} a ${r} ${r} 0 1 0 ${2 * r} 0 a ${r} ${r} 0 1 0 ${-2 * r} 0 M ${x - r * 0.45} ${cy - r * 0.7} L ${x + r * 0.9} ${cy} L ${x - r * 0.45} ${cy + r * 0.7} Z`,
    sensor: `M ${x - r} ${cy} a ${r} ${r} 0 1 0 ${2 * r} 0 a ${r} ${r} 0 1 0 ${-2 * r} 0 M ${x - r * 0.6} ${cy + r * 0.2} q ${r * 0.3} ${-r} ${r * 0.6} 0 t ${r * 0.6} 0` }[shape];
  return [
    ["path", { class: `sign ${passing ? "passing" : ""} ${stuck ? "stuck" : ""} ${shape}`, d: sign }],
    ["text", { class: "status", x, y: y + height / 2 - font * 0.75, "font-size": (font * 0.82).toFixed(1) }, word.replace("jammed-", "jammed ")],
  ];
}

/** All values that a variable can have, the one that it has on a ground of its own. */
function list({ values }, [x, y], { width, height, font }, value) {
  const line = font * 1.18, top = y - height / 2 + font * 2.3, at = Math.max(0, values.indexOf(String(value)));
  return [
    ["rect", { class: "here", x: x - width / 2 + 7, y: top + (at - 0.55) * line, width: width - 14, height: line * 1.1, rx: 4 }],
    ...values.map((one, k) => ["text", { class: `value ${k === at ? "here" : ""}`, x, y: top + k * line, "font-size": (font * 0.86).toFixed(1) }, told(one)]),
  ];
}

const MAKERS = { tank, list, valve: (...given) => device("valve", ...given), pump: (...given) => device("pump", ...given), sensor: (...given) => device("sensor", ...given) };

/** What moves on a floor: a disc with a letter, which goes where it goes. */
function token(name, [x, y], side) {
  const names = Object.keys(state.drawing.floor.letters), n = names.indexOf(name);
  return [
    ["circle", { class: "disc", r: (side * 0.29).toFixed(1), fill: COLOURS[n % COLOURS.length], cx: 0, cy: 0 }],
    ["text", { class: "letter", x: 0, y: 0, "font-size": (side * 0.3).toFixed(1) }, state.drawing.floor.letters[name]],
  ].map(([tag, attributes, text]) => [tag, { ...attributes, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, text]);
}

/** Draw what a node has beside its box; true where it has no box of its own. */
export function drawShape(node, extra, at, size, value) {
  if (node.shape === "token") drawn(extra, token(node.name, at, size.side));
  else if (node.shape === "plate") drawn(extra, [0, 1].map((k) => ["text", { class: `plate ${k ? "status" : ""}`, x: at[0], y: at[1] + size.side * (0.06 + 0.22 * k), "font-size": (size.side * 0.18).toFixed(1) }, k ? String(value ?? "") : node.name]));
  else drawn(extra, MAKERS[node.shape] && value !== undefined ? MAKERS[node.shape](node, at, size, value) : []);
  return node.shape === "token" || node.shape === "plate";
}

/** Whether a shape says its value by itself, and where its name then stands. */
export const saysItself = ({ shape }) => shape in MAKERS;
