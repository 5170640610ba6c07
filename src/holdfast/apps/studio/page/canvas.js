/* The picture of the design, drawn as in the reports: nodes, links, zones, marks.
 *
 * Elements are kept from one drawing to the next, so that focus and pointer stay where they are. What differs from
 * the design that it is held against is blue where it was added and dashed orange where it is switched off. During a
 * play the boxes have the colours of their status, and say it in a word.
 */

import { byId, own, put, s } from "./dom.js";
import { drawFloor, drawOffers, sideOf, standing } from "./floor.js";
import { curve, frame, gate, head, middle, placesOf, plain, sizesOf } from "./geometry.js";
import { flowsOfLinks, isNeeded, linkName } from "./flows.js";
import { linkKey, routesOf } from "./routes.js";
import { drawShape, saysItself } from "./shapes.js";
import { state, subscribe } from "./store.js";
import { bundled, foldOf, zoneLook, zoneWords } from "./zones.js";

const kept = { nodes: new Map(), links: new Map(), zones: new Map() };

/** The places of all nodes in pixels, the size of their boxes, and which are in closed zones; a node that is dragged is where it is dragged to. */
export const scene = { places: new Map(), fold: null, size: { width: 90, height: 36, font: 13, padding: 15, title: 24 } };

const layer = (name) => byId(`layer-${name}`);

/** All links of the picture: those of the design, and those that are off and could be switched on. */
export function linksShown() {
  const { drawing, document, referenceDrawing } = state;
  const names = new Set(drawing.nodes.map((node) => node.name));
  const found = new Map();
  const before = referenceDrawing ? new Set(referenceDrawing.arrows.filter((a) => !a.off).map((a) => linkKey(a.from, a.to))) : null;
  for (const arrow of drawing.arrows) {
    const key = linkKey(arrow.from, arrow.to);
    found.set(key, { ...arrow, added: Boolean(before && !arrow.off && !before.has(key)) });
  }
  const gone = [...document.cut, ...(referenceDrawing?.arrows ?? []).filter((a) => !a.off).map((a) => [a.from, a.to])];
  for (const [from, to] of drawing.editable ? gone : []) {
    if (!found.has(linkKey(from, to)) && names.has(from) && names.has(to)) found.set(linkKey(from, to), { from, to, off: true });
  }
  return [...found.values()];
}

/** Keep one element for each item, make new ones, and take away those whose item is gone. */
function matched(kind, items, keyed, make) {
  const seen = new Set();
  for (const item of items) {
    const key = keyed(item);
    seen.add(key);
    if (!kept[kind].has(key)) {
      const element = make(item);
      kept[kind].set(key, element);
      layer(kind).append(element);
    }
  }
  for (const [key, element] of kept[kind]) {
    if (seen.has(key)) continue;
    element.remove();
    kept[kind].delete(key);
  }
  return (item) => kept[kind].get(keyed(item));
}

// -- zones ------------------------------------------------------------------------------------------

function drawZones() {
  const zones = (state.drawing.zones ?? []).map((zone) => ({ ...zone, frame: scene.fold?.frames.get(zone.name) ?? frame(zone.nodes, scene.places, scene.size) })).filter((zone) => zone.frame);
  const element = matched("zones", zones, (zone) => zone.name, ({ name }) => s("g", { class: "zone", role: "button", tabindex: 0, "data-zone": name }, s("rect", { rx: 9 }), s("text", { class: "title" }), s("text", { class: "words" }), s("text", { class: "words" })));
  for (const zone of zones) {
    const group = element(zone), [box, title, ...words] = group.children, { x, y, width } = zone.frame;
    const closed = zone.nodes.some((name) => scene.fold?.boxOf.has(name)), lines = closed ? zoneWords(zone) : ["", ""];
    put(box, zone.frame);
    put(title, closed ? { x: x + width / 2, y: y + 24 } : { x: x + 11, y: y + 17 });
    const text = `${closed ? "▸" : "▾"} ${zone.name}`;
    if (title.textContent !== text) title.textContent = text;
    words.forEach((element, k) => {
      put(element, { x: x + width / 2, y: y + 44 + 18 * k });
      element.textContent = lines[k] ?? "";
    });
    put(group, { class: `zone ${closed ? `closed ${zoneLook(zone)}` : ""}`, "aria-expanded": String(!closed), "aria-label": `Zone ${zone.name}, ${closed ? `closed: ${lines.filter(Boolean).join(", ")}` : "open"}` });
  }
}

// -- links ------------------------------------------------------------------------------------------

const madeLink = ({ from, to }) =>
  s("g", { class: "link", role: "switch", tabindex: -1, "data-from": from, "data-to": to },
    s("path", { class: "band" }), s("path", { class: "hit" }), s("path", { class: "line" }), s("path", { class: "head" }), s("path", { class: "gate" }), s("text", { class: "label" }));

function linkWords(link) {
  const words = [`${link.from} to ${link.to}`];
  if (link.never) words.push(link.words);
  if (link.off) words.push("switched off");
  if (link.added) words.push("added");
  if (link.blockable) words.push("can be blocked");
  if (link.filtered) words.push("filtered: nothing spreads along it");
  if (isNeeded(link.from, link.to)) words.push("needed");
  if (link.note) words.push(link.note);
  return words.join(", ");
}

/** The links with those that must never be added, of which some may be switched off just now. */
function withNever(links) {
  const found = new Map(links.map((link) => [linkKey(link.from, link.to), link]));
  for (const link of state.board ? [] : state.never) {
    const key = linkKey(link.from, link.to), there = found.get(key);
    if (!there || there.off) found.set(key, { ...there, ...link, never: true });
  }
  return found.values();
}

/** Links of a picture with closed zones: straight from box to box. */
function plainRoutes(links) {
  const ends = (name) => { const box = scene.fold.frames.get(name); return box && !scene.places.has(name) ? [[box.x + box.width / 2, box.y + box.height / 2], box] : [scene.places.get(name), scene.size]; };
  const all = new Set(links.map((link) => linkKey(link.from, link.to)));
  return new Map(links.map(({ from, to }) => {
    const [a, one] = ends(from), [b, other] = ends(to);
    return [linkKey(from, to), plain(a, b, one, all.has(linkKey(to, from)), other)];
  }));
}

function drawLinks(dragging) {
  const every = [...withNever(linksShown())].filter((link) => scene.places.has(link.from) && scene.places.has(link.to));
  const links = scene.fold ? bundled(every, scene.fold) : every;
  const routes = scene.fold ? plainRoutes(links) : routesOf(links, scene.places, scene.size, dragging || state.drawing.arrows.some((arrow) => !arrow.curve) ? null : () => draw());
  const many = links.length > 60;
  const flows = flowsOfLinks();
  const element = matched("links", links, (link) => linkKey(link.from, link.to), madeLink);
  const { selection, board } = state;
  for (const link of links) {
    const group = element(link);
    const controls = routes.get(linkKey(link.from, link.to));
    const [band, hit, line, tip, bar, label] = group.children;
    const uses = flows.get(linkName(link.from, link.to)) ?? [];
    const path = curve(controls);
    put(hit, { d: path });
    put(band, { d: uses.length || isNeeded(link.from, link.to) ? path : "" });
    put(line, { d: path });
    put(tip, { d: head(controls, many ? 7 : 9) });
    put(bar, { d: link.blockable && !link.label ? gate(controls) : "" });
    const [mx, my] = middle(controls);
    put(label, { x: mx.toFixed(1), y: my.toFixed(1), "font-size": (scene.size.font * 0.72).toFixed(1) });
    if (label.textContent !== (link.label ?? "")) label.textContent = link.label ?? "";
    const chosen = selection?.kind === "link" && selection.from === link.from && selection.to === link.to;
    const shut = board?.shut?.some(([from, to]) => from === link.from && to === link.to);
    const sources = link.members?.map((one) => one.from) ?? [link.from];
    const hot = board && !link.off && !shut && sources.some((name) => state.drawing.spreads?.includes(own(board.values, variableOf(name))));
    const switched = state.drawing.editable && (!link.never || link.off);
    const classes = ["link", link.off && "off", link.added && "added", link.never && "never", uses.length && "flowing", isNeeded(link.from, link.to) && "needed", chosen && "chosen", many && "thin", hot && "hot", shut && "shut"];
    put(group, {
      class: classes.filter(Boolean).join(" "),
      role: switched ? "switch" : "img",
      "aria-checked": switched ? String(!link.off) : null,
      "aria-label": linkWords(link),
    });
  }
}

// -- nodes ------------------------------------------------------------------------------------------

const variableOf = (name) => state.drawing.nodes.find((node) => node.name === name)?.variable ?? name;

const madeNode = ({ name }) =>
  s("g", { class: "node", role: "button", tabindex: -1, "data-name": name },
    s("path", { class: "way-in" }), s("path", { class: "way-in-head" }), s("rect", { class: "box", rx: 7 }), s("g", { class: "extra" }), s("text", { class: "name" }), s("text", { class: "status" }),
    s("circle", { class: "eye", r: 5 }), s("path", { class: "note-mark" }), s("circle", { class: "handle", r: 6 }));

/** An arrow from outside, for where trouble begins or can come in. */
function wayIn([x, y], name) {
  const { width, height } = scene.size;
  const left = x - width / 2;
  const free = [...scene.places].every(([other, [ox, oy]]) => other === name || ox + width / 2 < left - 50 || ox - width / 2 > left || Math.abs(oy - y) > height / 2 + 8);
  const from = free ? [left - 46, y] : [left + 4, y - height / 2 - 30];
  const to = free ? [left - 2, y] : [left + 14, y - height / 2 - 2];
  return [from, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], to];
}

function nodeWords(node, value) {
  const onward = state.drawing.arrows.filter((a) => a.from === node.name && !a.off).map((a) => a.to);
  const words = [node.label ?? node.name, ...node.marks];
  if (value !== undefined) words.push(`is ${own(state.drawing.legend, value) ?? value}`);
  if (node.zone) words.push(`in ${node.zone}`);
  if (node.note) words.push(node.note);
  return `${words.join(", ")}; ${onward.length ? `leads to ${onward.join(", ")}` : "leads nowhere"}`;
}

function drawNode(node, group) {
  const { board, drawing, selection, linking } = state;
  const [x, y] = scene.places.get(node.name), { width, height, font } = scene.size;
  // A system that is not drawn here is read here: its boxes say how they stand at the start.
  const value = board ? own(board.values, node.variable ?? node.name) : drawing.editable ? undefined : own(drawing.initial, node.name);
  const told = value !== undefined, tone = own(drawing.tones, value);
  const [way, tip, box, extra, name, status, eye, noted, handle] = group.children;
  const enters = node.marks.includes("entry") || node.marks.includes("exposed");
  const arrow = enters ? wayIn([x, y], node.name) : null;
  put(way, { d: arrow ? curve(arrow) : "" });
  put(tip, { d: arrow ? head(arrow, node.marks.includes("entry") ? 10 : 8) : "" });
  put(box, { x: x - width / 2, y: y - height / 2, width, height });
  const bare = drawShape(node, extra, [x, y], scene.size, value), own_words = saysItself(node) && told;
  put(name, { x, y: own_words ? y - height / 2 + font * 0.95 : told ? y - font * 0.34 : y, "font-size": font.toFixed(1) });
  put(status, { x, y: y + font * 0.72, "font-size": (font * 0.76).toFixed(1) });
  put(eye, { cx: x + width / 2, cy: y - height / 2 });
  put(noted, { d: node.note ? `M ${x - width / 2 + 2} ${y - height / 2 + 2} h 11 l -11 11 Z` : "" });
  put(handle, { cx: x + width / 2, cy: y });
  name.textContent = bare ? "" : node.label ?? node.name;
  status.textContent = told && !bare && !own_words ? `${value} ${own(drawing.legend, value) ?? ""}`.trim() : "";
  const was = !state.referenceDrawing || state.referenceDrawing.nodes.some((other) => other.name === node.name);
  const classes = ["node", node.shape && node.shape !== "box" && `shape-${node.shape}`, ...node.marks, tone && `tone-${tone}`, !was && "added",
    ((selection?.kind === "node" && selection.name === node.name) || state.chosen.includes(node.name)) && "chosen",
    state.found.includes(node.name) && "found",
    linking?.from === node.name && "linking",
    board?.changed?.includes(node.variable ?? node.name) && "changed",
    board?.aimed === node.name && "aimed"];
  put(group, { class: classes.filter(Boolean).join(" "), "aria-label": nodeWords(node, value) });
}

function drawNodes() {
  const nodes = scene.fold ? state.drawing.nodes.filter((node) => !scene.fold.boxOf.has(node.name)) : state.drawing.nodes;
  const element = matched("nodes", nodes, (node) => node.name, madeNode);
  for (const node of nodes) drawNode(node, element(node));
}

// -- all of it --------------------------------------------------------------------------------------

/** Draw the picture; `moved` has the places of nodes that are being dragged. */
export function draw(moved = null) {
  const { drawing, document } = state;
  byId("canvas").classList.toggle("editable", Boolean(drawing?.editable));
  byId("canvas").classList.toggle("playing", Boolean(state.board));
  if (!drawing) {
    for (const kind of Object.keys(kept)) matched(kind, [], String, null);
    drawFloor(null);
    drawOffers(null);
    return;
  }
  scene.size = { ...sizesOf(drawing), side: sideOf(drawing) };
  scene.places = placesOf(drawing, drawing.floor ? {} : document.layout);
  if (drawing.floor) for (const [name, at] of standing(drawing, state.board)) scene.places.set(name, at);
  drawFloor(drawing);
  scene.fold = foldOf(drawing, scene.places, scene.size);
  if (scene.fold) scene.places = scene.fold.places;
  for (const [name, at] of moved ?? []) scene.places.set(name, at);
  drawZones();
  drawLinks(moved !== null);
  drawNodes();
  drawOffers(drawing);
  rove();
}

/** One element of the canvas can be reached by the Tab key: the last that had the focus, else the first host. */
function rove() {
  const all = [...kept.nodes.values(), ...kept.links.values()];
  const { selection } = state;
  const chosen = selection && elementOf(selection);
  const stop = chosen ?? all.find((element) => element.getAttribute("tabindex") === "0") ?? all[0];
  for (const element of all) put(element, { tabindex: element === stop ? 0 : -1 });
}

/** The element of a node or of a link. */
export function elementOf(item) {
  return item.kind === "node" ? kept.nodes.get(item.name) : kept.links.get(linkKey(item.from, item.to));
}

/** What an element on the canvas stands for. */
export function itemOf(element) {
  const group = element?.closest?.(".node, .link");
  if (!group) return null;
  const { name, from, to } = group.dataset;
  return name === undefined ? { kind: "link", from, to } : { kind: "node", name };
}

export function startCanvas() {
  subscribe(["drawing", "document", "referenceDrawing", "selection", "chosen", "closed", "found", "linking", "board", "never"], () => draw());
}
