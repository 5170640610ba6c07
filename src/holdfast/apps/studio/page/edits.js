/* Acts of the user that change the scenario. The server edits the text; each act waits for the one before it. */

import { rememberDrawing } from "./answers.js";
import { ask, isUnwanted } from "./api.js";
import { bare, isArranged, withLayout } from "./arrangement.js";
import { linksShown, scene } from "./canvas.js";
import { own, withOwn } from "./dom.js";
import { freePlace, INCH, placed } from "./geometry.js";
import { amend, change, commit, state } from "./store.js";
import { centre } from "./view.js";

let queue = Promise.resolve();

/** Say something in the line under the canvas. */
export const say = (said) => change({ said });

/** Say there what could not be done, and why; it is told apart until something else is said. */
export const refuse = (said) => change({ said, refused: said });

/** Where every host stands now, in inches: what is placed stays there when the design changes. */
function frozen() {
  return Object.fromEntries([...scene.places].map(([name, [x, y]]) => [name, [x / INCH, y / INCH]]));
}

/** The layout with a place for hosts that are new. */
function settled(drawing, layout, wanted) {
  const places = new Map(Object.entries(layout).map(([name, at]) => [name, at.map((v) => v * INCH)]));
  let next = layout;
  for (const node of drawing.nodes) {
    if (places.has(node.name)) continue;
    const at = freePlace((wanted instanceof Map ? wanted.get(node.name) : wanted) ?? placed(node), places, scene.size);
    places.set(node.name, at);
    next = withOwn(next, node.name, at.map((v) => v / INCH));
  }
  return next;
}

function withCut(cut, { kind, from, to, name }) {
  const others = cut.filter(([a, b]) => !(a === from && b === to));
  if (kind === "cut_link") return [...others, [from, to]];
  if (kind === "add_link") return others;
  if (kind === "rename_host") return cut.map((pair) => pair.map((end) => (end === name ? to : end)));
  return cut;
}

/** After an edit of a file that is not arranged: what is in sight stays where it is, in this window. */
function looseAfter(next, drawn, operation, wanted) {
  let layout = state.drawing ? frozen() : {};
  if (operation.kind === "rename_host") layout = withOwn(layout, operation.to, own(layout, operation.name));
  if (!drawn) return { next, layout, drawing: null };
  return { next, drawing: rememberDrawing(next, drawn), layout: state.drawing ? settled(drawn, layout, wanted) : layout };
}

/** After an edit of a file that is arranged: a host that is new gets its place there, one that is gone has none. */
function arrangedAfter(next, drawn, operation, wanted) {
  if (!drawn || !["add_host", "remove_host", "batch"].includes(operation.kind)) return { next, layout: {}, drawing: drawn && rememberDrawing(next, drawn) };
  const gone = new Set([operation, ...(operation.operations ?? [])].filter((one) => one.kind === "remove_host").map((one) => one.name));
  const kept = Object.fromEntries(Object.entries(drawn.layout).filter(([name]) => !gone.has(name)));
  const text = withLayout(next.text, settled(drawn, kept, wanted));
  return { next: { ...next, text }, layout: {}, drawing: rememberDrawing({ ...next, text }, placedAs(drawn, settled(drawn, kept, wanted)), false) };
}

/** A drawing with boxes at places in inches. */
function placedAs(drawing, places) {
  const nodes = drawing.nodes.map((node) => { const at = own(places, node.name); return at ? { ...node, x: at[0], y: at[1] } : node; });
  return { ...drawing, nodes, layout: places };
}

/** Places as the file has them: to a hundredth of an inch. */
const rounded = (places) => Object.fromEntries(Object.entries(places).map(([name, at]) => [name, at.map((value) => Number(value.toFixed(2)))]));

/** Arrange the design: the places of all hosts, in inches, go into the text. */
export function arrange(places, said) {
  const { document, drawing } = state, all = rounded({ ...drawing.layout, ...places }), text = withLayout(document.text, all);
  if (text === null) return commit({ layout: places }, said);
  const drawn = rememberDrawing({ text, variant: document.variant }, placedAs(drawing, all), false);
  commit({ text, layout: {} }, said, { drawing: drawn });
}

async function perform(given, { wanted = null, variant, said = null } = {}) {
  const { document } = state;
  // What a switch does depends on how it stands when its turn comes.
  const operation = typeof given === "function" ? given() : given;
  if (!operation) return null;
  try {
    const answer = await ask("edit", "edit", { operation });
    const next = { text: answer.scenario, variant: variant !== undefined ? variant : answer.variant !== undefined ? answer.variant : document.variant };
    if (next.text === document.text && next.variant === document.variant) {
      change({ said: answer.said });
      return answer;
    }
    // The drawing that comes back is of the design that was edited; another one is asked for.
    const drawn = answer.drawing && next.variant === document.variant ? answer.drawing : null;
    const after = isArranged(next.text) ? arrangedAfter(next, drawn, operation, wanted) : looseAfter(next, drawn, operation, wanted);
    const more = drawn ? { drawing: after.drawing, problem: null } : {};
    commit({ ...after.next, layout: after.layout, cut: withCut(document.cut, operation) }, said ?? answer.said, { ...more, line: null });
    return answer;
  } catch (error) {
    if (isUnwanted(error)) return null;
    refuse(`${error.message}${error.hint ? ` ${error.hint}` : ""}`);
    throw error;
  }
}

/** Do one operation after those that were asked before; null if it was refused, and then the reason is said. */
export function edit(operation, more) {
  const done = queue.then(() => perform(operation, more));
  queue = done.catch(() => {});
  return done.catch(() => null);
}

/** The same for whoever shows the error itself. */
export function tryEdit(operation, more) {
  const done = queue.then(() => perform(operation, more));
  queue = done.catch(() => {});
  return done;
}

// -- what a click or a key means ----------------------------------------------------------------------

export const offers = (kind) => state.drawing?.operations?.includes(kind) ?? false;

/** Switch a link off if it is on, and on if it is off. */
export function toggleLink(from, to) {
  return edit(() => {
    const link = linksShown().find((one) => one.from === from && one.to === to);
    return link && { kind: link.off ? "add_link" : "cut_link", from, to };
  });
}

export function addLink(from, to) {
  if (from === to) return refuse(`A ${state.drawing.relation} leads from one ${state.drawing.noun} to another.`);
  if (state.drawing.arrows.some((a) => a.from === from && a.to === to && !a.off)) return refuse(`${from} already leads to ${to}.`);
  return edit({ kind: "add_link", from, to });
}

/** A name that is not taken: Host1, Host2, … */
export function freshName() {
  const taken = new Set(state.drawing.nodes.map((node) => node.name));
  let n = 1;
  while (taken.has(`Host${n}`)) n += 1;
  return `Host${n}`;
}

export async function addHost(at = null) {
  const name = freshName();
  const done = await edit({ kind: "add_host", name }, { wanted: at ?? centre() });
  if (done) change({ selection: { kind: "node", name } });
  return done && name;
}

export async function renameHost(name, to) {
  const done = await edit({ kind: "rename_host", name, to });
  if (done) change({ selection: { kind: "node", name: to } });
}

export async function removeHost(name, more = {}) {
  const done = await edit({ kind: "remove_host", name, ...more });
  if (done) change({ selection: null, chosen: [] });
}

export function toggleMark(name, mark) {
  return edit(() => {
    const node = state.drawing.nodes.find((one) => one.name === name);
    return node && { kind: "mark", name, mark, on: !node.marks.includes(mark) };
  });
}

export function toggleBlockable(from, to) {
  return edit(() => {
    const link = state.drawing.arrows.find((a) => a.from === from && a.to === to);
    return link && { kind: "blockable", from, to, on: !link.blockable };
  });
}

/** Put hosts somewhere else; places in pixels of the drawing. */
export function moveHosts(places) {
  const moved = Object.fromEntries([...places].map(([name, [x, y]]) => [name, [x / INCH, y / INCH]]));
  const names = Object.keys(moved);
  arrange({ ...frozen(), ...moved }, names.length === 1 ? `${names[0]} was moved.` : `${names.length} ${state.drawing.noun}s were moved.`);
}

/** Let the layout of the reports place everything again. */
export function layOut() {
  const { text } = state.document;
  commit({ layout: {}, text: isArranged(text) ? bare(text) : text }, "Laid out as in the reports.");
}

/** Look at another design of the same file. */
export function switchTo(variant) {
  if (variant === state.document.variant) return;
  commit({ variant, layout: state.drawing && !isArranged(state.document.text) ? frozen() : {} }, variant === null ? "Looking at the base." : `Looking at ${variant}.`, {
    line: null,
    selection: null,
  });
}

/** Hosts of another design that have no place yet get one that is free. */
export function placeNewcomers() {
  const { drawing, document } = state;
  if (!drawing || !Object.keys(document.layout).length) return;
  if (drawing.nodes.every((node) => own(document.layout, node.name))) return;
  amend({ layout: settled(drawing, document.layout, null) });
}
