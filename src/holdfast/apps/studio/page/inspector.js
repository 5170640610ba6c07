/* The bar under the canvas: what is chosen, and what can be done with it. Every act has its key beside it. */

import { elementOf, linksShown } from "./canvas.js";
import { askText } from "./dialogs.js";
import { button, byId, fill, h } from "./dom.js";
import { addHost, edit, layOut, offers, renameHost, toggleBlockable, toggleLink, toggleMark } from "./edits.js";
import { flowsOfLinks, isNeeded, linkName } from "./flows.js";
import { aimOf } from "./line.js";
import { askCost, askFlow, askLabel, askNote, askPace, drawFlow, finishFlow, toggleNeeded } from "./marking.js";
import { align, askRemove, askZone, chosenHosts, distribute, duplicate } from "./selecting.js";
import { change, state, subscribe } from "./store.js";
import { closedZones, setZones } from "./zones.js";

const key = (name) => h("kbd", { "aria-hidden": "true" }, name);

const act = (word, sign, run, more = {}) => button([word, " ", key(sign)], run, { "data-key": word, ...more });

export const MARKS = { entry: "E", exposed: "X", critical: "C", hardened: "H", watched: "W" };

/** Ask for the new name of a host. */
export async function askName(name) {
  const to = await askText(`Rename ${name}`, "New name", name, "Rename");
  if (to && to !== name) renameHost(name, to);
}

function ofNode(name) {
  const node = state.drawing.nodes.find((one) => one.name === name);
  if (!node) return null;
  const offered = state.drawing.marks_offered ?? [];
  return [
    h("strong", {}, node.label !== node.name && node.label ? `${node.label} (${node.name})` : node.name),
    node.zone && h("span", { class: "quiet" }, `in ${node.zone}`),
    node.note && h("span", { class: "quiet note" }, node.note),
    offers("mark") && h("span", { class: "group", role: "group", "aria-label": `Marks of ${name}` },
      Object.entries(MARKS).filter(([mark]) => offered.includes(mark)).map(([mark, sign]) =>
        act(mark, sign, () => toggleMark(name, mark), { "aria-pressed": String(node.marks.includes(mark)), class: "toggle" }))),
    h("span", { class: "group" },
      offers("add_link") && act("Link to…", "L", () => change({ linking: { from: name } })),
      offers("rename_host") && act("Rename", "R", () => askName(name)),
      offers("label") && offers("rename_host") && button("Label…", () => askLabel(name), { "data-key": "label" }),
      offers("note") && button("Note…", () => askNote(name), { "data-key": "note" }),
      offers("zone") && button("Zone…", () => askZone([name]), { "data-key": "zone" }),
      offers("remove_host") && act("Remove", "Del", () => askRemove([name]))),
    !offers("mark") && node.marks.length > 0 && h("span", { class: "quiet" }, node.marks.join(", ")),
  ];
}

function ofMany(names) {
  return [
    h("strong", {}, `${names.length} ${state.drawing.noun}s`),
    h("span", { class: "group" },
      button("In a row", () => align(1), { "data-key": "row" }), button("In a column", () => align(0), { "data-key": "column" }), names.length > 2 && button("Same distance", distribute, { "data-key": "distance" }),
      offers("zone") && button("Zone…", () => askZone(names), { "data-key": "zone" }),
      offers("add_host") && act("Duplicate", "Ctrl D", duplicate),
      offers("remove_host") && act("Remove", "Del", () => askRemove(names))),
    h("span", { class: "quiet hint" }, "Ctrl C copies them; drag one to move all."),
  ];
}

/** How likely an attack along a link succeeds, as a slider; the answer follows. */
function chanceOf(from, to) {
  const of = linkName(from, to), chance = state.drawing.settings?.chance[of];
  const label = h("output", {}, chance === undefined ? "certain" : `${Math.round(chance * 100)} %`);
  const slider = h("input", { type: "range", min: "0", max: "100", step: "5", "aria-label": `How likely spreading along ${of} succeeds`, "data-key": "chance",
    oninput: (event) => { label.textContent = `${event.target.value} %`; },
    onchange: (event) => edit({ kind: "chance", of, chance: Number(event.target.value) === 100 ? null : Number(event.target.value) / 100 }) });
  slider.value = String(Math.round((chance ?? 1) * 100));
  slider.setAttribute("value", slider.value);
  return h("label", { class: "chance" }, "spreads with", slider, label);
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
  const uses = flowsOfLinks().get(linkName(from, to)) ?? [], cost = state.drawing.settings?.costs[`cut ${linkName(from, to)}`];
  return [
    h("strong", {}, `${from} → ${to}`),
    h("span", { class: "quiet" }, [link.off ? "switched off" : link.added ? "added" : "", link.label, uses.length && `used by ${uses.join(", ")}`, cost && `costs ${cost} to cut`, link.note].filter(Boolean).join("; ")),
    h("span", { class: "group" },
      offers("cut_link") && act(link.off ? "Switch on" : "Switch off", "Space", () => toggleLink(from, to)),
      offers("blockable") && !link.off && act("can be blocked", "B", () => toggleBlockable(from, to), { "aria-pressed": String(Boolean(link.blockable)), class: "toggle" }),
      offers("keep") && !link.off && act("needed", "Q", () => toggleNeeded(from, to), { "aria-pressed": String(isNeeded(from, to)), class: "toggle" }),
      offers("cost") && !link.off && button("Cost…", () => askCost(`cut ${linkName(from, to)}`), { "data-key": "cost" }),
      offers("label") && !link.off && button("Port…", () => askLabel(linkName(from, to)), { "data-key": "label" }),
      offers("note") && !link.off && button("Note…", () => askNote(linkName(from, to)), { "data-key": "note" })),
    offers("chance") && !link.off && chanceOf(from, to),
  ];
}

function ofNothing() {
  const { drawing } = state;
  if (!drawing) return [];
  if (!drawing.editable) return [h("span", { class: "quiet" }, "The structure of this model is read from its file; numbers and clauses can be changed under Rules.")];
  return [
    offers("add_host") && act(`Add a ${drawing.noun}`, "N", () => addHost()),
    offers("add_link") && act(`Draw a ${drawing.relation}`, "L", () => change({ linking: { from: null } })),
    offers("flow") && button("Flows…", () => ((drawing.flows ?? []).length ? askFlow() : drawFlow()), { "data-key": "flows" }),
    offers("zone") && button("Draw a zone", () => change({ tool: "zone" }), { "data-key": "zone-tool" }),
    offers("pace") && button(drawing.settings?.pace ? `A move takes ${drawing.settings.pace}` : "Pace…", askPace, { "data-key": "pace" }),
    (drawing.zones ?? []).length > 0 && button(closedZones().size ? "Open all zones" : "Close all zones", () => setZones(closedZones().size > 0), { "data-key": "zones" }),
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
  if (state.flowing) {
    fill(bar, h("span", {}, state.flowing.length ? `The flow goes ${state.flowing.join(" → ")}. Click the next ${drawing.noun}; the last one again ends it.` : `Where does the flow begin? Click a ${drawing.noun}.`),
      act("Done", "Enter", finishFlow), act("Cancel", "Esc", () => change({ flowing: null })));
    return;
  }
  if (state.tool === "zone") {
    fill(bar, h("span", {}, `Draw a box around the ${drawing.noun}s of the zone.`), act("Cancel", "Esc", () => change({ tool: null })));
    return;
  }
  if (line) {
    const asked = line.pick && !line.over && line.at === line.positions.length - 1;
    const words = asked ? "Choose a host, or a move in the panel." : "Close the line to change the design.";
    fill(bar, asked && selection?.kind === "node" ? ofMoves(selection.name, line) : h("span", { class: "quiet" }, words));
    return;
  }
  const many = chosenHosts();
  if (many.length > 1) return fill(bar, ...ofMany(many));
  const chosen = selection && (selection.kind === "node" ? ofNode(selection.name) : ofLink(selection));
  fill(bar, chosen ?? ofNothing());
}

/** Choose something on the canvas and give it the focus. */
export function choose(item) {
  change({ selection: item, chosen: [] });
  elementOf(item)?.focus();
}

export function startInspector() {
  subscribe(["selection", "chosen", "closed", "linking", "flowing", "tool", "line", "drawing", "document", "referenceDrawing"], show);
  subscribe(["said", "refused"], () => {
    byId("said").textContent = state.said;
    byId("said").classList.toggle("refused", state.said !== "" && state.said === state.refused);
  });
}
