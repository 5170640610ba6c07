/* The first screen: the answer in sentences, each part as soon as it is there.
 *
 * Of a lost design the attack, with Play beside it, and the cheapest fix; of a held one whether they can be got out, what
 * it asks of people, what would make it better and what must never be added. Numbers come after, folded.
 */

import { advice, bestChange, changeItem, tried } from "./advice.js";
import { reading } from "./answers.js";
import { dangers, dangersShown, showDangers } from "./breakers.js";
import { button, h, later, plural } from "./dom.js";
import { term } from "./glossary.js";
import { spoken } from "./spoken.js";
import { change, state } from "./store.js";
import { story, told } from "./story.js";
import { survival } from "./survival.js";
import { table } from "./table.js";

const QUIET = 700;

/** Slow questions are asked when nothing has changed for a moment and the verdict is there. */
const askSlow = later(QUIET, () => {
  const { readings, problem } = state;
  if (state.tab !== "answer" || problem || !readings?.certificate || (readings.pending && readings.response === undefined && readings.certificate.defensible)) return;
  advice.ask();
  // One after the other: a machine has few processors, and whoever looks elsewhere wants one, too.
  if (readings.certificate.defensible && dangersShown() && !advice.isRunning()) dangers.ask();
});

const part = (name, title, ...contents) => h("section", { class: "part", "data-part": name }, h("h3", {}, title), ...contents);

/** The sentence of a reading; undefined while it is not there. */
const says = (key) => state.readings?.says?.[key];

const sentence = (words) => (words ? `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}` : "");

/** Why a change is worth it, first of all what it does to the answer. */
const plainly = (why) => sentence(why?.replace(/^it then reaches .* on the ladder, and /, ""));

function attack() {
  const found = story.get();
  return part("attack", "How the attack succeeds", found ? [h("p", {}, found.title), told(found)] : story.status("Looking for the attack"));
}

function gettingOut() {
  const { value: profiles } = reading(state.readings, "recovery");
  if (!profiles || !Object.keys(profiles).length) return null;
  const found = story.get();
  const words = [says("evict"), says("recover")].filter(Boolean).map(sentence).join(" ");
  return part("recovery", ["Can they be driven out? ", term("time to evict", "recovery")], h("p", {}, words || "…"), found ? told(found, { brief: true }) : story.status("Looking how"));
}

/** What it asks of the people: effort, tempo and grace, a sentence each. */
function demands() {
  const rows = table().filter((row) => row.group === "response");
  const items = rows.map((row) => [row, says(row.key)]).filter(([, words]) => words);
  const none = reading(state.readings, "no_response").value;
  if (!items.length) return none ? part("demands", "What it asks of your people", h("p", { class: "quiet" }, sentence(none))) : null;
  return part("demands", "What it asks of your people", h("ul", { class: "points" }, items.map(([row, words]) => h("li", {}, sentence(words.replace(`${row.name}: `, "")), " ", term(row.name, row.label)))));
}

function better(held) {
  const found = advice.get(), best = found && bestChange(found);
  const title = held ? "What would make it better" : "The cheapest fix";
  if (!found || (!best && found.pending)) {
    const status = advice.status(held ? "Trying what could be changed" : "Looking for the cheapest fix");
    return part("advice", title, held && found && h("p", {}, tried(found)), status ?? h("p", { class: "quiet" }, "…"));
  }
  const more = button("All of them, under Change", () => change({ tab: "change" }), { class: "plain", "data-key": "to-change" });
  if (!best) return part("advice", title, h("p", {}, held ? "No single change makes it better." : "No change on the list makes it hold."), !held && more, advice.status(""));
  return part("advice", title, h("ul", { class: "changes" }, changeItem(best.best, null, plainly(best.why), { short: true })), best.others > 0 && h("p", {}, `${plural(best.others, "other way", "other ways")}: `, more), advice.status("Looking for more"));
}

function never() {
  if (!dangersShown()) return null;
  const found = dangers.get();
  if (!found) return part("never", "What must never be added", dangers.status("Trying every link that could be added") ?? h("p", { class: "quiet" }, advice.isRunning() ? "Links are tried once the changes above are known." : "…"));
  return part("never", "What must never be added", showDangers(found));
}

function likely() {
  const found = survival();
  return found && part("likely", ["How likely it holds ", term("HOLD", "chance")], found);
}

/** Ways in which the question asks less than it seems to. */
function caveats() {
  const found = (state.readings?.warnings ?? []).map((warning) => sentence(spoken(warning).replace(/clause \d+ of φ_D, /, "the rule ").replaceAll("φ_D", "the requirement").replaceAll("φ_A", "the threat model")));
  return found.length > 0 && h("div", { class: "over" }, found.map((warning) => h("p", {}, warning)));
}

/** The parts of the answer, in the order of the question. */
export function brief() {
  const { readings, problem } = state;
  if (problem || readings?.error || !state.drawing) return [];
  const { value: certificate } = reading(readings, "certificate");
  if (!certificate || !readings?.certificate) return [];
  const held = certificate.defensible;
  story.ask();
  askSlow();
  return held ? [caveats(), gettingOut(), likely(), demands(), better(true), never()] : [caveats(), attack(), likely(), better(false)];
}
