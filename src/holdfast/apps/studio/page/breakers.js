/* What must never be added: links that would cost the proof, as dashed red arrows, and words for one that is being drawn.
 *
 * The question is asked when it is first needed, by the switch or by a link that is begun, and again for each design as
 * long as the switch is on. What was answered is remembered by the design's text.
 */

import { ask, isUnwanted } from "./api.js";
import { itemOf } from "./canvas.js";
import { byId } from "./dom.js";
import { offers, say } from "./edits.js";
import { change, keyOf, memory, state, subscribe } from "./store.js";

const answers = memory(30);
let pointed = null;

const current = () => keyOf(state.document);

/** What is known of the design that is looked at; undefined while nobody has answered. */
const known = () => answers.get(current());

async function find() {
  const key = current();
  if (!state.document.text || answers.get(key)) return show();
  try {
    answers.set(key, await ask("fragile", "fragile", { keep: null, kinds: ["link"] }));
  } catch (error) {
    if (isUnwanted(error)) return;
    answers.set(key, { holds: null, breakers: [], error: error.message });
  }
  if (key === current()) show();
}

/** The links that would cost the proof, each by itself. */
function single({ breakers }) {
  return breakers.filter(({ additions }) => additions.length === 1).map((breaker) => {
    const [from, to] = breaker.additions[0].replace(/^link /, "").split(" -> ");
    return { from, to, words: `must never be added: ${breaker.breaks}. The attack: ${breaker.attack}` };
  });
}

function show() {
  const found = known();
  change({ never: state.neverShown && found?.holds ? single(found) : [] });
  if (state.neverShown && found) say(summary(found));
  if (pointed) tell(...pointed);
}

const what = ({ keep }) => (keep === "held" ? "that it holds" : "that the attacker can be got out");

function summary(found) {
  if (found.error) return `What must never be added could not be found: ${found.error}`;
  if (!found.holds) return "The design does not hold, so that no link can cost a proof.";
  const n = single(found).length;
  return `${n || "No"} new ${n === 1 ? "link" : "links"} would cost the proof ${what(found)}.`;
}

/** Say whether a link between two hosts would cost the proof. */
export function tell(from, to) {
  pointed = from && to && from !== to ? [from, to] : null;
  if (!pointed || state.board || state.drawing.arrows.some((arrow) => arrow.from === from && arrow.to === to && !arrow.off)) return;
  const found = known();
  if (!found) {
    find();
    return;
  }
  if (!found.holds) return;
  const breaker = single(found).find((one) => one.from === from && one.to === to);
  if (breaker) say(`${from} to ${to} ${breaker.words}.`);
  else say(`${from} to ${to} ${found.unfinished ? "may cost the proof: nobody knows yet" : "would not cost the proof"}${found.unfinished ? "" : ` ${what(found)}`}.`);
}

/** Tell of the link that is begun, or of one from the host that is chosen while the switch is on. */
function hover(event) {
  const from = state.linking?.from ?? (state.neverShown && state.selection?.kind === "node" ? state.selection.name : null);
  const item = itemOf(event.target), to = item?.kind === "node" ? item.name : null;
  if (from !== pointed?.[0] || to !== pointed?.[1]) tell(from, to);
}

function toggle() {
  change({ neverShown: !state.neverShown });
}

export function startBreakers() {
  byId("breakers").addEventListener("click", toggle);
  byId("canvas").addEventListener("pointerover", hover);
  byId("canvas").addEventListener("focusin", hover);
  subscribe(["drawing"], () => { byId("breakers").hidden = !offers("add_link"); });
  subscribe(["neverShown"], () => byId("breakers").setAttribute("aria-pressed", String(state.neverShown)));
  subscribe(["document", "neverShown"], () => {
    pointed = null;
    change({ never: [] });
    if (state.neverShown) find();
  });
}
