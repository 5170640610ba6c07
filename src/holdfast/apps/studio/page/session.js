/* What survives a reload and a killed browser.
 *
 * Each window keeps its work in sessionStorage, which a reload finds again. A copy goes to localStorage under the
 * window's name; a window that starts with nothing looks there for work that belongs to no window that is open,
 * which a lock by the same name tells, and offers it. Two windows never write to the same place.
 */

import { callWindow, get, write } from "./api.js";
import { later } from "./dom.js";
import { isDirty, state, subscribe } from "./store.js";

const OWN = "holdfast-window", DRAFT = "holdfast-draft:";
const KEYS = ["document", "past", "future", "file", "opened", "against", "tab"];
const STEPS = 60;

let name = "";

/** Hold a lock for as long as the window lives; false if another window has it. */
function hold(lock) {
  return new Promise((answer) => {
    navigator.locks.request(lock, { ifAvailable: true }, (held) => {
      answer(held !== null);
      return held && new Promise(() => {});
    });
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The work of this window before a reload; null if it has none, or if the window is a copy of one that is open. */
export async function restored() {
  const before = parsed(sessionStorage.getItem(OWN));
  if (before?.name && (await hold(DRAFT + before.name))) {
    name = before.name;
    callWindow(name);
    return before.state ?? null;
  }
  name = crypto.randomUUID();
  await hold(DRAFT + name);
  callWindow(name);
  // A copied window goes on with the same work, under a name of its own.
  return before?.state ?? null;
}

/** Unsaved work that no open window has, the newest first. */
export async function abandoned() {
  const { held } = await navigator.locks.query();
  const alive = new Set(held.map((lock) => lock.name));
  const found = Object.keys(localStorage).filter((key) => key.startsWith(DRAFT) && !alive.has(key));
  const here = found.map((key) => ({ key, ...parsed(localStorage.getItem(key)) }));
  // The server keeps them too: a browser that was closed for good, or another one, finds them there.
  const { drafts } = await get("/api/drafts").catch(() => ({ drafts: [] }));
  const kept = drafts.map((draft) => ({ ...draft, key: DRAFT + draft.key })).filter((draft) => !alive.has(draft.key) && !found.includes(draft.key) && Date.now() - draft.when > FRESH);
  return [...here, ...kept].filter((draft) => draft.state?.document?.text).sort((a, b) => b.when - a.when);
}

/** Milliseconds in which a draft may be of a window that is open in another browser. */
const FRESH = 3_000;

export function discard(key) {
  localStorage.removeItem(key);
  return write("/api/draft", { key: key.slice(DRAFT.length), state: null }).catch(() => {});
}

let sent = null, pending = false;

/** Have the server keep the work, or forget it once it is saved: the text, and which file it belongs to. */
function send(more = {}) {
  pending = false;
  const draft = isDirty() ? { document: state.document, file: state.file, opened: state.opened, past: [], future: [] } : null;
  if (!draft && sent === null) return;
  sent = draft && state.document.text;
  write("/api/draft", { key: name, state: draft }, more).catch(() => {}); // a server that is gone is told elsewhere
}

const sendSoon = later(700, () => pending && send());

function keep() {
  if (!state.document.text) return;
  const whole = Object.fromEntries(KEYS.map((key) => [key, state[key]]));
  for (let steps = STEPS; ; steps = Math.floor(steps / 4)) {
    const kept = { ...whole, past: whole.past.slice(-steps || whole.past.length), future: whole.future.slice(-steps || whole.future.length) };
    if (!steps) kept.past = kept.future = [];
    try {
      sessionStorage.setItem(OWN, JSON.stringify({ name, state: kept }));
      if (isDirty()) localStorage.setItem(DRAFT + name, JSON.stringify({ when: Date.now(), state: kept }));
      else localStorage.removeItem(DRAFT + name);
      return;
    } catch {
      // The store is full: fewer steps back are kept.
      if (!steps) return;
    }
  }
}

export function startSession() {
  subscribe(KEYS, later(120, keep));
  subscribe(["document", "file"], () => {
    pending = true;
    sendSoon();
  });
  addEventListener("pagehide", () => {
    keep();
    if (pending) send({ keepalive: true });
  });
  addEventListener("beforeunload", (event) => isDirty() && event.preventDefault());
}
