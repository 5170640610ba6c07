/* The one state of the page, and how it changes.
 *
 * The document is what undo goes over: the scenario's text, which of its designs is looked at, where hosts
 * stand, and the links that were switched off here and can be switched on again. Everything else in the state
 * follows from it or is a matter of looking. Whoever shows something subscribes to the keys that it reads.
 */

import { bare } from "./arrangement.js";

const PAST = 200;

/** What belongs to one scenario, as it is when it has just been opened. */
const begun = (text, file, variant) => ({
  document: { text, variant, layout: {}, cut: [] },
  past: [],
  future: [],
  file,
  opened: { text, variant: null },
  against: "auto",
  drawing: null,
  problem: null,
  readings: null,
  reference: null,
  referenceDrawing: null,
  trained: null,
  selection: null,
  chosen: [],
  closed: null,
  found: [],
  linking: null,
  flowing: null,
  tool: null,
  line: null,
});

export const state = {
  ...begun("", { name: null, digest: null, saved: "" }, null),
  tab: "answer",
  board: null,
  neverShown: false,
  never: [],
  asked: null,
  said: "",
  refused: "",
};

const listeners = [];

/** Have a function called, once for each change, when one of these keys has changed. */
export function subscribe(keys, act) {
  listeners.push([new Set(keys), act]);
}

/** Change some keys of the state and tell those who read them. */
export function change(patch) {
  const changed = Object.keys(patch).filter((key) => state[key] !== patch[key]);
  if (!changed.length) return;
  Object.assign(state, patch);
  for (const [keys, act] of listeners) if (changed.some((key) => keys.has(key))) act(changed);
}

/** A new document after an act of the user; the one before can be had back. */
export function commit(patch, said, more = {}) {
  const step = { document: state.document, said };
  change({
    past: [...state.past, step].slice(-PAST),
    future: [],
    document: { ...state.document, ...patch },
    said,
    ...more,
  });
}

/** The document with a part that is no act of the user: nothing to undo. */
export function amend(patch) {
  change({ document: { ...state.document, ...patch } });
}

function travel(from, to, word) {
  const step = state[from].at(-1);
  if (!step) return;
  const back = { document: state.document, said: step.said };
  change({
    [from]: state[from].slice(0, -1),
    [to]: [...state[to], back],
    document: step.document,
    said: `${word}: ${step.said}`,
    line: null,
  });
}

export const undo = () => travel("past", "future", "Undone");
export const redo = () => travel("future", "past", "Done again");

/** Begin with another scenario: nothing of the last one is left. */
export function open(text, file, variant = null) {
  change(begun(text, file, variant));
}

export const isDirty = () => state.document.text !== state.file.saved;

/** The design that the current one is held against: as opened, the base, or another that was chosen. */
export function referenceOf() {
  const { document, opened, against } = state;
  if (against === "opened" || (against === "auto" && document.variant === null)) return { ...opened, name: "as opened" };
  const variant = against === "auto" || against === "base" ? null : against;
  return { text: document.text, variant, name: variant ?? "base" };
}

/** One string for a design, to remember answers by: how it is arranged changes none of them. */
export const keyOf = ({ text, variant }) => `${variant ?? ""}\u0000${bare(text)}`;

/** What was answered lately, by key; the oldest is forgotten first. */
export function memory(size) {
  const kept = new Map();
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size > size) kept.delete(kept.keys().next().value);
      return value;
    },
  };
}
