/* A line of moves on the canvas: an attack that cannot be stopped, the way to a tight spot, or a play.
 *
 * A line is a row of positions and a place in it; the canvas shows the hosts as they are there. Whoever opens a line is
 * its owner (why, play) and shows the steps. All moves of both players up to a position lead there again, whatever
 * line they came from, so another reply is only a question with one more move.
 */

import { ask, isUnwanted } from "./api.js";
import { button, byId, fill, h, own } from "./dom.js";
import { refuse } from "./edits.js";
import { spoken } from "./spoken.js";
import { change, state, subscribe } from "./store.js";

const PACE = 1300;
let timer = 0;

/** The actions that led to a position of the line. */
export const movesTo = (line, at) => line.positions.slice(1, at + 1).map((position) => position.move.action).filter(Boolean);

/** Ask for positions; a failure is said, and null. */
export async function askPlay(more) {
  try {
    return await ask("play", "play", more);
  } catch (error) {
    if (!isUnwanted(error)) refuse(error.message);
    return null;
  }
}

/** Show a line, at a place in it. */
export function openLine(line, at = 0) {
  pause();
  change({ line: { playing: false, ...line, at: Math.min(at, line.positions.length - 1) } });
}

export function closeLine() {
  pause();
  change({ line: null });
}

/** Go to a place of the line. */
export function goTo(at) {
  const { line } = state;
  if (!line) return;
  const within = Math.max(0, Math.min(at, line.positions.length - 1));
  if (within !== line.at) change({ line: { ...line, at: within } });
}

export function stepLine(by) {
  pause();
  if (state.line) goTo(state.line.at + by);
}

export function pause() {
  clearInterval(timer);
  timer = 0;
  if (state.line?.playing) change({ line: { ...state.line, playing: false } });
}

/** Play from here, from the start if it has ended, or pause. */
export function toggleLine() {
  const { line } = state;
  if (!line) return;
  if (line.playing) return pause();
  const last = line.positions.length - 1;
  change({ line: { ...line, playing: true, at: line.at >= last ? 0 : line.at } });
  timer = setInterval(() => {
    if (!state.line || state.line.at >= state.line.positions.length - 1) return pause();
    goTo(state.line.at + 1);
    if (state.line.at >= state.line.positions.length - 1) pause();
  }, PACE);
}

// -- on the canvas --------------------------------------------------------------------------------------

/** The node that an action is about: the name in its brackets. */
export function aimOf(action) {
  const inside = /\(([^)]*)\)/.exec(action ?? "")?.[1];
  return state.drawing?.nodes.some((node) => node.name === inside) ? inside : null;
}

const PLAYERS = { defender: "Defender", adversary: "Attacker" };

function boardOf(line) {
  const position = line.positions[line.at], before = line.positions[line.at - 1];
  const changed = before ? Object.keys(position.values).filter((name) => position.values[name] !== own(before.values, name)) : [];
  return { values: position.values, changed, aimed: aimOf(position.move?.action), shut: position.shut ?? [] };
}

function captionOf(line) {
  const position = line.positions[line.at], broken = (position.clauses ?? []).filter((clause) => clause.side === "defender" && clause.accepting === false);
  const words = position.move ? position.move.sentence : line.title;
  const last = line.at === line.positions.length - 1 && line.ending && !broken.length;
  // The buttons come first and stay where they are while the words change.
  return [controls(line), h("p", {}, words, broken.length > 0 && h("strong", { class: "bad-words" }, ` Broken: ${broken.map((clause) => spoken(clause.label)).join("; ")}`), last && h("strong", {}, ` ${spoken(line.ending)}`))];
}

function show() {
  const { line } = state;
  change({ board: line ? boardOf(line) : null });
  const caption = byId("caption");
  caption.hidden = !line;
  if (line) fill(caption, ...captionOf(line));
}

/** Point at a host from the panel. */
export function aim(name) {
  if (state.line) change({ board: { ...boardOf(state.line), aimed: name } });
}

/** The buttons of a line. */
export function controls(line) {
  const last = line.positions.length - 1;
  return h("div", { class: "controls", role: "group", "aria-label": "Line" },
    button("|◀", () => stepLine(-line.positions.length), { "aria-label": "To the start", disabled: !line.at, "data-key": "first" }),
    button("◀", () => stepLine(-1), { "aria-label": "A step back", title: "A step back (J)", disabled: !line.at, "data-key": "back" }),
    button(line.playing ? "Pause" : "Play", toggleLine, { title: "P", class: "main", "data-key": "toggle" }),
    button("▶", () => stepLine(1), { "aria-label": "A step on", title: "A step on (K)", disabled: line.at >= last, "data-key": "on" }),
    last > 0 && h("span", { class: "quiet number" }, `${line.at} of ${last}`),
    button("Close", closeLine, { class: "plain", "data-key": "close" }));
}

/** The moves of a line, each a place to go to. */
export function steps(line) {
  return h("ol", { class: "steps" }, line.positions.slice(1).map(({ move, rank }, k) =>
    h("li", { class: move.player }, button([h("span", { class: "who" }, PLAYERS[move.player] ?? move.player), h("span", {}, move.sentence ?? move.action)], () => { pause(); goTo(k + 1); },
      { class: "plain", "aria-current": line.at === k + 1 ? "step" : null, "data-key": `step-${k + 1}`, title: rank === null || rank === undefined ? "" : `lost within ${rank}` }))));
}

const NOTHING = "do nothing";

/** The actions of a position by kind; those that change nothing are one, which comes first. */
function byKind(actions) {
  const kinds = new Map();
  for (const action of actions) {
    const still = !action.effect && !action.why?.startsWith("not ");
    const [, kind, about] = /^([^(]*)(?:\((.*)\))?$/.exec(action.name) ?? [null, action.name, ""];
    const under = still ? NOTHING : kind;
    if (still && kinds.has(NOTHING)) continue;
    kinds.set(under, [...(kinds.get(under) ?? []), { ...action, about: still ? NOTHING : about || kind, still }]);
  }
  return [...kinds].sort(([a], [b]) => (b === NOTHING) - (a === NOTHING));
}

/** The actions of a position as chips; where hints are wanted, those that lose are marked, and say why under pointer or focus. */
export function chips(actions, pick, saidIn, hints = true) {
  const tell = (action) => {
    const why = hints && (action?.why ?? (action?.safe === false ? "loses" : "permitted"));
    byId(saidIn).textContent = action ? `${action.still ? NOTHING : action.name}: ${[why, action.effect].filter(Boolean).join("; ")}` : "";
    aim(action ? aimOf(action.name) : null);
  };
  const chip = (action) => button(action.about, () => pick(action.name), {
    class: `chip ${!hints ? "" : action.safe === false ? "lost" : "safe"}`, "data-key": `act-${action.name}`, "aria-label": `${action.still ? NOTHING : action.name}${hints && action.safe === false ? ", loses" : ""}`,
    title: hints ? action.why ?? "" : "", onmouseenter: () => tell(action), onmouseleave: () => tell(null), onfocus: () => tell(action), onblur: () => tell(null) });
  return h("div", { class: "chips" }, byKind(actions).map(([kind, all]) => h("div", { role: "group", "aria-label": kind }, kind !== NOTHING && h("span", { class: "kind" }, kind), all.map(chip))));
}

export function startLine() {
  subscribe(["line"], show);
}
