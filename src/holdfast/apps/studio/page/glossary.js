/* Words that want explaining: a click, a key or a touch on one shows the glossary's line, with a small picture where that helps. */

import { button, h, s } from "./dom.js";

let lines = null, open = null;

async function load() {
  lines ??= fetch("/page/glossary.json").then((answer) => answer.json());
  return lines;
}

const bar = (share) => s("svg", { viewBox: "0 0 120 16", role: "presentation" }, s("rect", { class: "whole", width: 120, height: 16, rx: 3 }), s("rect", { class: "share", width: 120 * share, height: 16, rx: 3 }));
const turns = (marked) => s("svg", { viewBox: "0 0 120 16", role: "presentation" }, Array.from({ length: 8 }, (_, k) => s("circle", { class: marked(k) ? "share" : "whole", cx: 8 + 15 * k, cy: 8, r: 5.5 })));
const rings = () => s("svg", { viewBox: "0 0 120 44", role: "presentation" }, [20, 14, 8].map((r, k) => s("circle", { class: k ? "ring" : "whole", cx: 60, cy: 22, r })), s("circle", { class: "share", cx: 60, cy: 22, r: 4 }));

/** Small pictures: a share of all positions, the turns in which one acts, the layers of the lost region. */
const PICTURES = { win: () => bar(0.47), slt: () => bar(0.72), effort: () => turns((k) => k === 1 || k === 4), tempo: () => turns((k) => k % 4 === 0), grace: () => turns((k) => k > 2), stp: rings, shell: rings };

function close() {
  open?.box.remove();
  open?.from.setAttribute("aria-expanded", "false");
  document.removeEventListener("pointerdown", outside, true);
  document.removeEventListener("keydown", escape, true);
  open = null;
}

const outside = (event) => open && !open.box.contains(event.target) && !open.from.contains(event.target) && close();

function escape(event) {
  if (event.key !== "Escape") return;
  const { from } = open;
  close();
  // What it explains may have been drawn anew meanwhile.
  (from.isConnected ? from : document.querySelector(`[data-key="${from.dataset.key}"]`))?.focus();
  event.stopPropagation();
}

async function show(from, anchor) {
  if (open?.from === from) return close();
  if (open) close();
  const entry = (await load())[anchor];
  const picture = PICTURES[anchor]?.();
  const box = h("div", { class: "gloss", role: "note", id: `gloss-${anchor}` }, h("strong", {}, entry?.word ?? anchor), h("p", {}, entry?.meaning ?? "There is no line on this word yet."), picture);
  document.body.append(box);
  const at = from.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${at.bottom + 6 + box.offsetHeight > innerHeight ? Math.max(8, at.top - box.offsetHeight - 6) : at.bottom + 6}px`;
  from.setAttribute("aria-expanded", "true");
  open = { box, from };
  document.addEventListener("pointerdown", outside, true);
  document.addEventListener("keydown", escape, true);
}

/** Where the glossary has a word that is written otherwise there. */
const ANCHORS = { "ddr*": "ddr-star", ddr_exact: "ddr-star", hold: "chance", evict: "recovery", recover: "recovery", "time to evict": "recovery", "time to recover": "recovery" };

/** A short word with its explanation behind it: what it is in words, and the letters or the mark that are pressed. */
export function term(name, shown, anchor = null) {
  const key = anchor ?? ANCHORS[String(shown).toLowerCase()] ?? String(shown).toLowerCase();
  return button(shown, (event) => show(event.currentTarget, key), { class: "term", "aria-expanded": "false", "aria-label": `${shown}: what is that?`, "data-term": key, "data-key": `term-${key}`, title: name });
}
