/* Why: the attack on a lost design and what it depends on; the tight spots and margins of one that is held. */

import { button, byId, count, fill, h, own, plural } from "./dom.js";
import { edit } from "./edits.js";
import { askPlay, chips, movesTo, openLine, toggleLine } from "./line.js";
import { lookup } from "./lookup.js";
import { whenSeen } from "./panel.js";
import { state } from "./store.js";
import { story, told } from "./story.js";

const reasons = lookup("explain-parts", { topic: "explain", part: "explanation" });
let replies = null;

/** "GW = X; all others = C" in the words that the model has for its letters. */
const spelled = (text) => text.replace(/ = (\w+)/g, (all, value) => ` ${own(state.drawing?.legend, value) ?? `= ${value}`}`);

// -- a lost design --------------------------------------------------------------------------------------

function attack() {
  const found = story.get();
  return h("section", {}, h("h3", {}, "How the attack succeeds"), found ? [h("p", {}, found.title), told(found)] : story.status("Looking for the attack"));
}

function repairs({ repairs: found }) {
  const sets = (found?.sets ?? []).filter((parts) => parts.every((part) => part.kind !== "clause"));
  if (!sets.length) return null;
  const words = (part) => (part.becomes ? [h("code", {}, part.name), " becomes ", h("code", {}, part.becomes)] : part.name.replaceAll(" -> ", " → "));
  return h("section", {}, h("h3", {}, "What the attack depends on"), h("p", { class: "quiet" }, "Without any one of these it would fail:"),
    h("ul", { class: "list" }, sets.map((parts) => h("li", {}, h("span", {}, parts.map((part, k) => [k > 0 && " and ", words(part)])),
      parts.every((part) => part.kind === "link") && button("Switch off", () => edit({ kind: "apply", changes: parts.map((part) => `cut ${part.name}`) }), { class: "plain", "data-key": `repair-${parts.map((part) => part.name)}` })))));
}

// -- a held design --------------------------------------------------------------------------------------

async function showSpot(spot, title) {
  const from = spot.play.map((step) => step.action);
  const found = await askPlay({ side: "both", moves: [], from });
  if (found) openLine({ ...found, owner: "why", title }, found.positions.length - 1);
}

/** Another reply at this place; the attack answers, and goes on to the end. */
async function reply(action) {
  const { line } = state;
  const found = await askPlay({ side: "none", moves: [], from: [...movesTo(line, line.at), action] });
  if (!found) return;
  openLine({ ...found, owner: line.owner, title: line.title }, line.at + 1);
  toggleLine();
}

/** The defender's moves at this place of the line, asked for when it is reached. */
async function askReplies(line) {
  const key = movesTo(line, line.at).join("\u0000");
  if (replies?.key === key && replies.positions === line.positions) return;
  replies = { key, positions: line.positions, actions: null };
  const found = await askPlay({ side: "both", moves: [], from: movesTo(line, line.at) });
  if (found && replies.key === key) {
    replies = { ...replies, actions: found.actions };
    if (state.tab === "why") show();
  }
}

function replySection(line) {
  const position = line.positions[line.at];
  if (position.mover !== "defender" || line.playing) return null;
  if (position.clauses?.some((clause) => clause.side === "defender" && clause.accepting === false)) return null;
  askReplies(line);
  return h("section", { class: "replies" }, h("h3", {}, "What the defender could do here"),
    h("p", { id: "why-said", class: "said", role: "status" }),
    replies.actions ? chips(replies.actions, reply, "why-said") : h("p", { class: "quiet" }, "…"));
}

function spots(found) {
  const { tight, approach } = found, { line } = state;
  if (!tight) return null;
  const examples = [...(tight.examples ?? []), ...(approach?.example ? [approach.example] : [])];
  const item = (spot, k) => h("li", {}, button("Show", () => showSpot(spot, `${spelled(spot.state)}.`), { "data-key": `spot-${k}`, "aria-label": `Show ${spot.state}` }),
    h("span", {}, spelled(spot.state), h("br"), h("span", { class: "quiet" }, "only ", spot.permitted.slice(0, 4).join(", "))));
  return h("section", {}, h("h3", {}, "Tight spots"),
    h("p", {}, `In ${count(tight.n_positions)} of ${count(tight.n_searched)} positions of safe play only ${plural(tight.n_permitted, "action")} of ${tight.n_actions} ${tight.n_permitted === 1 ? "keeps" : "keep"} the requirement.`),
    h("ul", { class: "list" }, examples.map(item)),
    line?.owner === "why" && replySection(line));
}

function margins({ margins: all }) {
  const known = (all ?? []).filter((one) => one.holds !== null || one.fails !== null || one.always || one.never);
  if (!known.length) return null;
  return h("section", {}, h("h3", {}, "How much more it tolerates"),
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
  const found = reasons.get(), panel = byId("panel-why");
  if (state.problem) return fill(panel, h("p", { class: "quiet" }, "There is no design to explain."));
  const lost = found ? !found.defensible : state.readings?.certificate?.defensible === false;
  return fill(panel, lost && attack(), found && (found.defensible ? [margins(found), spots(found), demands(found)] : [repairs(found), margins(found)]),
    reasons.status(found?.coming?.length ? `Still looking for ${found.coming.join(", ")}` : lost ? "Looking for what it depends on" : "Looking for the reasons"));
}

export function startWhy() {
  whenSeen("why", ["document", "drawing", "line", "problem", "asked", "readings"], () => {
    if (state.readings?.certificate?.defensible === false) story.ask();
    reasons.ask();
    show();
  });
}
