/* Elements, made in one line each. Text is always text: nothing here reads markup from a string. */

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "class" && typeof value !== "string" && !(element instanceof SVGElement)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element; attributes that begin with "on" are listeners. */
export const h = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** An SVG element. */
export const s = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/** Set attributes that differ; null takes one away. */
export function put(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
  return element;
}

/** What an object has under a name that comes from a file; "constructor" and its like are names as any other. */
export const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

/** An object with one name more, or with another value for it. */
export const withOwn = (object, name, value) => Object.fromEntries([...Object.entries(object), [name, value]]);

export const byId = (id) => document.getElementById(id);

/** Put new contents into a box, and leave it alone if it would look the same: focus and scrolling stay. */
export function fill(box, ...children) {
  const fresh = h("div", {}, ...children);
  if (fresh.innerHTML === box.innerHTML.replaceAll(' open="">', ">") && !fresh.querySelector("[data-live]")) return;
  const focus = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const unfolded = new Map([...box.querySelectorAll("details[data-fold]")].map((one) => [one.dataset.fold, one.open]));
  for (const one of fresh.querySelectorAll("details[data-fold]")) one.open = unfolded.get(one.dataset.fold) ?? one.open;
  box.replaceChildren(...fresh.childNodes);
  if (focus) box.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
}

const about = new WeakMap();

/** Whether a box must stay as it is: the pointer is on a button beside a change, and `subject` is still the same.
 *
 * Nothing moves under a hand that is about to press; `again` is called once the pointer has left.
 */
export function isHeld(box, subject, again) {
  const under = about.get(box) === subject && box.querySelector(".changes button:hover");
  about.set(box, subject);
  if (under) under.addEventListener("mouseleave", again, { once: true });
  return Boolean(under);
}

/** A button with a word. */
export const button = (word, act, more = {}) => h("button", { type: "button", onclick: act, ...more }, word);

/** A number as reports write it; a dash where there is none. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === "unbounded" || value === Infinity) return "∞";
  return typeof value === "number" ? value.toFixed(digits) : String(value);
}

/** A count with commas; past what a number can tell apart, its size. */
export function count(n) {
  if (n <= Number.MAX_SAFE_INTEGER) return n.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const [digits, power] = n.toExponential(3).split("e+");
  return `${digits} × 10^${power}`;
}

export const plural = (n, word, many = `${word}s`) => `${n} ${n === 1 ? word : many}`;

/** Wait until nothing has been asked for some time; only the last call counts. */
export function later(milliseconds, act) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}
