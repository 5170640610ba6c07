"use strict";

/* Theme: the system's until the reader chooses; the choice lasts as long as the page is open. */
const root = document.documentElement;
const toggle = document.getElementById("theme");
const preference = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme || (preference.matches ? "dark" : "light")) === "dark";
const nameToggle = () => { toggle.textContent = isDark() ? "Light colours" : "Dark colours"; };
toggle.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  nameToggle();
});
preference.addEventListener("change", nameToggle);
nameToggle();
toggle.hidden = false;

/* Sorting: first click ascending, second descending, third the original order. Missing values come last. */
function key(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value;
  if (value === undefined) return cell.textContent.trim();
  return /^-?\d+$/.test(value) ? BigInt(value) : Number(value);
}

function compare(a, b) {
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, "en", { numeric: true });
  return a < b ? -1 : a > b ? 1 : 0;
}

function sort(table, original, column, order) {
  const isNumber = (k) => typeof k !== "string";
  const keyed = original.map((row) => [key(row, column), row]);
  const numeric = keyed.some(([k]) => isNumber(k));
  const known = keyed.filter(([k]) => !numeric || isNumber(k));
  const missing = keyed.filter(([k]) => numeric && !isNumber(k));
  const sign = order === "descending" ? -1 : 1;
  if (order !== "none") known.sort(([a], [b]) => sign * compare(a, b));
  const rows = order === "none" ? original : [...known, ...missing].map(([, row]) => row);
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const original = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.ariaSort = "none";
    button.addEventListener("click", () => {
      const order = { none: "ascending", ascending: "descending", descending: "none" }[head.ariaSort];
      for (const other of heads) other.ariaSort = "none";
      head.ariaSort = order;
      sort(table, original, column, order);
    });
  });
}

/* What has to scroll sideways can be reached by keyboard. */
const reachable = () => {
  for (const box of document.querySelectorAll(".scroll, .drawing")) {
    const overflows = box.scrollWidth > box.clientWidth;
    box.toggleAttribute("data-overflows", overflows);
    if (overflows) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("resize", reachable);
reachable();
