/* The keyboard: everything that the mouse can do. The sheet behind "?" is made from the same list. */

import { elementOf, itemOf, linksShown, scene } from "./canvas.js";
import { sheet } from "./dialogs.js";
import { byId, h } from "./dom.js";
import { addHost, addLink, layOut, moveHosts, offers, say, toggleBlockable, toggleLink, toggleMark } from "./edits.js";
import { askName, choose, MARKS } from "./inspector.js";
import { finishFlow, toggleNeeded, extendFlow } from "./marking.js";
import { askRemove, chooseMany, chosenHosts, duplicate, toggleChosen } from "./selecting.js";
import { change, redo, state, undo } from "./store.js";
import { fit, pan, reveal, zoom } from "./view.js";
import { toggleZone } from "./zones.js";

const HELP = [
  ["Anywhere", [
    ["Ctrl Z", "undo"], ["Ctrl Shift Z or Ctrl Y", "redo"], ["Ctrl S", "save"], ["Ctrl Shift S", "save as"], ["Ctrl O", "open"], ["1 … 6", "the tabs of the panel"],
    ["D", "to the design"], ["?", "this sheet"],
  ]],
  ["On the design", [
    ["← ↑ → ↓", "to the next host in that direction"], [", and .", "to the links of a host, one after the other"], ["Alt with arrows", "move the host"],
    ["N", "a new host"], ["A", "lay out again"], ["F", "from where trouble begins"], ["Shift F", "all of it"], ["Ctrl F or /", "find a host"], ["V", "links that must never be added"], ["+ and −", "zoom"], ["Shift with arrows", "pan"], ["Ctrl A", "choose all"], ["Ctrl Space or Ctrl click", "one more host"], ["Shift and drag", "choose by a box"], ["Ctrl C and Ctrl V", "copy, paste"], ["Ctrl D", "duplicate"], ["Escape", "let go"],
  ]],
  ["On a host", [
    ["L", "draw a link from here; arrows and Enter choose where to"], ["R or F2", "rename"], ["Delete", "remove"],
    ["E X C H W", "entry, exposed, critical, hardened, watched"],
  ]],
  ["On a link", [["Space or Enter", "switch it off or on"], ["B", "it can be blocked, or not"], ["Q", "it is needed, or not"], ["← →", "to its two hosts"]]],
  ["In a line or a play", [["P", "play or pause"], ["J and K", "a step back, a step on"]]],
];

export function help() {
  const table = ([title, rows]) =>
    h("section", {}, h("h3", {}, title), h("dl", { class: "keys" }, rows.map(([keys, words]) => [h("dt", {}, keys.split(" ").map((k) => (/^(with|and|or|…)$/.test(k) ? ` ${k} ` : h("kbd", {}, k)))), h("dd", {}, words)])));
  return sheet("Keys", h("div", { class: "columns" }, HELP.map(table)), "wide");
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest host in a direction, straight ones before slanted ones. */
function neighbour(name, [dx, dy]) {
  const [x, y] = scene.places.get(name);
  let best = null, least = Infinity;
  for (const [other, [ox, oy]] of scene.places) {
    const along = (ox - x) * dx + (oy - y) * dy, aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    if (other === name || along <= 4 || scene.fold?.boxOf.has(other)) continue;
    const far = along + 2.2 * aside;
    if (far < least) [best, least] = [other, far];
  }
  return best;
}

function go(item) {
  if (!item) return;
  if (state.linking) elementOf(item)?.focus();
  else choose(item);
  reveal(scene.places.get(item.kind === "node" ? item.name : item.to));
}

/** The links at a host, or the one after this one at the host where it begins. */
function nextLink(item, by) {
  const links = linksShown();
  if (item.kind === "node") {
    const own = links.filter((link) => link.from === item.name || link.to === item.name);
    return own.at(by > 0 ? 0 : -1);
  }
  const own = links.filter((link) => link.from === item.from);
  const at = own.findIndex((link) => link.to === item.to);
  return own[(at + by + own.length) % own.length];
}

function onArrow(event, item, step) {
  if (event.shiftKey) return pan(-60 * step[0], -60 * step[1]);
  if (item?.kind === "node" && event.altKey && !scene.fold && !state.drawing.floor) {
    const names = chosenHosts().includes(item.name) ? chosenHosts() : [item.name];
    return moveHosts(new Map(names.map((name) => { const [x, y] = scene.places.get(name); return [name, [x + 12 * step[0], y + 12 * step[1]]]; })));
  }
  if (item?.kind === "node") {
    const name = neighbour(item.name, step);
    return name && go({ kind: "node", name });
  }
  if (item?.kind === "link") {
    if (step[0]) return go({ kind: "node", name: step[0] < 0 ? item.from : item.to });
    return go({ kind: "link", ...nextLink(item, step[1]) });
  }
  return pan(-60 * step[0], -60 * step[1]);
}

function onNode(key, name) {
  if (key === "enter" && state.flowing) {
    extendFlow(name);
    return true;
  }
  if (key === "enter" && state.linking) {
    const { from } = state.linking;
    change({ linking: from ? null : { from: name } });
    if (from) addLink(from, name);
  } else if (key === "l" && offers("add_link")) change({ linking: { from: name }, selection: { kind: "node", name } });
  else if ((key === "r" || key === "f2") && offers("rename_host")) askName(name);
  else if ((key === "delete" || key === "backspace") && offers("remove_host")) askRemove(chosenHosts().includes(name) ? chosenHosts() : [name]);
  else if (key === "enter" || key === " ") change({ selection: { kind: "node", name } });
  else {
    const mark = Object.keys(MARKS).find((one) => MARKS[one].toLowerCase() === key);
    if (!mark || !offers("mark") || !state.drawing.marks_offered?.includes(mark)) return false;
    toggleMark(name, mark);
  }
  return true;
}

function onLink(key, { from, to }) {
  if ((key === " " || key === "enter" || key === "delete" || key === "backspace") && offers("cut_link")) toggleLink(from, to);
  else if (key === "b" && offers("blockable")) toggleBlockable(from, to);
  else if (key === "q" && offers("keep")) toggleNeeded(from, to);
  else return false;
  return true;
}

/** With the control key: all hosts, a copy, one more host. */
function onCommand(event, item) {
  const key = event.key.toLowerCase();
  if (key === "a") chooseMany(state.drawing.nodes.map((node) => node.name));
  else if (key === "d") duplicate();
  else if (key === " " && item?.kind === "node") toggleChosen(item.name);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function onCanvas(event) {
  if (!state.drawing) return;
  const item = itemOf(document.activeElement), key = event.key.toLowerCase(), zone = document.activeElement?.dataset?.zone;
  if (event.ctrlKey || event.metaKey) return onCommand(event, item);
  if (zone && (key === "enter" || key === " ")) {
    toggleZone(zone);
    event.preventDefault();
    return;
  }
  const step = STEPS[event.key];
  if (step) onArrow(event, item, step);
  else if (item && (item.kind === "node" ? onNode(key, item.name) : onLink(key, item))) event.preventDefault();
  else if ((key === "," || key === ".") && item) {
    const link = nextLink(item, key === "." ? 1 : -1);
    if (link) go({ kind: "link", from: link.from, to: link.to });
    else say(`${item.name} has no ${state.drawing.relation}.`);
  } else if (key === "n" && offers("add_host")) addHost().then((name) => name && elementOf({ kind: "node", name })?.focus());
  else if (key === "a") layOut();
  else if (key === "f") fit(event.shiftKey);
  else if (key === "v") byId("breakers").click();
  else if (key === "+" || key === "=") zoom(1.25);
  else if (key === "-") zoom(0.8);
  else if (key === "escape") change({ linking: null, flowing: null, tool: null, selection: null, chosen: [] });
  else return;
  event.preventDefault();
  event.stopPropagation();
}

const writing = (element) => element?.matches?.("input:not([type=range]), textarea, select") || document.querySelector("dialog[open]");

/** Whether there is something to let go. */
const holding = () => state.linking || state.flowing || state.tool || state.selection || state.chosen.length > 0;

/** Keys that work wherever the focus is; `acts` has what other modules do. */
function anywhere(event, acts) {
  const command = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
  if (document.querySelector("dialog[open]")) return;
  if (command && key === "s") (event.shiftKey ? acts.saveAs : acts.save)();
  else if (command && key === "o") acts.open();
  else if (command && key === "f") acts.find();
  else if (writing(event.target)) return;
  else if (command && key === "z") (event.shiftKey ? redo : undo)();
  else if (command && key === "y") redo();
  else if (command || event.altKey) return;
  else if (key === "escape" && holding() && !document.querySelector(":popover-open")) change({ linking: null, flowing: null, tool: null, selection: null, chosen: [] });
  else if (key === "enter" && state.flowing?.length > 1) finishFlow();
  else if (key === "?") help();
  else if (key === "/") acts.find();
  else if (key === "d") elementOf(state.selection ?? { kind: "node", name: state.drawing?.nodes[0]?.name })?.focus();
  else if (/^[1-6]$/.test(key)) acts.tab(Number(key) - 1);
  else if (key === "p") acts.toggle();
  else if (key === "j") acts.step(-1);
  else if (key === "k") acts.step(1);
  else return;
  event.preventDefault();
}

export function startKeys(acts) {
  byId("canvas").addEventListener("keydown", onCanvas);
  byId("canvas").addEventListener("focusin", (event) => {
    const item = itemOf(event.target);
    if (item && !state.linking) change({ selection: item });
  });
  document.addEventListener("keydown", (event) => anywhere(event, acts));
  byId("help").addEventListener("click", help);
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", redo);
}
