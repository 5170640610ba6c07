/* Questions to the user, as modal dialogs of the browser: Escape ends them, and the focus returns by itself. */

import { button, h } from "./dom.js";

function shown(dialog) {
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue);
    });
  });
}

let numbered = 0;

/** A dialog with a title, contents and a row of buttons; the words of the first button are the main act. */
export function dialog(title, contents, buttons, more = {}) {
  const id = `dialog-${(numbered += 1)}`;
  const box = h("dialog", { "aria-labelledby": id, ...more },
    h("form", { method: "dialog" },
      h("h2", { id }, title), contents,
      h("div", { class: "buttons" }, buttons.map(([word, value, look]) => h("button", { value, class: look ?? "" }, word)))));
  box.returnValue = "";
  return { box, done: shown(box) };
}

/** Ask for a line of text; null if nothing is wanted. */
export async function askText(title, label, value = "", word = "OK") {
  const field = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  field.value = value;
  const { done } = dialog(title, h("label", { class: "field" }, h("span", {}, label), field), [[word, "yes", "main"], ["Cancel", ""]]);
  field.select();
  return (await done) === "yes" && field.value.trim() ? field.value.trim() : null;
}

/** Ask whether to go on. */
export async function confirm(title, words, word, look = "main") {
  const { done } = dialog(title, h("p", {}, words), [[word, "yes", look], ["Cancel", ""]]);
  return (await done) === "yes";
}

/** A sheet to read, with one button to close it. */
export function sheet(title, contents, look = "") {
  return dialog(title, contents, [["Close", "", "main"]], { class: `sheet ${look}` }).done;
}

/** A small menu below a button; a choice closes it. */
export function menu(anchor, items) {
  const box = anchor.getBoundingClientRect();
  anchor.setAttribute("aria-expanded", "true");
  shownMenu(box.left, box.bottom + 4, items, anchor, () => anchor.setAttribute("aria-expanded", "false"));
}

/** A menu at a point of the screen; the focus goes back to what had it. */
export const menuAt = (x, y, items, anchor) => shownMenu(x, y, items, anchor ?? document.activeElement);

let closeLast = () => {};

function shownMenu(x, y, items, anchor, closed = () => {}) {
  closeLast();
  const list = h("div", { class: "menu", role: "menu" });
  const close = () => {
    list.remove();
    closed();
    document.removeEventListener("pointerdown", outside, true);
    closeLast = () => {};
  };
  closeLast = close;
  const outside = (event) => !list.contains(event.target) && close();
  for (const [word, act, hint] of items) {
    list.append(button(word, () => { close(); anchor?.focus?.(); act(); }, { role: "menuitem", title: hint ?? null }));
  }
  list.addEventListener("keydown", (event) => {
    const all = [...list.children], at = all.indexOf(document.activeElement);
    if (event.key === "Escape" || event.key === "Tab") { close(); anchor?.focus?.(); }
    else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(list);
  list.style.top = `${Math.max(6, Math.min(y, innerHeight - list.offsetHeight - 8))}px`;
  list.style.left = `${Math.max(6, Math.min(x, innerWidth - list.offsetWidth - 8))}px`;
  document.addEventListener("pointerdown", outside, true);
  list.firstChild?.focus();
}
