/* How links run. The server bends them around the boxes; what it answered is kept by where everything stands.
 *
 * Until it has answered, and while a box is dragged, a link whose ends stand where they stood stays as it was; any
 * other is drawn plainly, straight or slightly bent.
 */

import { isUnwanted, post } from "./api.js";
import { INCH, plain } from "./geometry.js";
import { memory } from "./store.js";

const answers = memory(60);
let routed = new Map(), asked = null;

export const linkKey = (from, to) => `${from}\u0000${to}`;

const inches = ([x, y]) => [Number((x / INCH).toFixed(4)), Number((y / INCH).toFixed(4))];
const pixels = (curve) => curve.map((point) => point.map((value) => value * INCH));

/** What the server is asked: the same for the same picture, in whatever order its links are listed. */
function question(links, places, size) {
  const joined = links.map(({ from, to }) => [from, to]).sort((a, b) => (linkKey(...a) < linkKey(...b) ? -1 : 1));
  const [width, height] = inches([size.width, size.height]);
  return { places: Object.fromEntries([...places].map(([name, at]) => [name, inches(at)])), width, height, links: joined };
}

function keep(key, links, curves) {
  answers.set(key, new Map(links.map(([from, to], k) => [linkKey(from, to), pixels(curves[k])])));
}

/** Remember the curves that came with a drawing, which are right where nobody has moved anything. */
export function rememberRoutes({ arrows }, places, size) {
  if (arrows.some((arrow) => !arrow.curve)) return;
  const body = question(arrows, places, size), found = new Map(arrows.map((arrow) => [linkKey(arrow.from, arrow.to), arrow.curve]));
  keep(JSON.stringify(body), body.links, body.links.map((link) => found.get(linkKey(...link))));
}

async function ask(key, body, act) {
  asked = key;
  try {
    keep(key, body.links, (await post("/api/routes", body)).curves);
    if (asked === key) act();
  } catch (error) {
    if (!isUnwanted(error)) throw error;
  }
}

/** The control points of each link as far as they are known; the rest is asked for, and `act` is called when it is there. */
export function routesOf(links, places, size, act) {
  const body = question(links, places, size), key = JSON.stringify(body), known = answers.get(key);
  const ends = ({ from, to }) => JSON.stringify([body.places[from], body.places[to], size.width]);
  if (known) {
    asked = key;
    routed = new Map(links.map((link) => [linkKey(link.from, link.to), { ends: ends(link), controls: known.get(linkKey(link.from, link.to)) }]));
  } else if (act && asked !== key) ask(key, body, act).catch(() => {}); // a server that is gone is told elsewhere
  const all = new Set(links.map(({ from, to }) => linkKey(from, to)));
  return new Map(links.map((link) => {
    const key = linkKey(link.from, link.to), last = routed.get(key);
    if (last?.ends === ends(link)) return [key, last.controls];
    return [key, plain(places.get(link.from), places.get(link.to), size, all.has(linkKey(link.to, link.from)))];
  }));
}
