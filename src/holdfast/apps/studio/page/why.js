/* Why: the attack on a lost design, move by move; the tight spots and margins of one that is held. */

import { ask, isUnwanted } from "./api.js";
import { button, byId, count, fill, h, plural } from "./dom.js";
import { edit } from "./edits.js";
import { askPlay, chips, controls, movesTo, openLine, steps, toggleLine } from "./line.js";
import { whenSeen } from "./panel.js";
import { keyOf, memory, state } from "./store.js";

const explanations = memory(30);
let running = null, failure = null, replies = null;

async function explain() {
  const key = keyOf(state.document);
  if (explanations.get(key) || running === key) return;
  [running, failure] = [key, null];
  try {
    explanations.set(key, await ask("explain", "explain"));
  } catch (error) {
    if (!isUnwanted(error)) failure = error;
  }
  if (running === key) running = null;
  if (state.tab === "why") show();
}

// -- the attack -----------------------------------------------------------------------------------------

async function showAttack() {
  const found = await askPlay({ side: "none", moves: [] });
  if (found) openLine({ ...found, owner: "why", title: "The attack begins here." });
}

/** Another reply of the defender at this place; the attack answers, and goes on to the end. */
async function reply(action) {
  const { line } = state;
  const found = await askPlay({ side: "none", moves: [], from: [...movesTo(line, line.at), action] });
  if (!found) return;
  openLine({ ...found, owner: line.owner, title: line.title }, line.at + 1);
  toggleLine();
}

/** The defender's moves at this place of the line, asked for when it is reached. */
async function askReplies(line) {
  const key = `${keyOf(state.document)}\u0000${movesTo(line, line.at).join("\u0000")}`;
  if (replies?.key === key) return;
  replies = { key, actions: null };
  const found = await askPlay({ side: "both", moves: [], from: movesTo(line, line.at) });
  if (found && replies.key === key) {
    replies = { key, actions: found.actions };
    if (state.tab === "why") show();
  }
}

function replySection(line) {
  const position = line.positions[line.at];
  if (position.mover !== "defender" || line.playing) return null;
  if (position.clauses?.some((clause) => clause.side === "defender" && clause.accepting === false)) return null;
  askReplies(line);
  return h("section", { class: "replies" }, h("h3", {}, line.at < line.positions.length - 1 ? "Try another reply" : "The defender’s moves here"),
    h("p", { id: "why-said", class: "said", role: "status" }),
    replies.actions ? chips(replies.actions, reply, "why-said") : h("p", { class: "quiet" }, "…"));
}

function attack(found) {
  const { line } = state;
  const own = line?.owner === "why";
  return [
    h("p", {}, `Whatever the defender does, the requirement is violated within ${plural(found.rank, "move")}.`),
    own ? controls(line) : button("Show the attack on the design", () => showAttack().then(toggleLine), { class: "main", "data-key": "attack" }),
    own && steps(line),
    own && replySection(line),
    repairs(found),
  ];
}

function repairs({ repairs: found }) {
  const sets = (found?.sets ?? []).filter((parts) => parts.every((part) => part.kind !== "clause"));
  if (!sets.length) return null;
  return h("section", {}, h("h3", {}, "What the attack depends on"), h("p", { class: "quiet" }, "Without any one of these it would fail:"),
    h("ul", { class: "list" }, sets.map((parts) => h("li", {}, parts.map((part) => h("code", {}, part.becomes ? `${part.name} → ${part.becomes}` : part.name)),
      parts.every((part) => part.kind === "link") && button("Switch off", () => edit({ kind: "apply", changes: parts.map((part) => `cut ${part.name}`) }), { class: "plain", "data-key": `repair-${parts.map((part) => part.name)}` })))));
}

// -- a held design --------------------------------------------------------------------------------------

async function showSpot(spot, title) {
  const from = spot.play.map((step) => step.action);
  const found = await askPlay({ side: "both", moves: [], from });
  if (!found) return;
  openLine({ ...found, owner: "why", title }, found.positions.length - 1);
}

function spots(found) {
  const { tight, approach } = found, { line } = state;
  if (!tight) return null;
  const examples = [...(tight.examples ?? []), ...(approach?.example ? [approach.example] : [])];
  return h("section", {}, h("h3", {}, "Tight spots"),
    h("p", {}, `In ${count(tight.n_positions)} of ${count(tight.n_searched)} positions of safe play only ${plural(tight.n_permitted, "action")} of ${tight.n_actions} ${tight.n_permitted === 1 ? "keeps" : "keep"} the requirement.`),
    h("ul", { class: "list" }, examples.map((spot, k) => h("li", {}, button("Show", () => showSpot(spot, spot.state), { "data-key": `spot-${k}`, "aria-label": `Show ${spot.state}` }), h("span", {}, h("code", {}, spot.state), h("br"), h("span", { class: "quiet" }, "only ", spot.permitted.slice(0, 4).join(", ")))))),
    line?.owner === "why" && [controls(line), line.at > 0 && steps(line), replySection(line)]);
}

function margins({ margins: all }) {
  const known = (all ?? []).filter((one) => one.holds !== null || one.fails !== null || one.always || one.never);
  if (!known.length) return null;
  return h("section", {}, h("h3", {}, "How much more it bears"),
    h("table", {}, h("thead", {}, h("tr", {}, ["bound", "holds with", "fails with"].map((word) => h("th", { scope: "col" }, word)))),
      h("tbody", {}, known.map((one) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, one.bound)),
        h("td", { class: "good-words" }, one.never ? "nothing" : one.always ? "any value" : h("code", {}, one.holds ?? "–")),
        h("td", { class: "bad-words" }, one.always ? h("span", { class: "quiet" }, "nothing") : one.fails ? h("code", {}, one.fails) : "–"))))));
}

function demands({ demands: found }) {
  if (!found?.breaches?.length) return null;
  return h("section", {}, h("h3", {}, "One step past what it demands"),
    h("ul", { class: "list" }, found.breaches.map((breach) => h("li", {}, h("span", {}, `${breach.restriction}: lost within ${plural(breach.rank, "move")}`)))));
}

function show() {
  const found = explanations.get(keyOf(state.document));
  const panel = byId("panel-why");
  if (state.problem) return fill(panel, h("p", { class: "quiet" }, "There is no design to explain."));
  if (failure) return fill(panel, h("p", { class: "bad-words" }, failure.message));
  if (!found) return fill(panel, h("p", { class: "quiet", role: "status" }, "Looking for the reasons…"));
  return fill(panel, found.defensible ? [spots(found), margins(found), demands(found)] : [attack(found), margins(found)]);
}

export function startWhy() {
  whenSeen("why", ["document", "drawing", "line", "problem"], () => {
    show();
    explain();
  });
}
