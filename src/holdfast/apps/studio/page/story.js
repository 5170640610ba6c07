/* The play that says why: the attack on a lost design, or how the attacker of a held one is got out or stays.
 *
 * The server tells it in sentences. Each is a place to go to on the canvas; where the defender moves, its other
 * replies stand by what comes of them, and any of them can be tried.
 */

import { button, h, own, plural } from "./dom.js";
import { download } from "./files.js";
import { askPlay, goTo, movesTo, openLine, pause, toggleLine } from "./line.js";
import { lookup } from "./lookup.js";
import { spoken } from "./spoken.js";
import { change, state } from "./store.js";

const FIRST = 3, LAST = 2;
let unfolded = null;

const asked = { defense: "slowest", goal: null };

/** The story of the design in sight. */
export const story = lookup("story", { more: () => ({ ...asked }) });

/** Tell it against another defense, or to another goal. */
function retell(patch) {
  Object.assign(asked, patch);
  pause();
  change({ line: null, asked: {} });
  story.ask();
}

const isShown = (found) => state.line?.story === found;

/** Open the story on the canvas, at a place of it. */
function show(found, at = 0) {
  if (isShown(found)) return goTo(at);
  openLine({ ...found, story: found, owner: "story", title: found.title }, at);
}

function play(found) {
  if (!isShown(found)) show(found);
  toggleLine();
}

/** Another reply of the defender at this place; the attack answers, and goes on to the end. */
async function attempt(found, at, action) {
  const line = { ...found };
  const other = await askPlay({ side: "none", moves: [], from: [...movesTo(line, at), action] });
  if (!other) return;
  openLine({ ...other, owner: "story", story: null, title: found.title, tried: { found, at, action } }, at + 1);
  toggleLine();
}

function reply(found, at, group, k) {
  const chips = group.actions.map((action) => button(action.replace("(", " ").replace(")", ""), () => attempt(found, at, action), { class: "chip", "data-key": `try-${at}-${action}`, "aria-label": `Try ${action}` }));
  const words = [h("strong", {}, group.words), h("span", { class: "quiet" }, `: ${group.outcome}`), group.taken && h("span", { class: "quiet" }, " (done here)")];
  if (group.actions.length === 1) return h("li", {}, words, " ", button("Try", () => attempt(found, at, group.actions[0]), { class: "plain", "data-key": `try-${at}-${group.actions[0]}`, "aria-label": `Try ${group.actions[0]}` }));
  return h("li", {}, h("details", { "data-fold": `replies-${at}-${k}` }, h("summary", {}, words), h("div", { class: "chips" }, h("div", {}, chips))));
}

/** The replies at a place, by what comes of them. */
function replies(found, at) {
  const groups = found.positions[at].replies ?? [];
  if (!groups.length) return null;
  return h("ul", { class: "replies", "aria-label": "All replies here" }, groups.map((group, k) => reply(found, at, group, k)));
}

const WHO = { defender: "D", adversary: "A" };

/** Who does what, one after the other: a timeline with a sentence for each move. */
function timeline(found) {
  const at = isShown(found) ? state.line.at : null;
  const scene = (position, k) => {
    const { move } = position, here = at === k + 1;
    return h("li", { class: move.player }, h("span", { class: "who", "aria-hidden": "true" }, WHO[move.player] ?? ""),
      h("div", {}, button(move.sentence, () => { pause(); show(found, k + 1); }, { class: "plain scene", "aria-current": here ? "step" : null, "data-key": `scene-${k + 1}` }),
        move.aside && h("span", { class: "quiet aside" }, ` ${spoken(move.aside)}`),
        here && replies(found, k)));
  };
  const scenes = found.positions.slice(1).map(scene), left = scenes.length - FIRST - LAST;
  if (at !== null || unfolded === found || left < 2) return h("ol", { class: "timeline" }, scenes);
  const more = h("li", { class: "more-moves" }, h("span", {}), button(`… ${left} more moves`, () => { unfolded = found; change({ asked: {} }); }, { class: "plain", "data-key": "all-moves" }));
  return h("ol", { class: "timeline" }, scenes.slice(0, FIRST), more, scenes.slice(-LAST));
}

function choices(found) {
  const goals = Object.keys(state.readings?.recovery ?? {});
  if (found.told === "attack" || found.told === "acting") {
    const pick = (value, words) => button(words, () => retell({ defense: value }), { class: "chip", "aria-pressed": String(asked.defense === value), "data-key": `defense-${value}` });
    return h("div", { class: "controls", role: "group", "aria-label": "Against whom" }, pick("slowest", "resisting as long as possible"), pick("acting", "acting at every turn"));
  }
  if (goals.length < 2) return null;
  const current = asked.goal ?? goals[0];
  return h("div", { class: "controls", role: "group", "aria-label": "To which end" }, goals.map((goal) => button(goal, () => retell({ goal: goal === goals[0] ? null : goal }), { class: "chip", "aria-pressed": String(goal === current), "data-key": `goal-${goal}` })));
}

const WORDS = { attack: "Play the attack", acting: "Play the attack", eviction: "Show how", trap: "Show why" };

/** The story with its buttons; `brief` leaves the sentences out until it is played. */
export function told(found, { brief = false } = {}) {
  if (!found?.told || found.positions.length < 2) return found?.ending ? h("p", {}, spoken(found.ending)) : null;
  const shown = isShown(found), { line } = state;
  const buttons = h("div", { class: "controls" },
    button(shown && line.playing ? "❚❚ Pause" : `▶ ${WORDS[found.told]}`, () => play(found), { class: "main", "data-key": "play-story" }),
    button("Send it…", () => download("animation", { ...asked }), { "data-key": "send", title: "One file that shows it moving; it opens anywhere, also on a phone" }),
    h("span", { class: "quiet" }, plural(found.positions.length - 1, "move")));
  const tried = line?.tried && own(line.tried, "found") === found ? h("p", { class: "over" }, `With ${line.tried.action}: ${line.over ?? "it goes on"} `, button("Back to the attack", () => show(found, line.tried.at), { class: "plain", "data-key": "untry" })) : null;
  const broken = found.told === "attack" || found.told === "acting";
  if (brief && !shown && !tried) return buttons;
  return [buttons, choices(found), tried, timeline(found), h("p", { class: broken ? "bad-words" : found.told === "trap" ? "open-words" : "good-words" }, spoken(found.ending))];
}
