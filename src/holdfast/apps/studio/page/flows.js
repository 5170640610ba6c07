/* What links are in use for: flows, and what advice must not touch. */

import { state } from "./store.js";

export const linkName = (from, to) => `${from} -> ${to}`;

export const isNeeded = (from, to) => state.drawing.settings?.keep.includes(linkName(from, to)) ?? false;

/** The links that flows take, each with the names of its flows. */
export function flowsOfLinks() {
  const found = new Map();
  for (const { name, paths } of state.drawing?.flows ?? []) {
    for (const path of paths) path.slice(1).forEach((to, k) => { const key = linkName(path[k], to); found.set(key, [...new Set([...(found.get(key) ?? []), name])]); });
  }
  return found;
}
