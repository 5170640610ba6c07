/* Mouse and touch on the canvas: drag hosts, draw links, switch links, pan and zoom. */

import { tell } from "./breakers.js";
import { draw, itemOf, scene } from "./canvas.js";
import { byId, put, s } from "./dom.js";
import { addHost, addLink, moveHosts, offers, toggleLink } from "./edits.js";
import { curve, plain } from "./geometry.js";
import { change, state } from "./store.js";
import { extendFlow } from "./marking.js";
import { askZone, chooseMany, chosenHosts, hostsIn, toggleChosen } from "./selecting.js";
import { pan, scale, worldAt, zoom } from "./view.js";
import { toggleZone } from "./zones.js";

const STILL = 4;
let gesture = null;
const fingers = new Map();
let pinched = null;

/** Two fingers: how far they are apart, and their middle. */
function spread() {
  const [[ax, ay], [bx, by]] = [...fingers.values()];
  return { far: Math.hypot(bx - ax, by - ay), x: (ax + bx) / 2, y: (ay + by) / 2 };
}

/** Pinch: the drawing follows two fingers. */
function pinch() {
  const now = spread();
  if (pinched) {
    zoom(now.far / (pinched.far || 1), now.x, now.y);
    pan(now.x - pinched.x, now.y - pinched.y);
  }
  pinched = now;
}

const lift = (event) => { fingers.delete(event.pointerId); pinched = null; };

/** The host under a point of the screen. */
function hostAt(x, y) {
  const item = itemOf(document.elementFromPoint(x, y));
  return item?.kind === "node" ? item.name : null;
}

function press(event) {
  if (event.button > 1) return;
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  if (fingers.size === 2) {
    if (gesture?.kind === "drag" && gesture.moved) draw();
    gesture = null;
    byId("rubber")?.remove();
    return;
  }
  const item = itemOf(event.target);
  const wantsLink = item?.kind === "node" && offers("add_link") && (event.target.classList.contains("handle") || event.shiftKey || state.linking);
  gesture = { item, offer: event.target.closest?.(".offer")?.dataset.action, zone: event.target.closest?.(".zone.closed, .zone .title")?.closest(".zone").dataset.zone, x: event.clientX, y: event.clientY, lastX: event.clientX, lastY: event.clientY, moved: false, kind: "pan" };
  if (state.flowing && item?.kind === "node") gesture.kind = "flow";
  else if (event.button === 0 && (state.tool === "zone" || (!item && event.shiftKey))) gesture.kind = "box";
  else if (item?.kind === "node" && (event.ctrlKey || event.metaKey) && event.button === 0) gesture.kind = "add";
  else if (wantsLink) gesture.kind = "link";
  else if (item?.kind === "node" && event.button === 0 && (state.drawing.floor || scene.fold)) gesture.kind = "choose";
  else if (item?.kind === "node" && event.button === 0) gesture.kind = "drag";
  else if (item?.kind === "link" && event.button === 0) gesture.kind = "switch";
  byId("canvas").setPointerCapture(event.pointerId);
}

function move(event) {
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [event.clientX, event.clientY]);
  if (fingers.size === 2) return pinch();
  if (!gesture) return;
  if (!gesture.moved && Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y) < STILL) return;
  if (!gesture.moved && gesture.kind === "drag") begin(gesture);
  gesture.moved = true;
  if (gesture.kind === "drag") {
    const [x, y] = gesture.start.get(gesture.item.name);
    const to = snapped([x + (event.clientX - gesture.x) / scale(), y + (event.clientY - gesture.y) / scale()], gesture, event.altKey);
    gesture.at = new Map([...gesture.start].map(([name, [ox, oy]]) => [name, [ox + to[0] - x, oy + to[1] - y]]));
    drawSoon();
  } else if (gesture.kind === "box") {
    gesture.box = boxed(gesture, event);
    put(byId("marquee") ?? byId("layer-over").appendChild(s("rect", { id: "marquee" })), gesture.box);
  } else if (gesture.kind === "link") {
    stretch(gesture.item.name, event.clientX, event.clientY);
  } else {
    pan(event.clientX - gesture.lastX, event.clientY - gesture.lastY);
    byId("canvas").classList.add("panning");
  }
  [gesture.lastX, gesture.lastY] = [event.clientX, event.clientY];
}

let waiting = 0;

/** Draw what is dragged, once for each picture that the screen shows. */
function drawSoon() {
  waiting ||= requestAnimationFrame(() => {
    waiting = 0;
    if (gesture?.at) draw(gesture.at);
  });
}

/** What is dragged: the host, or all that are chosen if it is one of them. */
function begin(gesture) {
  const names = chosenHosts();
  const those = names.length > 1 && names.includes(gesture.item.name) ? names : [gesture.item.name];
  gesture.start = new Map(those.map((name) => [name, scene.places.get(name)]));
}

const NEAR = 7;

/** A place that is in line with another host if it nearly is, with a line that shows it; not with the Alt key. */
function snapped([x, y], { start }, free) {
  const guides = byId("guides") ?? byId("layer-over").appendChild(s("path", { id: "guides" }));
  const others = free ? [] : [...scene.places].filter(([name]) => !start.has(name)).map(([, at]) => at);
  const nearest = (value, k) => others.map((at) => at[k]).reduce((best, one) => (Math.abs(one - value) < Math.abs((best ?? Infinity) - value) ? one : best), null);
  const [nx, ny] = [nearest(x, 0), nearest(y, 1)].map((one, k) => (one !== null && Math.abs(one - [x, y][k]) * scale() < NEAR ? one : null));
  put(guides, { d: `${nx === null ? "" : `M ${nx} -9999 V 9999`} ${ny === null ? "" : `M -9999 ${ny} H 9999`}` });
  return [nx ?? x, ny ?? y];
}

/** The rectangle from where a gesture began to the pointer, in the drawing. */
function boxed(gesture, event) {
  const [ax, ay] = worldAt(gesture.x, gesture.y), [bx, by] = worldAt(event.clientX, event.clientY);
  return { x: Math.min(ax, bx), y: Math.min(ay, by), width: Math.abs(bx - ax), height: Math.abs(by - ay) };
}

/** A link on its way from a host to the pointer. */
function stretch(from, x, y) {
  const target = hostAt(x, y);
  const a = scene.places.get(from), b = target && target !== from ? scene.places.get(target) : worldAt(x, y);
  const line = byId("rubber") ?? byId("layer-over").appendChild(s("path", { id: "rubber" }));
  put(line, { d: curve(plain(a, b, scene.size)) });
  if (target !== gesture.over) tell(from, target);
  gesture.over = target;
}

function release(event) {
  lift(event);
  const done = gesture;
  gesture = null;
  for (const id of ["rubber", "marquee", "guides"]) byId(id)?.remove();
  byId("canvas").classList.remove("panning");
  if (!done) return;
  if (done.kind === "drag") {
    if (done.moved) moveHosts(done.at);
    change(done.moved && done.at.size > 1 ? {} : { selection: done.item, chosen: [] });
  } else if (done.kind === "flow") {
    if (!done.moved) extendFlow(done.item.name);
  } else if (done.kind === "add") {
    toggleChosen(done.item.name);
  } else if (done.kind === "box") {
    finishBox(done);
  } else if (done.kind === "link") {
    finishLink(done, event);
  } else if (done.kind === "switch" && !done.moved) {
    change({ selection: done.item, chosen: [] });
    if (!state.board && offers("cut_link")) toggleLink(done.item.from, done.item.to);
  } else if (done.kind === "choose" && !done.moved) {
    change({ selection: done.item, chosen: [] });
  } else if (!done.moved && done.offer) {
    state.line?.pick?.(done.offer);
  } else if (!done.moved && done.zone) {
    toggleZone(done.zone);
  } else if (!done.moved) {
    change({ selection: null, chosen: [], linking: null });
  }
}

/** A box around hosts chooses them; with the zone tool it makes a zone of them. */
function finishBox(done) {
  const names = done.moved ? hostsIn(done.box) : [], zone = state.tool === "zone";
  change({ tool: null });
  chooseMany(names);
  if (zone && names.length) askZone(names);
}

/** Drawn to a host in one go, or begun by a click on one and ended by a click on the other. */
function finishLink(done, event) {
  const target = hostAt(event.clientX, event.clientY);
  if (done.moved) {
    change({ linking: null });
    if (target && target !== done.item.name) addLink(done.item.name, target);
  } else if (state.linking?.from) {
    const { from } = state.linking;
    change({ linking: null });
    if (target && target !== from) addLink(from, target);
  } else {
    change({ linking: { from: done.item.name }, selection: done.item });
  }
}

export function startPointer() {
  const canvas = byId("canvas");
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", (event) => {
    lift(event);
    gesture = null;
    byId("rubber")?.remove();
    draw();
  });
  canvas.addEventListener("dblclick", (event) => {
    if (!itemOf(document.elementFromPoint(event.clientX, event.clientY)) && offers("add_host")) addHost(worldAt(event.clientX, event.clientY));
  });
  canvas.addEventListener("wheel", (event) => {
    // Where the page itself scrolls, the wheel is the page's unless a key says otherwise.
    if (!event.ctrlKey && getComputedStyle(document.body).overflowY !== "hidden") return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY);
  }, { passive: false });
}
