/* What the marks on the canvas mean; only those that are there. */

import { linksShown } from "./canvas.js";
import { byId, fill, h, own } from "./dom.js";
import { state, subscribe } from "./store.js";

function entries() {
  const { drawing, board } = state;
  if (!drawing) return [];
  if (board && !drawing.floor) {
    const seen = new Set(drawing.nodes.map((node) => own(board.values, node.variable ?? node.name)));
    return Object.keys(drawing.tones ?? {}).filter((value) => seen.has(value)).map((value) => [`tone-${drawing.tones[value]}`, `${value} ${own(drawing.legend, value) ?? ""}`]);
  }
  if (drawing.floor) return onFloor(drawing);
  const has = (mark) => drawing.nodes.some((node) => node.marks.includes(mark));
  const links = linksShown();
  return [
    has("entry") && ["key-entry", "entry"],
    has("critical") && ["key-critical", "critical asset"],
    has("exposed") && ["key-exposed", "open to the outside"],
    has("hardened") && ["key-hardened", "hardened"],
    has("watched") && ["key-watched", "a compromise is seen"],
    (drawing.flows ?? []).length > 0 && ["key-flow", "in use by a flow"],
    drawing.settings?.keep.length > 0 && ["key-needed", "needed"],
    links.some((link) => link.blockable) && ["key-blockable", "can be blocked"],
    links.some((link) => link.added) && ["key-added", "added"],
    links.some((link) => link.off) && ["key-off", "switched off"],
    state.never.length && ["key-never", "must never be added"],
  ].filter(Boolean);
}

const AREAS = { bad: "dangerous", watched: "can be shut", good: "helps the defender" };

/** What discs and tints on a floor stand for. */
function onFloor({ floor }) {
  const tones = new Set(floor.areas.map((area) => area.tone));
  return [
    ...Object.entries(floor.letters).map(([name, letter]) => ["key-disc", `${letter} ${name}`]),
    ...Object.keys(AREAS).filter((tone) => tones.has(tone)).map((tone) => [`key-area-${tone}`, AREAS[tone]]),
    ...(floor.barriers.length ? [["key-blockable", "barrier"]] : []),
  ];
}

export function startLegend() {
  subscribe(["drawing", "document", "referenceDrawing", "board", "never"], () =>
    fill(byId("legend"), entries().map(([look, words]) => h("span", {}, h("i", { class: look, "aria-hidden": "true" }), words))));
}
