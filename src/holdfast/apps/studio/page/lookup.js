/* Questions that take a while, asked once for each design: what is known, what runs since when, and what went wrong.
 *
 * Parts of an answer are there as they come; what was found before somebody stopped it stays in sight. The panels show
 * the state of a question by `status`, with the seconds so far and a way to stop.
 */

import { ask, cancel, isUnwanted, stream } from "./api.js";
import { button, h } from "./dom.js";
import { change, keyOf, memory, state, subscribe } from "./store.js";

const TELL = 900;

/** Tell those who show answers that something has come of a question. */
const tell = () => change({ asked: {} });

/** A question about the design in sight.
 *
 * `more` gives the rest of its body, and decides what is the same question; `part` is where the lines of an answer that
 * comes in parts have what is known so far, beside what is still coming.
 */
export function lookup(name, { topic = name, more = () => ({}), part = null } = {}) {
  const known = memory(30);
  let running = null, failed = null, stopped = null;
  const key = () => `${keyOf(state.document)}\u0000${JSON.stringify(more())}`;

  async function begin(here, body) {
    [running, failed, stopped] = [{ key: here, since: Date.now() }, null, null];
    tell();
    try {
      if (part) {
        await stream(name, topic, body, (line) => {
          known.set(here, { ...line[part], coming: line.coming, pending: line.coming.length > 0 });
          if (running?.key === here) tell();
        });
      } else known.set(here, await ask(name, topic, body));
    } catch (error) {
      if (!isUnwanted(error)) failed = { key: here, error };
    }
    if (running?.key === here) running = null;
    tell();
  }

  // What runs about another design would only keep the answers about this one waiting.
  subscribe(["document"], () => {
    if (!running || running.key === key()) return;
    cancel(topic);
    running = null;
  });

  return {
    /** What is known of the design in sight; undefined while that is nothing. */
    get: () => known.get(key()),
    /** Ask, unless it is known, under way, or was stopped or refused already. */
    ask() {
      const here = key();
      const found = known.get(here);
      if (!state.document.text || (found && !found.pending) || running?.key === here || stopped === here || failed?.key === here) return;
      begin(here, more());
    },
    /** Ask again, whatever was said. */
    again() {
      begin(key(), more());
    },
    stop() {
      cancel(topic);
      stopped = running?.key ?? key();
      running = null;
      tell();
    },
    isRunning: () => running?.key === key(),
    /** How the question stands, in a line; nothing where it is answered. */
    status(words) {
      const here = key();
      if (running?.key === here) {
        return h("p", { class: "waiting", role: "status" }, h("span", { class: "spin", "aria-hidden": "true" }), h("span", {}, `${words}… `), h("span", { class: "number quiet", "data-since": running.since }),
          button("Stop", this.stop, { class: "plain", "data-key": `stop-${topic}`, "aria-label": `Stop: ${words}` }));
      }
      if (failed?.key === here) return h("p", { class: "bad-words" }, `${failed.error.message} `, button("Ask again", this.again, { class: "plain", "data-key": `again-${topic}` }));
      const found = known.get(here);
      if (stopped === here && (!found || found.pending)) return h("p", { class: "quiet" }, found?.coming?.length ? `Stopped; not looked for: ${found.coming.join(", ")}. ` : "Stopped. ", button("Go on", this.again, { class: "plain", "data-key": `again-${topic}` }));
      return null;
    },
  };
}

/** The seconds of what runs, counted in sight. */
export function startLookups() {
  setInterval(() => {
    for (const place of document.querySelectorAll("[data-since]")) {
      const seconds = Math.floor((Date.now() - Number(place.dataset.since)) / 1000);
      place.textContent = seconds ? `${seconds} s ` : "";
    }
  }, TELL);
}
