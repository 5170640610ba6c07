/* DDR by training, in the background. */

import { cancel, isUnwanted, stream } from "./api.js";
import { button, h, number } from "./dom.js";
import { change, keyOf, memory, state } from "./store.js";

export const dominances = memory(30);

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

export function training() {
  const { trained, readings } = state;
  const key = keyOf(state.document), known = dominances.get(key);
  if (trained && !trained.error) return progress(trained.key === key ? "trained" : "trained, of an earlier state");
  if (readings?.certificate && !readings.certificate.defensible) return h("p", { class: "quiet" }, "A lost design has no safe play to train.");
  if (trained?.key === key) return h("p", { class: "bad-words" }, trained.error.message, " ", button("Again", train, { "data-key": "train" }));
  if (!known) return h("p", {}, button("Train DDR", train, { "data-key": "train" }), h("span", { class: "quiet" }, " what two learning players settle at; takes a while, beside your work"));
  const { mean, low, high, settled } = known;
  return h("p", {}, h("strong", {}, `DDR ${number(mean, 3)}`), typeof low === "number" ? ` (${number(low, 3)} to ${number(high, 3)})` : "", settled === false ? ", not settled" : "", h("span", { class: "quiet" }, " learned; the diamond on the radar"));
}
