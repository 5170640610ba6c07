/* The designs of the file: a strip above the canvas, and the tab that compares, names and deletes them. */

import { ask, isUnwanted } from "./api.js";
import { askText, confirm } from "./dialogs.js";
import { button, byId, fill, h, number, plural } from "./dom.js";
import { edit, switchTo } from "./edits.js";
import { showPage } from "./files.js";
import { term } from "./glossary.js";
import { whenSeen } from "./panel.js";
import { keyOf, memory, state, subscribe } from "./store.js";
import { brief } from "./table.js";

const shown = memory(20);
let running = null, failure = null;

/** Keep the current state as a variant of its own, and look at it. */
export async function fork() {
  const name = await askText("Fork this design", "Name of the new variant", fresh(), "Fork");
  if (name) edit({ kind: "add_variant", name, from: state.document.variant }, { variant: name });
}

function fresh() {
  const taken = new Set(state.drawing?.variants ?? []);
  let n = 1;
  while (taken.has(`variant-${n}`)) n += 1;
  return `variant-${n}`;
}

async function rename(name) {
  const to = await askText(`Rename ${name}`, "New name", name, "Rename");
  if (to && to !== name) edit({ kind: "rename_variant", name, to }, { variant: state.document.variant === name ? to : state.document.variant });
}

async function remove(name) {
  if (await confirm(`Delete ${name}?`, "The variant goes from the file. Undo brings it back.", "Delete", "main bad")) {
    edit({ kind: "remove_variant", name }, { variant: state.document.variant === name ? null : state.document.variant });
  }
}

function strip() {
  const names = [null, ...(state.drawing?.variants ?? [])];
  const key = (name) => `design-${name ?? ""}`;
  fill(byId("designs"),
    names.map((name) => h("li", {}, button(name ?? "base", () => switchTo(name), { "aria-current": name === state.document.variant ? "true" : null, "data-key": key(name) }))),
    h("li", {}, button("+ Fork", fork, { title: "Keep this design as a variant and go on from it", "data-key": "fork" })));
}

// -- the comparison -------------------------------------------------------------------------------------

const wholeKey = () => keyOf({ text: state.document.text, variant: "" });

async function compare() {
  const key = wholeKey();
  if (shown.get(key) || running === key) return;
  [running, failure] = [key, null];
  try {
    shown.set(key, await ask("compare", "compare", { variants: null }));
  } catch (error) {
    if (!isUnwanted(error)) failure = error;
  }
  if (running === key) running = null;
  if (state.tab === "designs") show();
}

/** The verdict of a design, and whether they can be got out, in a few words. */
function verdictOf(found) {
  if (!found) return "";
  if (!found.defensible) return "not defensible";
  if (found.evict === undefined || found.evict === null) return "defensible";
  return `defensible; ${found.evict === "never" ? "they can stay for ever" : `they are out within ${found.evict} moves`}`;
}

/** The readings of the table; what the words say already is left out. */
const columns = () => brief().filter(({ key }) => key !== "evict");

function row(name, found) {
  const label = name ?? "base", current = name === state.document.variant;
  const verdict = found?.defensible;
  return h("tr", { class: current ? "current" : "" },
    h("th", { scope: "row" }, button(label, () => switchTo(name), { class: "plain", "data-key": `row-${label}`, "aria-current": current ? "true" : null }),
      h("span", { class: `word ${verdict === false ? "bad-words" : "good-words"}` }, verdictOf(found))),
    columns().map(({ key, whole }) => h("td", { class: "number" }, found ? number(found[key], whole ? 0 : 3) : "…")),
    h("td", { class: "acts" }, name !== null && [
      button("Rename", () => rename(name), { class: "plain", "data-key": `rename-${label}`, "aria-label": `Rename ${label}` }),
      button("Delete", () => remove(name), { class: "plain", "data-key": `delete-${label}`, "aria-label": `Delete ${label}` })]));
}

function show() {
  const comparison = shown.get(wholeKey());
  const rows = new Map((comparison?.entries ?? []).map((one) => [one.label, one]));
  const names = [null, ...(state.drawing?.variants ?? [])];
  const findings = comparison?.warnings ?? [];
  fill(byId("panel-designs"),
    h("div", { class: "head" }, h("span", { class: "group" }, button("Fork this design", fork, { "data-key": "fork-here", class: "main" })),
      h("span", { class: "computing", role: "status" }, comparison ? "" : failure ? "" : "comparing…")),
    failure && h("p", { class: "bad-words" }, failure.message),
    h("table", { class: "compared" }, h("caption", { class: "unseen" }, "All designs of the file"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "design"), columns().map(({ label, meaning }) => h("th", { scope: "col", class: "number" }, term(meaning, label))), h("th", { scope: "col" }, h("span", { class: "unseen" }, "acts")))),
      h("tbody", {}, names.map((name) => row(name, rows.get(name ?? "base"))))),
    findings.length > 0 && h("details", {}, h("summary", {}, `${plural(findings.length, "remark")} on comparing them`), h("ul", { class: "findings" }, findings.map((words) => h("li", {}, words)))),
    h("p", { class: "more" }, button("Open the comparison page", () => showPage("comparison"), { "data-key": "page" }), h("span", { class: "quiet" }, " all designs, with figures, in a new window")));
}

export function startDesigns() {
  subscribe(["drawing", "document"], strip);
  whenSeen("designs", ["drawing", "document"], () => {
    show();
    compare();
  });
}
