/* Find a host on the canvas: those that match are pointed out while one types, Enter goes from one to the next. */

import { scene } from "./canvas.js";
import { byId, h } from "./dom.js";
import { choose } from "./inspector.js";
import { change, state } from "./store.js";
import { goTo } from "./view.js";
import { openFor } from "./zones.js";

let at = -1;

/** Hosts whose name, zone or note has all the words; those that begin with them first. */
function matches(words) {
  const wanted = words.toLowerCase().trim().split(/\s+/).filter(Boolean);
  if (!wanted.length || !state.drawing) return [];
  const text = (node) => `${node.name} ${node.label ?? ""} ${node.zone ?? ""} ${node.note ?? ""} ${node.marks.join(" ")}`.toLowerCase();
  const found = state.drawing.nodes.filter((node) => wanted.every((word) => text(node).includes(word)));
  return found.sort((a, b) => Number(!a.name.toLowerCase().startsWith(wanted[0])) - Number(!b.name.toLowerCase().startsWith(wanted[0]))).map((node) => node.name);
}

function show(field, count) {
  const found = matches(field.value);
  change({ found });
  count.textContent = field.value ? `${found.length ? `${Math.max(0, at) + 1} of ` : ""}${found.length} found` : "";
  return found;
}

function go(field, count, by) {
  const found = matches(field.value);
  if (!found.length) return show(field, count);
  at = (at + by + found.length) % found.length;
  openFor(found[at]);
  change({ selection: { kind: "node", name: found[at] } });
  goTo(scene.places.get(found[at]));
  show(field, count);
}

export function closeFind() {
  byId("find")?.remove();
  change({ found: [] });
}

export function openFind() {
  if (byId("find")) return byId("find").querySelector("input").select();
  at = -1;
  const count = h("span", { class: "quiet", role: "status" });
  const field = h("input", { type: "text", "aria-label": "Find a host", placeholder: "Find a host, a zone, a mark", autocomplete: "off", spellcheck: "false" });
  field.addEventListener("input", () => { at = -1; show(field, count); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(field, count, event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      const { selection } = state;
      closeFind();
      if (selection) choose(selection);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  byId("stage").append(h("div", { id: "find", role: "search" }, field, count, h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: closeFind }, "×")));
  field.focus();
}

export function startFind() {
  byId("find-open").addEventListener("click", openFind);
}
