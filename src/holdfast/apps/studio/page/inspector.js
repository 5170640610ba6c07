/* The bar under the canvas: what is chosen, and what can be done with it. Every act has its key beside it. */

import { elementOf, linksShown } from "./canvas.js";
import { askText, confirm } from "./dialogs.js";
import { button, byId, fill, h } from "./dom.js";
import { addHost, layOut, offers, removeHost, renameHost, toggleBlockable, toggleLink, toggleMark } from "./edits.js";
import { aimOf } from "./line.js";
import { change, state, subscribe } from "./store.js";

const key = (name) => h("kbd", { "aria-hidden": "true" }, name);

const act = (word, sign, run, more = {}) => button([word, " ", key(sign)], run, { "data-key": word, ...more });

export const MARKS = { entry: "E", exposed: "X", critical: "C", hardened: "H", watched: "W" };

/** Ask for the new name of a host. */
export async function askName(name) {
  const to = await askText(`Rename ${name}`, "New name", name, "Rename");
  if (to && to !== name) renameHost(name, to);
}

/** Ask before a host goes with its links. */
export async function askRemove(name) {
  const n = state.drawing.arrows.filter((a) => !a.off && (a.from === name || a.to === name)).length;
  if (!n || (await confirm(`Remove ${name}?`, `Its ${n} ${state.drawing.relation}${n === 1 ? "" : "s"} will go with it. Undo brings them back.`, "Remove", "main bad"))) removeHost(name);
}

function ofNode(name) {
  const node = state.drawing.nodes.find((one) => one.name === name);
  if (!node) return null;
  const offered = state.drawing.marks_offered ?? [];
  return [
    h("strong", {}, node.name),
    node.zone && h("span", { class: "quiet" }, `in ${node.zone}`),
    offers("mark") && h("span", { class: "group", role: "group", "aria-label": `Marks of ${name}` },
      Object.entries(MARKS).filter(([mark]) => offered.includes(mark)).map(([mark, sign]) =>
        act(mark, sign, () => toggleMark(name, mark), { "aria-pressed": String(node.marks.includes(mark)), class: "toggle" }))),
    h("span", { class: "group" },
      offers("add_link") && act("Link to…", "L", () => change({ linking: { from: name } })),
      offers("rename_host") && act("Rename", "R", () => askName(name)),
      offers("remove_host") && act("Remove", "Del", () => askRemove(name))),
    !offers("mark") && node.marks.length > 0 && h("span", { class: "quiet" }, node.marks.join(", ")),
  ];
}

/** What can be done to a host in a play. */
function ofMoves(name, line) {
  const own = (line.actions ?? []).filter((action) => aimOf(action.name) === name);
  return [h("strong", {}, name), h("span", { class: "group" }, own.map((action) =>
    button(action.name.replace(/\(.*$/, ""), () => state.line?.pick(action.name), { "data-key": action.name, class: action.safe === false ? "chip lost" : "chip safe", title: action.why ?? "" })))];
}

function ofLink({ from, to }) {
  const link = linksShown().find((one) => one.from === from && one.to === to);
  if (!link) return null;
  return [
    h("strong", {}, `${from} → ${to}`),
    h("span", { class: "quiet" }, link.off ? "switched off" : link.added ? "added" : ""),
    h("span", { class: "group" },
      offers("cut_link") && act(link.off ? "Switch on" : "Switch off", "Space", () => toggleLink(from, to)),
      offers("blockable") && !link.off && act("can be blocked", "B", () => toggleBlockable(from, to), { "aria-pressed": String(Boolean(link.blockable)), class: "toggle" })),
  ];
}

function ofNothing() {
  const { drawing } = state;
  if (!drawing) return [];
  if (!drawing.editable) return [h("span", { class: "quiet" }, "The structure of this model is read from its file; numbers and clauses can be changed under Rules.")];
  return [
    offers("add_host") && act(`Add a ${drawing.noun}`, "N", () => addHost()),
    offers("add_link") && act(`Draw a ${drawing.relation}`, "L", () => change({ linking: { from: null } })),
    act("Lay out again", "A", layOut),
    h("span", { class: "quiet hint" }, `Click a ${drawing.relation} to switch it off; drag from a ${drawing.noun}’s edge to draw one.`),
  ];
}

function show() {
  const { selection, linking, drawing, line } = state;
  const bar = byId("inspector");
  if (linking) {
    const words = linking.from ? `Where does the ${drawing.relation} from ${linking.from} lead? Click the ${drawing.noun}, or go there with the arrow keys and press Enter.` : `Where does the ${drawing.relation} begin? Click a ${drawing.noun}.`;
    fill(bar, h("span", {}, words), act("Cancel", "Esc", () => change({ linking: null })));
    return;
  }
  if (line) {
    const asked = line.pick && !line.over && line.at === line.positions.length - 1;
    const words = asked ? "Choose a host, or a move in the panel." : "Close the line to change the design.";
    fill(bar, asked && selection?.kind === "node" ? ofMoves(selection.name, line) : h("span", { class: "quiet" }, words));
    return;
  }
  const chosen = selection && (selection.kind === "node" ? ofNode(selection.name) : ofLink(selection));
  fill(bar, chosen ?? ofNothing());
}

/** Choose something on the canvas and give it the focus. */
export function choose(item) {
  change({ selection: item });
  elementOf(item)?.focus();
}

export function startInspector() {
  subscribe(["selection", "linking", "line", "drawing", "document", "referenceDrawing"], show);
  subscribe(["said"], () => { byId("said").textContent = state.said; });
}
