/* Thirty seconds on a design that is lost: the attack, the fix, the proof, and what must never come. */

import { get } from "./api.js";
import { elementOf } from "./canvas.js";
import { button, byId, h } from "./dom.js";
import { toggleLink } from "./edits.js";
import { askOpen, openLibrary } from "./files.js";
import { askGallery } from "./gallery.js";
import { askPlay, closeLine, openLine, toggleLine } from "./line.js";
import { change, open, state, subscribe } from "./store.js";

const WAY = ["VPN", "Database"];
let at = -1, tour = "";

const bypassed = () => !state.drawing?.arrows.some((a) => a.from === WAY[0] && a.to === WAY[1] && !a.off);

async function attack() {
  const found = await askPlay({ side: "none", moves: [] });
  if (!found) return;
  openLine({ ...found, owner: "tour", title: "The attack" });
  toggleLine();
  go(1);
}

async function cut() {
  closeLine();
  if (!bypassed()) await toggleLink(...WAY);
}

function never() {
  closeLine();
  if (!state.neverShown) byId("breakers").click();
  go(4);
}

const STEPS = [
  () => ["This shop is lost", "Somebody has taken over its VPN gateway. The picture shows who can reach whom; on the right stands whether those who run it can keep the database. They cannot.", ["Show me the attack", attack]],
  () => ["The attack", "It goes along the maintenance link, straight to the database, before anybody can react. Nothing that the defender does helps.", ["Now fix it", () => { closeLine(); go(2); }]],
  () => ["Cut the way around", "Click the arrow from VPN to Database to switch it off. The shop does not need it: what it is used for is green.", ["Do it for me", cut]],
  () => ["It holds", "Whatever the attacker does now, the rules can be kept: that is a proof, not a score. Undo brings the link back.", ["What must never come?", never]],
  () => ["What must never be added", "The dashed red arrows are links that would cost the proof. Whoever adds one later has been told.", ["Open an example", gallery]],
];

function show() {
  byId("tour")?.remove();
  for (const element of document.querySelectorAll(".toured")) element.classList.remove("toured");
  if (at < 0) return;
  const [title, words, [word, act]] = STEPS[at]();
  if (at === 2) elementOf({ kind: "link", from: WAY[0], to: WAY[1] })?.classList.add("toured");
  const card = h("section", { id: "tour", role: "region", "aria-label": "Tour" },
    h("p", { class: "quiet" }, `Tour, ${at + 1} of ${STEPS.length}`), h("h2", {}, title), h("p", {}, words),
    h("p", { class: "controls" }, button(word, act, { class: "main" }), at === STEPS.length - 1 ? button("Open a file", () => { end(); askOpen(); }) : button("Examples", gallery), button("End the tour", end, { class: "plain" })));
  byId("stage").append(card);
}

function go(step) {
  at = step;
  show();
}

function end() {
  go(-1);
  if (state.line?.owner === "tour") closeLine();
}

async function gallery() {
  const { library } = await get("/api/files");
  const name = await askGallery(library);
  if (!name) return;
  end();
  if (state.neverShown) change({ neverShown: false });
  await openLibrary(name);
}

/** Begin on the design of the tour. */
export function startTour(text = tour) {
  tour = text;
  open(text, { name: null, digest: null, saved: text });
  go(0);
}

/** Know the design of the tour, for when it is asked for. */
export function prepareTour(text) {
  tour = text;
  byId("tour-open").addEventListener("click", () => startTour());
  subscribe(["drawing"], () => { if (at === 2 && bypassed()) go(3); });
  subscribe(["opened"], () => { if (at >= 0 && state.opened.text !== tour) end(); });
}
