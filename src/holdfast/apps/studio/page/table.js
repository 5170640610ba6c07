/* The table of readings as the server has it: what each is called, how it is written, and where it is shown. */

import { state } from "./store.js";

let rows = [], sides = [];

/** The rows, as the last drawing had them. */
export const table = () => (rows = state.drawing?.axes ?? rows);

/** The sides of the radar, each with the label of its reading. */
export function radarSides() {
  sides = state.drawing?.radar ?? sides;
  return sides.map((side) => ({ ...side, label: table().find((row) => row.key === side.key)?.label ?? side.key }));
}

/** The rows that are shown where there is room for few. */
export const brief = () => table().filter((row) => row.brief);
