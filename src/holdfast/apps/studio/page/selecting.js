/* Several hosts at once: choose, move, align, copy, paste, duplicate, remove; each act is one step to undo. */

import { scene } from "./canvas.js";
import { askText, confirm } from "./dialogs.js";
import { edit, moveHosts, offers, removeHost, say } from "./edits.js";
import { INCH } from "./geometry.js";
import { change, state } from "./store.js";
import { centre } from "./view.js";

/** The hosts that are chosen: several, or the one that has the focus. */
export function chosenHosts() {
  if (state.chosen.length) return state.chosen;
  return state.selection?.kind === "node" ? [state.selection.name] : [];
}

export const chooseMany = (names) => change({ chosen: names.length > 1 ? names : [], selection: names.length ? { kind: "node", name: names.at(-1) } : null });

/** Add a host to those that are chosen, or let it go. */
export function toggleChosen(name) {
  const before = chosenHosts();
  chooseMany(before.includes(name) ? before.filter((one) => one !== name) : [...before, name]);
}

/** The hosts whose middle stands in a rectangle of the drawing. */
export const hostsIn = ({ x, y, width, height }) => [...scene.places].filter(([name, [px, py]]) => !scene.fold?.boxOf.has(name) && px >= x && px <= x + width && py >= y && py <= y + height).map(([name]) => name);

// -- align ----------------------------------------------------------------------------------------------

const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** In a row (1) or in a column (0): the other coordinate becomes the same, and boxes that would overlap move apart. */
export function align(axis) {
  const along = 1 - axis, room = along ? scene.size.height + 22 : scene.size.width + 26;
  const ordered = chosenHosts().map((name) => [name, scene.places.get(name)]).sort((a, b) => a[1][along] - b[1][along] || a[1][axis] - b[1][axis]);
  const at = mean(ordered.map(([, place]) => place[axis]));
  let last = -Infinity;
  moveHosts(new Map(ordered.map(([name, place]) => {
    last = Math.max(place[along], last + room);
    return [name, axis ? [last, at] : [at, last]];
  })));
}

/** The same distance from one to the next, along the longer side. */
export function distribute() {
  const places = chosenHosts().map((name) => [name, scene.places.get(name)]);
  const span = [0, 1].map((k) => Math.max(...places.map(([, at]) => at[k])) - Math.min(...places.map(([, at]) => at[k])));
  const axis = span[0] >= span[1] ? 0 : 1, least = axis ? scene.size.height + 26 : scene.size.width + 30;
  const ordered = places.sort((a, b) => a[1][axis] - b[1][axis]), step = Math.max(least, span[axis] / Math.max(1, ordered.length - 1));
  moveHosts(new Map(ordered.map(([name, at], k) => [name, axis ? [at[0], ordered[0][1][1] + k * step] : [ordered[0][1][0] + k * step, at[1]]])));
}

// -- remove ---------------------------------------------------------------------------------------------

const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The rules of the design that name a host. */
export const rulesNaming = (name) => state.drawing.clauses.filter((clause) => clause.kind !== "model" && new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`).test(clause.text));

/** Ask before hosts go, with their links; rules that name one can go with it or name another host instead. */
export async function askRemove(names) {
  const { drawing } = state, many = names.length > 1, gone = new Set(names);
  const n = drawing.arrows.filter((a) => !a.off && (gone.has(a.from) || gone.has(a.to))).length;
  const ruled = state.document.variant === null ? names.flatMap((name) => rulesNaming(name)) : [];
  if (ruled.length && !many) return askRuled(names[0], ruled);
  const who = many ? `${names.length} ${drawing.noun}s` : names[0], rules = ruled.length ? ` ${new Set(ruled).size} rules name them and will go too.` : "";
  if ((n || many) && !(await confirm(`Remove ${who}?`, `${n} ${drawing.relation}${n === 1 ? "" : "s"} will go with ${many ? "them" : "it"}.${rules} Undo brings everything back.`, "Remove", "main bad"))) return;
  if (!many) return removeHost(names[0]);
  const done = await edit({ kind: "batch", operations: names.map((name) => ({ kind: "remove_host", name, rules: "drop" })) });
  if (done) change({ selection: null, chosen: [], said: `${who} are removed.` });
}

async function askRuled(name, ruled) {
  const { dialog } = await import("./dialogs.js"), { h } = await import("./dom.js");
  const others = state.drawing.nodes.map((node) => node.name).filter((one) => one !== name);
  const pick = h("select", { "aria-label": "Another host" }, others.map((one) => h("option", {}, one)));
  const { done } = dialog(`Remove ${name}?`, [
    h("p", {}, `${ruled.length === 1 ? "A rule names" : `${ruled.length} rules name`} ${name}:`),
    h("ul", { class: "list" }, ruled.slice(0, 6).map((clause) => h("li", {}, clause.label || clause.text))),
    others.length > 0 && h("p", {}, "They can go with it, or speak of ", pick, " instead."),
  ], [["Remove the rules too", "drop", "main bad"], ...(others.length ? [["Let them name the other host", "instead", ""]] : []), ["Cancel", ""]]);
  const answer = await done;
  if (answer) removeHost(name, answer === "drop" ? { rules: "drop" } : { instead: pick.value });
}

// -- copy, paste, duplicate -------------------------------------------------------------------------------

const SIGN = "holdfast-hosts";

/** What is copied: hosts with their marks and zone, the links among them, and where they stand. */
export function copied(names) {
  const inside = new Set(names), { drawing } = state;
  return {
    [SIGN]: 1,
    hosts: drawing.nodes.filter((node) => inside.has(node.name)).map(({ name, zone, marks }) => ({ name, zone, hardened: marks.includes("hardened"), at: scene.places.get(name).map((v) => v / INCH) })),
    links: drawing.arrows.filter((a) => !a.off && inside.has(a.from) && inside.has(a.to)).map(({ from, to, blockable }) => ({ from, to, blockable })),
  };
}

function freeName(name, taken) {
  const [, stem, digits] = /^(.*?)(\d*)$/.exec(name);
  let n = Number(digits || 1) + 1;
  while (taken.has(`${stem}${n}`)) n += 1;
  taken.add(`${stem}${n}`);
  return `${stem}${n}`;
}

/** Hosts and links of a copy under free names, as one operation; beside those that they are copies of. */
async function put(copy, outside = []) {
  const { drawing } = state, taken = new Set([...drawing.nodes.map((node) => node.name), ...(drawing.variables ?? []).map((one) => one.name)]), names = new Map();
  const zones = new Set((drawing.zones ?? []).map((zone) => zone.name));
  for (const { name } of copy.hosts) names.set(name, taken.has(name) ? freeName(name, taken) : (taken.add(name), name));
  const renamed = (name) => names.get(name) ?? name;
  const operations = [
    ...copy.hosts.map(({ name }) => ({ kind: "add_host", name: renamed(name) })),
    ...[...copy.links, ...outside].map(({ from, to }) => ({ kind: "add_link", from: renamed(from), to: renamed(to) })),
    ...copy.links.filter((link) => link.blockable).map(({ from, to }) => ({ kind: "blockable", from: renamed(from), to: renamed(to), on: true })),
    ...copy.hosts.filter((host) => host.hardened).map(({ name }) => ({ kind: "mark", name: renamed(name), mark: "hardened", on: true })),
    ...(state.document.variant === null ? copy.hosts.filter((host) => zones.has(host.zone)).map(({ name, zone }) => ({ kind: "zone", names: [renamed(name)], zone })) : []),
  ];
  const around = copy.hosts.reduce((sum, { at }) => [sum[0] + at[0] / copy.hosts.length, sum[1] + at[1] / copy.hosts.length], [0, 0]);
  const to = copy.hosts.some(({ name }) => scene.places.has(name)) ? [around[0] + 0.45, around[1] + 0.45] : centre().map((v) => v / INCH);
  const wanted = new Map(copy.hosts.map(({ name, at }) => [renamed(name), [0, 1].map((k) => (at[k] - around[k] + to[k]) * INCH)]));
  const done = await edit({ kind: "batch", operations }, { wanted, said: copy.hosts.length === 1 ? `${[...names.values()][0]} is a copy of ${copy.hosts[0].name}.` : `${copy.hosts.length} ${drawing.noun}s are copied.` });
  if (done) chooseMany([...names.values()]);
  return done;
}

/** A copy of the chosen hosts beside them, with the links that they have to all others. */
export function duplicate() {
  const names = chosenHosts(), inside = new Set(names);
  if (!names.length || !offers("batch")) return null;
  const outside = state.drawing.arrows.filter((a) => !a.off && inside.has(a.from) !== inside.has(a.to));
  return put(copied(names), outside);
}

/** Put every chosen host into a zone whose name is asked for. */
export async function askZone(names) {
  const known = (state.drawing.zones ?? []).map((zone) => zone.name);
  const there = state.drawing.nodes.find((node) => node.name === names[0])?.zone ?? "";
  const zone = await askText(names.length === 1 ? `The zone of ${names[0]}` : `A zone for ${names.length} ${state.drawing.noun}s`, known.length ? `Its name (there are ${known.join(", ")}); - for none` : "Its name", there, "Put it there");
  if (zone) edit({ kind: "zone", names, zone: zone === "-" ? null : zone });
}

const onCanvas = () => !document.querySelector("dialog[open]") && !document.activeElement?.matches?.("input, textarea, select") && !state.line;

export function startSelecting() {
  addEventListener("copy", (event) => {
    const names = chosenHosts();
    if (!onCanvas() || !names.length || !String(getSelection() ?? "").trim() === false) return;
    event.clipboardData.setData("text/plain", JSON.stringify(copied(names)));
    event.preventDefault();
    say(names.length === 1 ? `${names[0]} is copied; Ctrl V puts it beside.` : `${names.length} ${state.drawing.noun}s are copied; Ctrl V puts them beside.`);
  });
  addEventListener("paste", (event) => {
    if (!onCanvas() || !offers("batch") || !offers("add_host")) return;
    let copy = null;
    try {
      copy = JSON.parse(event.clipboardData.getData("text/plain"));
    } catch {
      return;
    }
    if (!copy?.[SIGN] || !Array.isArray(copy.hosts) || !copy.hosts.length || copy.hosts.length > 150) return;
    event.preventDefault();
    put(copy);
  });
}
