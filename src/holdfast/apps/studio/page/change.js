/* What to change: the list of recommend. A click applies a change to the design in sight. */

import { ask, isUnwanted } from "./api.js";
import { button, byId, fill, h, number, plural } from "./dom.js";
import { edit } from "./edits.js";
import { whenSeen } from "./panel.js";
import { keyOf, memory, state } from "./store.js";
import { brief } from "./table.js";

const lists = memory(30);
let running = null, failure = null;

async function recommend() {
  const key = keyOf(state.document);
  if (lists.get(key) || running === key) return;
  [running, failure] = [key, null];
  show();
  try {
    lists.set(key, await ask("recommend", "recommend"));
  } catch (error) {
    if (!isUnwanted(error)) failure = error;
  }
  if (running === key) running = null;
  if (state.tab === "change") show();
}

/** What a change would do to the readings, against the design as it is. */
function effects(found, base) {
  const parts = brief().map(({ key, label, group, whole, less, endless }) => {
    const valueIn = (design) => (group === "response" ? design?.response?.[key] : design?.[key]);
    const now = valueIn(found), before = valueIn(base);
    if (now === undefined || now === null) return null;
    const [a, b] = [before, now].map((one) => (one === endless ? Infinity : one));
    const moved = typeof a === "number" && typeof b === "number" && a !== b;
    const look = !moved ? "" : b < a === less ? "good-words" : "bad-words";
    const sign = !moved ? "" : b > a ? "▲ " : "▼ ";
    return h("span", { class: look }, `${label} ${sign}${number(now, whole ? 0 : 3)}`);
  });
  return h("span", { class: "effects" }, parts);
}

function item(found, base) {
  const words = found.changes.join(", ");
  return h("li", {}, h("div", {}, h("strong", {}, found.changes.map((change) => h("code", {}, change))), h("span", { class: "quiet" }, ` cost ${found.cost}`), effects(found, base)),
    button("Apply", () => edit({ kind: "apply", changes: found.changes }), { "data-key": `apply-${words}`, "aria-label": `Apply ${words}` }));
}

const list = (title, all, base) => all?.length > 0 && h("section", {}, h("h3", {}, title), h("ul", { class: "changes" }, all.map((found) => item(found, base))));

function contents(found) {
  if (!found.defensible) {
    const least = found.repairs?.[0]?.cost;
    return [
      h("p", {}, found.repairs?.length ? `At the least cost, ${least}, it would hold with one of these; nothing cheaper works.` : "No change on the list makes it hold."),
      list("What makes it hold", found.repairs),
      found.droppable?.length > 0 && h("section", {}, h("h3", {}, "What could be given up"), h("p", { class: "quiet" }, "Not a design, but a smaller promise: it would hold without one of these."), h("ul", { class: "list" }, found.droppable.map((clause) => h("li", {}, h("code", {}, clause))))),
    ];
  }
  return [
    h("p", {}, found.improvements?.length ? "It holds. These make it hold better, and none of them is outdone by another:" : "It holds, and no single change makes it better."),
    list("What makes it better", found.improvements, found.base),
    list("Outdone by one of those", found.dominated, found.base),
    found.covered && h("p", { class: "quiet" }, `Looked at: ${found.covered}; ${plural(found.n_solved ?? 0, "design")} solved.`),
  ];
}

function show() {
  const found = lists.get(keyOf(state.document));
  const panel = byId("panel-change");
  if (failure) return fill(panel, h("p", { class: "bad-words" }, failure.message));
  if (!found) return fill(panel, h("p", { class: "quiet", role: "status" }, "Solving what could be changed…"));
  return fill(panel, contents(found), found.undecided && h("p", { class: "quiet" }, found.undecided));
}

export function startChange() {
  whenSeen("change", ["document"], () => {
    show();
    recommend();
  });
}
