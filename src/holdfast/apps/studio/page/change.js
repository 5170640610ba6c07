/* What to change: the list of recommend. A click applies a change to the design in sight. */

import { advice, changeItem, tried } from "./advice.js";
import { byId, fill, h, isHeld, plural } from "./dom.js";
import { whenSeen } from "./panel.js";
import { keyOf, state } from "./store.js";

const list = (title, all, base, why) => all?.length > 0 && h("section", {}, h("h3", {}, title), h("ul", { class: "changes" }, all.map((found, k) => changeItem(found, base, why?.[k] && `${why[k]}.`))));

function contents(found) {
  if (!found.defensible) {
    const least = found.repairs?.[0]?.cost;
    return [
      h("p", {}, found.repairs?.length ? `It would hold with one of these. The cheapest costs ${least}, and nothing cheaper is enough.` : found.pending ? "Nothing is known yet." : "No change on the list makes it hold."),
      list("What makes it hold", found.repairs),
      found.droppable?.length > 0 && h("section", {}, h("h3", {}, "What could be given up"), h("p", { class: "quiet" }, "Not a design, but a smaller promise: it would hold without one of these."), h("ul", { class: "list" }, found.droppable.map((clause) => h("li", {}, h("code", {}, clause))))),
    ];
  }
  return [
    h("p", {}, found.improvements?.length ? "It holds. These make it hold better, and none of them is outdone by another:" : found.pending ? `It holds. ${tried(found)}` : "It holds, and no single change makes it better."),
    list("What makes it better", found.improvements, found.base, found.reasons),
    list("Outdone by one of those", found.dominated, found.base),
    found.covered && h("p", { class: "quiet" }, `Looked at: ${found.covered}; ${plural(found.n_solved ?? 0, "design")} solved.`),
  ];
}

function show() {
  const found = advice.get(), panel = byId("panel-change");
  if (isHeld(panel, keyOf(state.document), show)) return;
  fill(panel, found ? contents(found) : null, found?.undecided && h("p", { class: "quiet" }, found.undecided), advice.status(found?.coming?.length ? `Still looking for ${found.coming.join(", ")}` : "Solving what could be changed"));
}

export function startChange() {
  whenSeen("change", ["document", "asked"], () => {
    advice.ask();
    show();
  });
}
