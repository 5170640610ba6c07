/* What can be done with what is under the pointer, as a menu beside it: the right button, a long touch, or the menu key. */

import { itemOf, linksShown } from "./canvas.js";
import { menuAt } from "./dialogs.js";
import { byId } from "./dom.js";
import { addHost, layOut, offers, toggleBlockable, toggleLink, toggleMark } from "./edits.js";
import { openFind } from "./find.js";
import { askName, MARKS } from "./inspector.js";
import { askFlow, askLabel, askNote, drawFlow, toggleNeeded } from "./marking.js";
import { align, askRemove, askZone, chooseMany, chosenHosts, distribute, duplicate } from "./selecting.js";
import { change, state } from "./store.js";
import { fit, worldAt } from "./view.js";
import { closedZones, setZones, toggleZone } from "./zones.js";

function ofHosts(names) {
  const one = names.length === 1 ? names[0] : null, node = one && state.drawing.nodes.find((each) => each.name === one);
  return [
    one && offers("add_link") && ["Link to…", () => change({ linking: { from: one } })],
    one && offers("rename_host") && ["Rename…", () => askName(one)],
    ...(one && offers("mark") ? state.drawing.marks_offered.map((mark) => [`${node.marks.includes(mark) ? "✓ " : ""}${mark}`, () => toggleMark(one, mark), `Key ${MARKS[mark]}`]) : []),
    one && offers("label") && ["Label…", () => askLabel(one)],
    one && offers("note") && ["Note…", () => askNote(one)],
    offers("zone") && ["Zone…", () => askZone(names)],
    names.length > 1 && ["In a row", () => align(1)],
    names.length > 1 && ["In a column", () => align(0)],
    names.length > 2 && ["Same distance", distribute],
    offers("add_host") && ["Duplicate", duplicate, "Ctrl D"],
    offers("remove_host") && ["Remove", () => askRemove(names), "Delete"],
  ];
}

function ofLink({ from, to }) {
  const link = linksShown().find((one) => one.from === from && one.to === to);
  if (!link) return [];
  return [
    offers("cut_link") && [link.off ? "Switch on" : "Switch off", () => toggleLink(from, to)],
    offers("blockable") && !link.off && [`${link.blockable ? "✓ " : ""}can be blocked`, () => toggleBlockable(from, to)],
    offers("keep") && !link.off && [`${state.drawing.settings.keep.includes(`${from} -> ${to}`) ? "✓ " : ""}needed`, () => toggleNeeded(from, to)],
    offers("label") && ["Port or service…", () => askLabel(`${from} -> ${to}`)],
    offers("note") && ["Note…", () => askNote(`${from} -> ${to}`)],
  ];
}

function ofCanvas(at) {
  const zones = state.drawing.zones ?? [];
  return [
    offers("add_host") && [`Add a ${state.drawing.noun}`, () => addHost(at)],
    offers("zone") && ["Draw a zone", () => change({ tool: "zone" })],
    offers("flow") && ["Draw a flow", drawFlow],
    offers("flow") && (state.drawing.flows ?? []).length > 0 && ["Flows…", askFlow],
    zones.length > 0 && ["Close all zones", () => setZones(false)],
    zones.length > 0 && closedZones().size > 0 && ["Open all zones", () => setZones(true)],
    ["Choose all", () => chooseMany(state.drawing.nodes.map((node) => node.name))],
    ["Find…", openFind],
    ["Lay out again", layOut],
    ["Show all of it", () => fit(true)],
  ];
}

function open(event) {
  if (!state.drawing || state.line) return;
  event.preventDefault();
  const item = itemOf(event.target), zone = event.target.closest?.(".zone")?.dataset.zone, names = chosenHosts();
  let items;
  if (item?.kind === "node") {
    const those = names.includes(item.name) && names.length > 1 ? names : [item.name];
    if (those.length === 1) change({ selection: item, chosen: [] });
    items = ofHosts(those);
  } else if (item) {
    change({ selection: item, chosen: [] });
    items = ofLink(item);
  } else if (zone) items = [[closedZones().has(zone) ? "Open this zone" : "Close this zone", () => toggleZone(zone)], ...ofCanvas(worldAt(event.clientX, event.clientY))];
  else items = names.length > 1 ? ofHosts(names) : ofCanvas(worldAt(event.clientX, event.clientY));
  const box = event.target.getBoundingClientRect(), keyed = !event.clientX && !event.clientY;
  menuAt(keyed ? box.left + box.width / 2 : event.clientX, keyed ? box.bottom : event.clientY, items.filter(Boolean), event.target.closest?.("[tabindex]"));
}

export function startContextMenu() {
  byId("canvas").addEventListener("contextmenu", open);
}
