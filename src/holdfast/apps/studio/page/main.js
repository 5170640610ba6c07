/* The studio starts: the parts, then the work of this window or the file that was asked for. */

import { startAnswer } from "./answer.js";
import { startAnswers } from "./answers.js";
import { get } from "./api.js";
import { startBreakers } from "./breakers.js";
import { startCanvas } from "./canvas.js";
import { startChange } from "./change.js";
import { startContextMenu } from "./contextmenu.js";
import { startDesigns } from "./designs.js";
import { byId } from "./dom.js";
import { placeNewcomers } from "./edits.js";
import { askOpen, notice, offerAbandoned, openNamed, save, saveAs, startFiles } from "./files.js";
import { openFind, startFind } from "./find.js";
import { startInspector } from "./inspector.js";
import { startKeys } from "./keys.js";
import { startLegend } from "./legend.js";
import { startLine, stepLine, toggleLine } from "./line.js";
import { startLookups } from "./lookup.js";
import { openTab, startPanel } from "./panel.js";
import { startPlay } from "./play.js";
import { startPointer } from "./pointer.js";
import { startRules } from "./rules.js";
import { restored, startSession } from "./session.js";
import { change, subscribe } from "./store.js";
import { startSelecting } from "./selecting.js";
import { startText } from "./text.js";
import { prepareTour, startTour } from "./tour.js";
import { startView } from "./view.js";
import { startWhy } from "./why.js";

/** The system's colours until the reader chooses; the choice is kept. */
function startTheme() {
  const root = document.documentElement, toggle = byId("theme"), preference = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (preference.matches ? "dark" : "light")) === "dark";
  const name = () => { toggle.textContent = isDark() ? "Light" : "Dark"; toggle.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours"); };
  if (localStorage.getItem("holdfast-theme")) root.dataset.theme = localStorage.getItem("holdfast-theme");
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem("holdfast-theme", root.dataset.theme);
    name();
  });
  preference.addEventListener("change", name);
  name();
}

async function begin() {
  const before = await restored();
  const { opened, tour } = await get("/api/files");
  prepareTour(tour);
  if (before?.document?.text) change(before);
  else if (opened) await openNamed(opened);
  else startTour();
  if (!before) await offerAbandoned();
}

startTheme();
startPanel();
startAnswers();
startLookups();
startCanvas();
startView();
startLegend();
startInspector();
startPointer();
startFind();
startSelecting();
startContextMenu();
startBreakers();
startAnswer();
startLine();
startWhy();
startRules();
startChange();
startDesigns();
startPlay();
startFiles();
startText();
startKeys({ save, saveAs, open: askOpen, find: openFind, tab: openTab, toggle: toggleLine, step: stepLine });
startSession();
subscribe(["drawing"], placeNewcomers);
begin().catch((error) => notice(`${error.message} Open the address that the studio printed when it started.`));
