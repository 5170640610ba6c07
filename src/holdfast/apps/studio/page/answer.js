/* The answer: the verdict, then what it means in sentences, then the readings, folded. Sentences are the server's. */

import { compared, reading } from "./answers.js";
import { brief } from "./brief.js";
import { byId, fill, h, isHeld, put } from "./dom.js";
import { whenSeen } from "./panel.js";
import { radar, showRadar } from "./radar.js";
import { capital, difference, readingsTable, rows, shells, valueOf } from "./readings.js";
import { ruleInWords } from "./spoken.js";
import { change, keyOf, referenceOf, state, subscribe } from "./store.js";
import { radarSides } from "./table.js";
import { dominances, training } from "./training.js";

// -- the verdict --------------------------------------------------------------------------------------

function verdict() {
  const { readings, problem } = state;
  const box = byId("verdict");
  const failed = problem ?? readings?.error;
  if (failed) return showVerdict("open", failed.status === 422 || failed.status === 400 ? "CANNOT BE READ" : "NO ANSWER", `${failed.message}${failed.place?.line ? ` (line ${failed.place.line}, column ${failed.place.column})` : ""}`, failed.hint ?? "");
  const { value: certificate, stale } = reading(readings, "certificate"), banner = certificate?.banner;
  box.classList.toggle("stale", stale);
  put(box, { "aria-busy": stale ? "true" : "false" });
  if (!banner) return showVerdict("open", "COMPUTING", "The game is being solved.", "");
  return showVerdict(banner.tone, banner.word, banner.sentence, stale ? null : movement(banner));
}

/** What is held or lost, where there is nothing to hold it against. */
function requirement() {
  const own = (state.drawing?.clauses ?? []).filter((clause) => clause.side === "defender");
  return own.length ? `Must hold: ${own.map(ruleInWords).join("; ")}.` : "";
}

/** The design that this one is held against, as a sentence names it. */
function theOther() {
  const { name } = referenceOf();
  return name === "as opened" ? "the design as opened" : name === "base" ? "the base" : `“${name}”`;
}

const TOLD = 3;

/** Some names, and how many more. */
const several = (names) => (names.length > TOLD + 1 ? `${names.slice(0, TOLD).join(", ")} and ${names.length - TOLD} more` : names.join(", "));

/** What became of the other design's verdict and readings, in a sentence; null while some are on their way. */
function movement(banner) {
  const before = compared(), then = before?.certificate?.banner, { readings } = state;
  if (!then) return requirement();
  const name = theOther();
  if (then.word !== banner.word) return `${capital(name)} was ${then.word.toLowerCase()}.`;
  if (readings.pending || before.pending) return null;
  const sides = { better: [], worse: [] };
  for (const row of rows()) {
    const [, look] = difference(row, valueOf(readings, row.key).value, valueOf(before, row.key).value);
    if (look) sides[look === "good-words" ? "better" : "worse"].push(row.name);
  }
  const parts = Object.entries(sides).filter(([, names]) => names.length).map(([word, names]) => `${word} in ${several(names)}`);
  return `Against ${name}: ${parts.join("; ") || "the same readings"}.`;
}

function showVerdict(tone, word, sentence, aside) {
  const box = byId("verdict"), last = box.querySelector(".was")?.textContent ?? "";
  for (const one of ["good", "bad", "open"]) box.classList.toggle(one, one === tone);
  // The live region speaks only when its words change.
  fill(byId("verdict-words"), h("strong", {}, word), " ", h("span", {}, sentence), h("span", { class: "was" }, aside ?? last));
}

// -- the tab ------------------------------------------------------------------------------------------

let drawn = null;

function against() {
  const { drawing, document, against: chosen } = state;
  const names = drawing?.variants ?? [];
  const own = document.variant === null;
  const options = [["auto", own ? "as opened" : "the base"], ...(own ? [] : [["opened", "as opened"]]), ...names.filter((name) => name !== document.variant).map((name) => [name, name])];
  return h("label", { class: "against" }, "against ",
    h("select", { "data-key": "against", onchange: (event) => change({ against: event.target.value }) },
      options.map(([value, name]) => h("option", { value, selected: value === chosen ? "" : null }, name))));
}

const LAMPS = { true: ["✓", "good-words"], false: ["✗", "bad-words"], null: ["?", "quiet"] };

/** The same question with weaker defenders: a lamp for each. */
function ladder() {
  const { value: rungs } = reading(state.readings, "ladder");
  if (!rungs?.length) return null;
  const lamp = ({ rung, words, defensible, within }) => {
    const [mark, look] = LAMPS[defensible], soon = within ? `; falls within ${within} moves` : "";
    return h("li", { "data-rung": rung }, h("span", { class: look }, `${mark} ${rung}`), h("span", { class: "says" }, words + soon));
  };
  const held = rungs.filter(({ defensible }) => defensible).length;
  return h("details", { class: "fold", "data-fold": "ladder" }, h("summary", {}, `If your people are slower or see less: it holds in ${held} of ${rungs.length} cases`), h("ul", { class: "ladder" }, rungs.map(lamp)));
}

/** What the answer takes for granted, and the option of the file that changes it. */
function assumptions() {
  const taken = reading(state.readings, "certificate").value?.assumptions ?? [];
  if (!taken.length) return null;
  return h("details", { class: "assumptions fold", "data-fold": "assumptions" }, h("summary", {}, "What the answer assumes"),
    h("ul", {}, taken.map(({ assumption, option }) => h("li", {}, assumption, option ? h("code", {}, ` ${option}`) : null))));
}

/** The radar; its sides come with the first drawing. */
function showFingerprint(figure, readings, before) {
  const sides = radarSides();
  if (!sides.length) return;
  if (!drawn) figure.append(drawn = radar(sides));
  const values = (of) => Object.fromEntries(sides.map(({ key }) => [key, valueOf(of, key).value]));
  const marks = { ddr: dominances.get(keyOf(state.document))?.mean };
  showRadar(drawn, sides, values(readings), before ? values(before) : null, marks, valueOf(readings, sides[0].key).stale);
}

const FOLD = "holdfast-readings";

/** The boxes of the panel, made once; whether the readings are unfolded is remembered. */
function frame(panel) {
  const more = h("details", { id: "answer-more", class: "fold" }, h("summary", {}, "All readings, and the design they are compared with"),
    h("div", { class: "head", id: "answer-head" }), h("figure", { class: "fingerprint" }), h("div", { id: "answer-table" }), h("div", { id: "answer-shells" }), h("div", { id: "answer-training" }));
  more.open = localStorage.getItem(FOLD) === "open";
  more.addEventListener("toggle", () => localStorage.setItem(FOLD, more.open ? "open" : "folded"));
  panel.append(h("div", { id: "answer-brief" }), h("div", { id: "answer-ladder" }), more);
}

function show() {
  const panel = byId("panel-answer");
  if (!panel.childElementCount) frame(panel);
  const { readings, drawing } = state;
  const before = compared();
  const parts = brief(), box = byId("answer-brief");
  if (!isHeld(box, keyOf(state.document), show)) fill(box, parts, drawing?.description && h("p", { class: "quiet lead" }, drawing.description));
  fill(byId("answer-ladder"), ladder(), assumptions());
  showFingerprint(panel.querySelector(".fingerprint"), readings, before);
  fill(byId("answer-head"), against(), h("span", { class: "computing", role: "status" }, readings?.pending ? "computing…" : readings?.undecided ?? ""));
  fill(byId("answer-table"), readingsTable());
  fill(byId("answer-shells"), shells());
  fill(byId("answer-training"), training());
}

export function startAnswer() {
  subscribe(["readings", "reference", "problem", "drawing"], verdict);
  whenSeen("answer", ["readings", "reference", "drawing", "trained", "against", "document", "asked", "line", "neverShown", "problem"], show);
}
