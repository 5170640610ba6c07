/* Questions to the server. Each has a topic: a new question on a topic ends the one before it. */

import { bare } from "./arrangement.js";
import { state } from "./store.js";

const address = new URLSearchParams(location.search);
const token = address.get("token") ?? sessionStorage.getItem("holdfast-token") ?? "";
sessionStorage.setItem("holdfast-token", token);

const running = new Map();
let windowName = "";

/** Give this window its name, by which the server tells windows apart. */
export function callWindow(name) {
  windowName = name;
}

/** What the server refused, and where in the text. */
export class Refusal extends Error {
  constructor(status, { message, place = null, hint = null }) {
    super(message);
    this.status = status;
    this.place = place;
    this.hint = hint;
  }
}

/** Whether an error only says that nobody wants the answer any more. */
export const isUnwanted = (error) => error.name === "AbortError" || error.status === 409;

async function refusal(answer) {
  const text = await answer.text();
  try {
    return new Refusal(answer.status, JSON.parse(text).error);
  } catch {
    return new Refusal(answer.status, { message: text.slice(0, 300) || `the server answered ${answer.status}` });
  }
}

/** End what runs on a topic. */
export function cancel(topic) {
  running.get(topic)?.abort();
  running.delete(topic);
}

async function send(path, topic, options) {
  cancel(topic);
  const control = new AbortController();
  running.set(topic, control);
  try {
    const answer = await fetch(path, {
      ...options,
      signal: control.signal,
      headers: { "X-Holdfast-Token": token, ...(options.body ? { "Content-Type": "application/json" } : {}) },
    });
    if (!answer.ok) throw await refusal(answer);
    return answer;
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal(0, { message: "The studio's server does not answer; is it still running?" });
    throw error;
  }
}

/** Questions in which it matters where boxes stand. */
const WHOLE = new Set(["drawing", "edit", "download"]);

/** The body that every question has: the design looked at, or another one, and what is asked besides. */
function asked(name, topic, more) {
  const body = { scenario: state.document.text, variant: state.document.variant, window: windowName, topic, ...more };
  return JSON.stringify(WHOLE.has(name) ? body : { ...body, scenario: bare(body.scenario) });
}

/** Ask, and have one object. */
export async function ask(name, topic, more = {}) {
  const answer = await send(`/api/${name}`, topic, { method: "POST", body: asked(name, topic, more) });
  return answer.json();
}

/** Ask, and be given each line of the answer as soon as it is there. */
export async function stream(name, topic, more, take) {
  const answer = await send(`/api/${name}`, topic, { method: "POST", body: asked(name, topic, more) });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) {
      if (!line.trim()) continue;
      const found = JSON.parse(line);
      if (found.error) throw new Refusal(422, found.error);
      take(found);
    }
    if (done) return;
  }
}

export const get = async (path, topic = path) => (await send(path, topic, {})).json();

export const write = async (path, body, more = {}) => (await send(path, path, { method: "PUT", body: JSON.stringify(body), ...more })).json();

export const post = async (path, body) => (await send(path, path, { method: "POST", body: JSON.stringify(body) })).json();

/** A file that the server makes, as a blob with its name. */
export async function fetchFile(more) {
  const answer = await send("/api/download", "download", { method: "POST", body: asked("download", "download", more) });
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "");
  return { blob: await answer.blob(), name: named?.[1] ?? "holdfast" };
}
