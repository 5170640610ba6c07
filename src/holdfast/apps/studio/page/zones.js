/* Zones that are closed: one box for all of their hosts, and one arrow for all links between two boxes.
 *
 * Blocks (zones, and hosts in none) stand as in a table, in columns by their distance from where trouble begins; a
 * column is as wide as its widest block, so that opening a zone moves the others aside and nothing overlaps.
 */

import { own } from "./dom.js";
import { frame } from "./geometry.js";
import { linkKey } from "./routes.js";
import { change, state } from "./store.js";

const MANY = 60, CLOSED = { width: 176, height: 78 }, GAP = [86, 54];

/** The zones that are closed; those of a large design are, until somebody opens one. */
export function closedZones(drawing = state.drawing) {
  const names = (drawing?.zones ?? []).map((zone) => zone.name);
  if (state.closed) return new Set(names.filter((name) => state.closed.includes(name)));
  return new Set(drawing?.nodes.length > MANY && names.length > 1 ? names : []);
}

export function toggleZone(name) {
  const closed = closedZones();
  if (!closed.delete(name)) closed.add(name);
  change({ closed: [...closed], selection: null });
}

export const setZones = (open) => change({ closed: open ? [] : state.drawing.zones.map((zone) => zone.name), selection: null });

/** Open the zone of a host that is out of sight. */
export function openFor(name) {
  const zone = state.drawing?.nodes.find((node) => node.name === name)?.zone;
  if (zone && closedZones().has(zone)) toggleZone(zone);
}

/** The blocks in columns: by their distance from the first ones where that fits, else one after the other. */
function table(blocks, drawing, blockOf) {
  const names = [...blocks.keys()], onward = new Map(names.map((name) => [name, new Set()]));
  for (const { from, to, off } of drawing.arrows) if (!off && blockOf(from) !== blockOf(to)) onward.get(blockOf(from)).add(blockOf(to));
  const starts = new Set(drawing.nodes.filter((node) => node.marks.includes("entry") || node.marks.includes("exposed")).map((node) => blockOf(node.name)));
  const away = new Map([...(starts.size ? starts : names.slice(0, 1))].map((name) => [name, 0])), queue = [...away.keys()];
  for (const here of queue) for (const next of onward.get(here)) if (!away.has(next)) { away.set(next, away.get(here) + 1); queue.push(next); }
  for (const name of names) if (!away.has(name)) { away.set(name, Math.max(...away.values())); queue.push(name); }
  const wide = Math.max(2, Math.ceil(Math.sqrt(names.length * 1.4))), levels = Math.max(...away.values()) + 1, cells = new Map(), used = [];
  queue.forEach((name, k) => {
    const column = levels <= wide && names.length <= wide * 6 ? away.get(name) : k % wide;
    used[column] = (used[column] ?? 0) + 1;
    cells.set(name, [column, used[column] - 1]);
  });
  return cells;
}

/** Where everything stands while some zones are closed; null while none is. */
export function foldOf(drawing, places, size) {
  const closed = closedZones(drawing);
  if (!closed.size) return null;
  const zoneOf = new Map(drawing.zones.flatMap((zone) => zone.nodes.map((name) => [name, zone.name])));
  const blockOf = (name) => zoneOf.get(name) ?? `\u0000${name}`;
  const blocks = new Map();
  for (const zone of drawing.zones) {
    const around = frame(zone.nodes, places, size);
    if (around) blocks.set(zone.name, closed.has(zone.name) ? { ...CLOSED, members: zone.nodes, closed: true } : { ...around, members: zone.nodes });
  }
  for (const { name } of drawing.nodes) if (!zoneOf.has(name)) blocks.set(blockOf(name), { width: size.width, height: size.height, members: [name], alone: true });
  const cells = table(blocks, drawing, blockOf), wide = [], tall = [];
  for (const [name, [column, row]] of cells) {
    wide[column] = Math.max(wide[column] ?? 0, blocks.get(name).width);
    tall[row] = Math.max(tall[row] ?? 0, blocks.get(name).height);
  }
  const start = (spans, k, gap) => spans.slice(0, k).reduce((sum, span) => sum + (span ?? 0) + gap, 0);
  const fold = { places: new Map(), frames: new Map(), boxOf: new Map() };
  for (const [name, [column, row]] of cells) {
    const block = blocks.get(name), x = start(wide, column, GAP[0]) + wide[column] / 2, y = start(tall, row, GAP[1]) + tall[row] / 2;
    if (!block.alone) fold.frames.set(name, { x: x - block.width / 2, y: y - block.height / 2, width: block.width, height: block.height });
    for (const member of block.members) {
      const at = places.get(member);
      if (!at) continue;
      fold.places.set(member, block.closed || block.alone ? [x, y] : [x + at[0] - block.x - block.width / 2, y + at[1] - block.y - block.height / 2]);
      if (block.closed) fold.boxOf.set(member, name);
    }
  }
  return fold;
}

/** The links between boxes: one for all that lead from one to another. */
export function bundled(links, fold) {
  const found = new Map();
  for (const link of links) {
    const from = fold.boxOf.get(link.from) ?? link.from, to = fold.boxOf.get(link.to) ?? link.to;
    if (from === to) continue;
    const key = linkKey(from, to), there = found.get(key);
    const bundle = from !== link.from || to !== link.to;
    found.set(key, there ? { ...there, members: [...there.members, link], off: there.off && link.off, added: there.added || link.added, blockable: there.blockable && link.blockable } : { ...link, from, to, bundle, members: [link] });
  }
  return [...found.values()].map((link) => (link.bundle && link.members.length > 1 ? { ...link, label: `${link.members.length}` } : link));
}

/** What is to be said of a closed zone: how many hosts, and how they stand. */
export function zoneWords(zone) {
  const { drawing, board } = state, members = drawing.nodes.filter((node) => zone.nodes.includes(node.name));
  const lines = [`${members.length} ${drawing.noun}${members.length === 1 ? "" : "s"}`];
  if (board) {
    const counts = new Map();
    for (const node of members) {
      const value = own(board.values, node.variable ?? node.name);
      if (value !== undefined && own(drawing.tones, value) !== "good") counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    lines.push([...counts].map(([value, n]) => `${n} ${own(drawing.legend, value) ?? value}`).join(", ") || "all as they should be");
  } else {
    const marks = ["entry", "exposed", "critical"].filter((mark) => members.some((node) => node.marks.includes(mark)));
    lines.push(marks.map((mark) => ({ entry: "the attacker begins here", exposed: "open to the outside", critical: "critical" })[mark]).slice(0, 1).join(""));
  }
  return lines;
}

const WORST = ["gone", "bad", "watched", "apart"];

/** How a closed zone is coloured: by its worst host in a play, else by its marks. */
export function zoneLook(zone) {
  const { drawing, board } = state, members = drawing.nodes.filter((node) => zone.nodes.includes(node.name));
  if (!board) return ["entry", "critical"].filter((mark) => members.some((node) => node.marks.includes(mark))).slice(0, 1).map((mark) => `zone-${mark}`).join(" ");
  const tones = new Set(members.map((node) => own(drawing.tones, own(board.values, node.variable ?? node.name))));
  const worst = WORST.find((tone) => tones.has(tone));
  return worst ? `zone-${worst}` : "";
}
