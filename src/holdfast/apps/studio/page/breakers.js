/* What must never be added: links that would cost the proof, as dashed red arrows, and words for one that is being drawn.
 *
 * The question is asked when it is first needed, by the switch or by a link that is begun, and again for each design as
 * long as the switch is on. What was answered is remembered by the design's text.
 */

import { itemOf } from "./canvas.js";
import { button, byId, h, plural } from "./dom.js";
import { offers, say } from "./edits.js";
import { lookup } from "./lookup.js";
import { change, state, subscribe } from "./store.js";

/** What must never be added to the design in sight. */
export const dangers = lookup("fragile", { more: () => ({ keep: null, kinds: ["link"] }) });

/** Whether the question makes sense: links can be added. */
export const dangersShown = () => offers("add_link");

const TOLD = 4;
let pointed = null, said = null;

/** The links that would cost the proof, each by itself. */
function single({ breakers }) {
  return breakers.filter(({ additions }) => additions.length === 1).map((breaker) => {
    const [from, to] = breaker.additions[0].replace(/^link /, "").split(" -> ");
    return { from, to, words: `must never be added: ${breaker.breaks}. The attack: ${breaker.attack}` };
  });
}

function show() {
  const found = dangers.get();
  if (found === said) return;
  said = found;
  change({ never: state.neverShown && found?.holds ? single(found) : [] });
  if (state.neverShown && found) say(summary(found));
  if (pointed && found) tell(...pointed);
}

const what = ({ keep }) => (keep === "held" ? "that it holds" : "that the attacker can be driven out");

function summary(found) {
  if (!found.holds) return "The design does not hold, so that no link can cost a proof.";
  const n = single(found).length;
  return `${n || "No"} new ${n === 1 ? "link" : "links"} would cost the proof ${what(found)}.`;
}

/** The answer for a panel: a sentence, the first few links, and a switch that draws all of them. */
export function showDangers(found) {
  const links = single(found), more = links.length - TOLD, several = found.breakers.length - links.length;
  const together = several ? ` ${plural(several, "set")} of links would do so together.` : "";
  return [
    h("p", {}, summary(found), together),
    links.length > 0 && h("ul", { class: "points" }, links.slice(0, TOLD).map(({ from, to }) => h("li", {}, `${from} → ${to}`)), more > 0 && h("li", { class: "quiet" }, `and ${more} more`)),
    links.length > 0 && button(state.neverShown ? "Hide them on the design" : "Show them on the design", toggle, { "aria-pressed": String(state.neverShown), "data-key": "show-never" }),
  ];
}

/** Say whether a link between two hosts would cost the proof. */
export function tell(from, to) {
  pointed = from && to && from !== to ? [from, to] : null;
  if (!pointed || state.board || state.drawing.arrows.some((arrow) => arrow.from === from && arrow.to === to && !arrow.off)) return;
  const found = dangers.get();
  if (!found) {
    dangers.ask();
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
  // A play on the canvas has the colours to itself.
  change({ neverShown: !state.neverShown, line: null });
}

export function startBreakers() {
  byId("breakers").addEventListener("click", toggle);
  byId("canvas").addEventListener("pointerover", hover);
  byId("canvas").addEventListener("focusin", hover);
  subscribe(["drawing"], () => { byId("breakers").hidden = !offers("add_link"); });
  subscribe(["neverShown"], () => byId("breakers").setAttribute("aria-pressed", String(state.neverShown)));
  subscribe(["document", "neverShown"], () => {
    pointed = said = null;
    change({ never: [] });
    if (!state.neverShown) return;
    dangers.ask();
    show();
  });
  subscribe(["asked"], show);
}
