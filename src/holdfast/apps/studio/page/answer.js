/* The answer: verdict in words, readings against those of another design, radar and shells. Sentences are the server's. */

import { compared, reading } from "./answers.js";
import { isUnwanted, cancel, stream } from "./api.js";
import { button, byId, count, fill, h, number, put } from "./dom.js";
import { whenSeen } from "./panel.js";
import { radar, showRadar } from "./radar.js";
import { change, keyOf, memory, referenceOf, state, subscribe } from "./store.js";
import { survival } from "./survival.js";
import { radarSides, table } from "./table.js";

/** The rows of the table: every reading that needs no training. */
const rows = () => table().filter((one) => !one.learned);

/** One reading of a stream: undefined while it is not there, null where there is none. */
function valueOf(readings, key) {
  const known = readings?.values?.[key];
  if (known) return { value: known.value, ends: known, stale: false };
  if (readings && !readings.pending) return { value: readings.error ? undefined : null, ends: null, stale: false };
  const before = readings?.stale?.values?.[key];
  return { value: before?.value, ends: before ?? null, stale: true };
}

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
  return own.length ? `Must hold: ${own.map((clause) => clause.label).join("; ")}.` : "";
}

/** What became of the other design's verdict and readings, in a sentence; null while some are on their way. */
function movement(banner) {
  const before = compared(), then = before?.certificate?.banner, { readings } = state;
  if (!then) return requirement();
  const name = referenceOf().name;
  if (then.word !== banner.word) return `${capital(name)} it was ${then.word.toLowerCase()}.`;
  if (readings.pending || before.pending) return null;
  const sides = { better: [], worse: [] };
  for (const row of rows()) {
    const [, look] = difference(row, valueOf(readings, row.key).value, valueOf(before, row.key).value);
    if (look) sides[look === "good-words" ? "better" : "worse"].push(row.label);
  }
  const parts = Object.entries(sides).filter(([, labels]) => labels.length).map(([word, labels]) => `${word} in ${labels.join(", ")}`);
  return `Against ${name}: ${parts.join("; ") || "the same readings"}.`;
}

function showVerdict(tone, word, sentence, aside) {
  const box = byId("verdict"), last = box.querySelector(".was")?.textContent ?? "";
  for (const one of ["good", "bad", "open"]) box.classList.toggle(one, one === tone);
  // The live region speaks only when its words change.
  fill(byId("verdict-words"), h("strong", {}, word), " ", h("span", {}, sentence), h("span", { class: "was" }, aside ?? last));
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

// -- readings -----------------------------------------------------------------------------------------

/** An arrow up or down, good or bad for the defender. */
function difference(row, value, before) {
  const asNumber = (one) => (one === row.endless ? Infinity : one);
  const a = asNumber(before), b = asNumber(value);
  if (typeof a !== "number" || typeof b !== "number") {
    return typeof a === typeof b ? ["", "", ""] : [typeof b === "number" ? "now read" : "no longer", "", ""];
  }
  if (a === b) return ["same", "", "="];
  const better = row.less ? b < a : b > a;
  const by = Number.isFinite(a) && Number.isFinite(b) ? Math.abs(b - a) : Infinity;
  return [by === Infinity ? "" : `${b > a ? "+" : "−"}${number(by, row.whole ? 0 : 4)}`, !row.weighed ? "" : better ? "good-words" : "bad-words", b > a ? "▲" : "▼"];
}

function written(row, value, ends) {
  if (value === undefined) return "…";
  const digits = row.whole ? 0 : 3;
  if (value === null && typeof ends?.low === "number") return `${number(ends.low, digits)}–${number(ends.high, digits)}`;
  return number(value, row.whole ? 0 : row.digits);
}

function line(row) {
  const { key } = row, { readings } = state;
  const { value, ends, stale } = valueOf(readings, key);
  const before = compared();
  const then = before ? valueOf(before, key) : null;
  const [by, look, arrow] = then && value !== undefined && then.value !== undefined ? difference(row, value, then.value) : ["", "", ""];
  return h("tr", { class: stale ? "stale" : "", "data-axis": key },
    h("th", { scope: "row", title: row.meaning }, row.label),
    h("td", { class: "number value" }, written(row, value, ends)),
    h("td", {},
      before && h("span", { class: `delta ${look}` }, h("span", { class: "arrow", "aria-hidden": "true" }, arrow), by,
        then.value !== undefined && arrow && arrow !== "=" ? h("span", { class: "before" }, `was ${written(row, then.value, then.ends)}`) : null),
      h("span", { class: "says" }, stale ? "" : says(row, readings, value))));
}

function says(row, readings, value) {
  const sentence = readings?.says?.[row.key];
  return value !== undefined && sentence ? sentence.replace(`${row.name}: `, "") : "";
}

function readingsTable() {
  const before = compared();
  return h("table", { class: "readings" },
    h("caption", { class: "unseen" }, "Readings of the design"),
    h("thead", { class: "unseen" }, h("tr", {}, h("th", { scope: "col" }, "reading"), h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, before ? "change, and what it says" : "what it says"))),
    h("tbody", {}, rows().map(line)));
}

function shells() {
  const { value: now, stale } = reading(state.readings, "certificate");
  if (!now?.shells) return null;
  const before = compared()?.certificate;
  const open = Number(now.positions) - Number(now.unsafe);
  const share = (n, of) => (of ? Number(n ?? 0) / of : 0);
  const then = before?.shells ? Number(before.positions) - Number(before.unsafe) : 0;
  const depth = Math.min(12, Math.max(now.shells.length, before?.shells?.length ?? 0));
  const rows = [["held", now.winning, before?.winning], ...Array.from({ length: depth }, (_, k) => [`${k + 1}`, now.shells[k] ?? 0, before?.shells?.[k]])];
  return h("section", { class: `shells${stale ? " stale" : ""}` }, h("h3", {}, "Where positions are lost"),
    h("table", {}, h("caption", { class: "unseen" }, "Positions by the number of moves within which a violation can be forced"),
      h("tbody", {}, rows.map(([name, n, was]) => h("tr", { class: name === "held" ? "held" : "" },
        h("th", { scope: "row" }, name === "held" ? "held for ever" : `lost in ${name}`),
        h("td", { class: "bar" }, meter(share(n, open), before ? share(was, then) : null)),
        h("td", { class: "number" }, count(n)),
        h("td", { class: "number quiet" }, before && was !== undefined && String(was) !== String(n) ? `was ${count(was)}` : ""))))));
}

/** A bar for a share; a mark where the other design has it. */
function meter(share, before) {
  const bar = h("span", { class: "fill" }), box = h("span", { class: "meter" }, bar);
  bar.style.width = `${(100 * share).toFixed(2)}%`;
  if (before !== null) {
    const mark = h("span", { class: "mark" });
    mark.style.left = `${(100 * before).toFixed(2)}%`;
    box.append(mark);
  }
  return box;
}

// -- training -----------------------------------------------------------------------------------------

const dominances = memory(30);

/** Train in the background; the design may change meanwhile, and finds its DDR again when it comes back. */
async function train() {
  const key = keyOf(state.document);
  change({ trained: { key, progress: 0 } });
  try {
    await stream("train", "train", {}, (line) => {
      if (line.ddr) dominances.set(key, line.ddr);
      if (state.trained?.key === key) change({ trained: { ...state.trained, ...line } });
    });
    if (state.trained?.key === key) change({ trained: null });
  } catch (error) {
    if (state.trained?.key === key) change({ trained: isUnwanted(error) ? null : { key, error } });
  }
}

function stop() {
  cancel("train");
  change({ trained: null });
}

function progress(words) {
  const done = Math.round(100 * (state.trained.progress ?? 0));
  return h("p", { class: "training" }, h("progress", { max: 100, value: done, "aria-label": "Training" }), h("span", { class: "number" }, ` ${done}% ${words} `), button("Stop", stop, { "data-key": "stop" }));
}

function training() {
  const { trained, readings } = state;
  const key = keyOf(state.document), known = dominances.get(key);
  if (trained && !trained.error) return progress(trained.key === key ? "trained" : "trained, of an earlier state");
  if (readings?.certificate && !readings.certificate.defensible) return h("p", { class: "quiet" }, "A lost design has no safe play to train.");
  if (trained?.key === key) return h("p", { class: "bad-words" }, trained.error.message, " ", button("Again", train, { "data-key": "train" }));
  if (!known) return h("p", {}, button("Train DDR", train, { "data-key": "train" }), h("span", { class: "quiet" }, " what two learners settle at; takes a while, beside your work"));
  const { mean, low, high, settled } = known;
  return h("p", {}, h("strong", {}, `DDR ${number(mean, 3)}`), typeof low === "number" ? ` (${number(low, 3)} to ${number(high, 3)})` : "", settled === false ? ", not settled" : "", h("span", { class: "quiet" }, " learned; the diamond on the radar"));
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
  return [h("h3", {}, "With a weaker defender"), h("ul", { class: "ladder" }, rungs.map(lamp))];
}

/** What the answer takes for granted, and the option of the file that changes it. */
function assumptions() {
  const taken = reading(state.readings, "certificate").value?.assumptions ?? [];
  if (!taken.length) return null;
  return h("details", { class: "assumptions" }, h("summary", {}, "What is assumed"),
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

function show() {
  const panel = byId("panel-answer");
  if (!panel.childElementCount) {
    panel.append(h("div", { class: "head", id: "answer-head" }), h("figure", { class: "fingerprint" }), h("div", { id: "answer-table" }), h("div", { id: "answer-hold" }), h("div", { id: "answer-ladder" }), h("div", { id: "answer-shells" }), h("div", { id: "answer-training" }));
  }
  const { readings } = state;
  const before = compared();
  showFingerprint(panel.querySelector(".fingerprint"), readings, before);
  fill(byId("answer-head"), against(), h("span", { class: "computing", role: "status" }, readings?.pending ? "computing…" : readings?.undecided ?? ""));
  fill(byId("answer-table"), readingsTable());
  fill(byId("answer-hold"), survival());
  fill(byId("answer-ladder"), ladder(), assumptions());
  fill(byId("answer-shells"), shells());
  fill(byId("answer-training"), training());
}

export function startAnswer() {
  subscribe(["readings", "reference", "problem", "drawing"], verdict);
  whenSeen("answer", ["readings", "reference", "drawing", "trained", "against", "document"], show);
}
