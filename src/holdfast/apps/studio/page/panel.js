/* The panel beside the canvas: tabs, of which one is seen. A tab asks for what it needs when it is looked at. */

import { byId } from "./dom.js";
import { change, state, subscribe } from "./store.js";

const TABS = ["answer", "why", "rules", "change", "designs", "play"];

const shows = new Map();

/** Have a function called when a tab is seen, there is a scenario, and one of these keys has changed. */
export function whenSeen(tab, keys, act) {
  const seen = () => state.tab === tab && state.document.text && act();
  shows.set(tab, seen);
  subscribe(keys, seen);
}

export function openTab(index) {
  if (TABS[index]) {
    change({ tab: TABS[index] });
    byId(`tab-${TABS[index]}`).focus();
  }
}

function show() {
  for (const name of TABS) {
    const chosen = name === state.tab;
    const tab = byId(`tab-${name}`);
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(`panel-${name}`).hidden = !chosen;
  }
  shows.get(state.tab)?.();
}

export function startPanel() {
  for (const [index, name] of TABS.entries()) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => change({ tab: name }));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      openTab((index + by + TABS.length) % TABS.length);
    });
  }
  subscribe(["tab"], show);
  show();
}
