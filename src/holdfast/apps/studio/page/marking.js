/* Marks that matter for advice and chances: needed links, flows, costs, labels, notes, pace. */

import { dialog, askText } from "./dialogs.js";
import { button, h } from "./dom.js";
import { edit, refuse } from "./edits.js";
import { isNeeded, linkName } from "./flows.js";
import { change, state } from "./store.js";

export const toggleNeeded = (from, to) => edit(() => ({ kind: "keep", of: linkName(from, to), on: !isNeeded(from, to) }));

const wordsOf = (of, what) => (state.drawing.nodes.find((node) => node.name === of) ?? state.drawing.arrows.find((arrow) => arrow.name === of))?.[what] ?? "";

/** A line of text for a host or a link; an empty one takes it away. */
async function askWords(kind, of, title, label) {
  const before = wordsOf(of, kind) === of ? "" : wordsOf(of, kind);
  const field = h("input", { type: "text", autocomplete: "off" });
  field.value = before;
  const { done } = dialog(title, h("label", { class: "field" }, h("span", {}, label), field), [["Write it", "yes", "main"], ["Cancel", ""]]);
  field.select();
  if ((await done) === "yes" && field.value.trim() !== before) edit({ kind, of, text: field.value.trim() });
}

export const askLabel = (of) => askWords("label", of, of.includes("->") ? `The port or service of ${of}` : `What the picture calls ${of}`, of.includes("->") ? "Such as 443/tcp; empty for nothing" : "Such as db.corp.local; rules go on saying " + of);
export const askNote = (of) => askWords("note", of, `A note on ${of}`, "For those who read the picture; empty for none");

/** What it costs to switch a link off, for advice. */
export async function askCost(change_) {
  const before = state.drawing.settings.costs[change_] ?? "";
  const cost = await askText(`What it costs to ${change_}`, "A whole number; 1 where nothing is said", String(before || 1), "Set it");
  if (cost === null) return;
  if (!/^[1-9]\d{0,5}$/.test(cost)) return refuse("A cost is a whole number from 1 to 999999.");
  edit({ kind: "cost", change: change_, cost: Number(cost) });
}

export async function askPace() {
  const move = await askText("How long a move takes", "Such as 30 min, 2 h, 1 d; - for nothing", state.drawing.settings.pace || "30 min", "Set it");
  if (move) edit({ kind: "pace", move: move === "-" ? "" : move });
}

// -- flows ------------------------------------------------------------------------------------------------

/** Begin to draw a flow: click its hosts one after the other. */
export const drawFlow = () => change({ flowing: [], selection: null, chosen: [], linking: null });

/** One more host of the flow that is being drawn. */
export function extendFlow(name) {
  const path = state.flowing, last = path.at(-1);
  if (last === name) return finishFlow();
  if (last && !state.drawing.arrows.some((a) => !a.off && a.from === last && a.to === name)) return refuse(`There is no ${state.drawing.relation} from ${last} to ${name}; a flow follows them.`);
  change({ flowing: [...path, name], said: `The flow goes ${[...path, name].join(" → ")}; Enter ends it.` });
}

export async function finishFlow() {
  const path = state.flowing ?? [];
  change({ flowing: null });
  if (path.length < 2) return refuse("A flow takes at least one link.");
  const taken = new Set((state.drawing.flows ?? []).map((flow) => flow.name));
  let n = 1;
  while (taken.has(`flow${n}`)) n += 1;
  const name = await askText("A flow", `What uses ${path.join(" → ")}?`, `flow${n}`, "Add it");
  if (name) edit({ kind: "flow", name, path });
}

/** All flows, each to be taken away. */
export async function askFlow() {
  const rows = (state.drawing.flows ?? []).map(({ name, paths }) => h("li", {}, h("span", {}, h("strong", {}, name), ` ${paths.map((path) => path.join(" → ")).join(" or ")}`),
    button("Remove", (event) => { edit({ kind: "flow", name, path: [] }); event.target.closest("li").remove(); })));
  const { done } = dialog("Flows: what the network is used for", [rows.length ? h("ul", { class: "list" }, rows) : h("p", {}, "None yet.")], [["Draw a flow", "draw", "main"], ["Close", ""]]);
  if ((await done) === "draw") drawFlow();
}
