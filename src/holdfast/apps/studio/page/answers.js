/* Drawing and readings follow the document: each change asks again, and ends what nobody wants any more.
 *
 * What was answered is remembered by the design's text, so that undo and going back to a design are immediate. While
 * a reading is on its way the last one stays in sight, marked as stale: nothing jumps.
 */

import { ask, cancel, isUnwanted, stream } from "./api.js";
import { placesOf, sizesOf } from "./geometry.js";
import { rememberRoutes } from "./routes.js";
import { change, keyOf, memory, referenceOf, state, subscribe } from "./store.js";

const drawings = memory(60), answers = memory(60);

/** A drawing shows where boxes stand, too: one string for a text as it is. */
const wholeKey = ({ text, variant }) => `${variant ?? ""}\u0000${text}`;

/** Remember a drawing, which may have come with another answer; its curves are right where nobody has moved a box. */
export function rememberDrawing(design, drawing, routed = true) {
  if (routed) rememberRoutes(drawing, placesOf(drawing, {}), sizesOf(drawing));
  return drawings.set(wholeKey(design), drawing);
}

async function follow(design, topic, key) {
  const name = wholeKey(design);
  const known = drawings.get(name);
  if (known) {
    cancel(topic);
    change({ [key]: known, ...(key === "drawing" ? { problem: null } : {}) });
    return;
  }
  try {
    const found = rememberDrawing(design, await ask("drawing", topic, { scenario: design.text, variant: design.variant }));
    change({ [key]: found, ...(key === "drawing" ? { problem: null } : {}) });
  } catch (error) {
    if (isUnwanted(error)) return;
    // A text that cannot be read has no drawing: the last one stays, and the reason is shown.
    if (key === "drawing") change({ problem: error });
    else change({ [key]: null });
  }
}

/** Readings as they arrive; `stale` has those of the design before, to be shown until then. */
const begun = (key, before) => ({ key, pending: true, says: {}, values: {}, stale: before?.pending ? { ...before.stale, ...before, values: { ...before.stale?.values, ...before.values } } : before });

async function read(design, topic, key) {
  const name = keyOf(design);
  const known = answers.get(name);
  if (known) {
    cancel(topic);
    change({ [key]: known });
    return;
  }
  change({ [key]: begun(name, state[key]) });
  try {
    await stream("readings", topic, { scenario: design.text, variant: design.variant, ladder: key === "readings" }, (line) => {
      const now = state[key];
      if (now?.key !== name) return;
      change({ [key]: { ...now, ...line, says: { ...now.says, ...line.says }, values: { ...now.values, ...line.values } } });
    });
    const { stale, ...whole } = state[key];
    if (whole.key === name) change({ [key]: answers.set(name, { ...whole, pending: false }) });
  } catch (error) {
    if (!isUnwanted(error) && state[key]?.key === name) change({ [key]: { key: name, pending: false, says: {}, error } });
  }
}

/** A reading, and whether it is of the design before. */
export function reading(readings, name) {
  if (!readings) return { value: undefined, stale: true };
  if (readings[name] !== undefined) return { value: readings[name], stale: false };
  return { value: readings.pending ? readings.stale?.[name] : undefined, stale: readings.pending };
}

function keepUp(changed) {
  // Another file begins with nothing in sight, even if its text is the same.
  if (changed.includes("opened")) Object.assign(asked, { drawn: null, current: null, reference: null, read: null });
  const current = { text: state.document.text, variant: state.document.variant };
  if (!current.text) return;
  if (asked.drawn !== wholeKey(current)) {
    asked.drawn = wholeKey(current);
    follow(current, "drawing", "drawing");
  }
  if (asked.current !== keyOf(current)) {
    asked.current = keyOf(current);
    read(current, "readings", "readings");
  }
  const reference = referenceOf();
  if (asked.reference !== keyOf(reference)) {
    asked.reference = keyOf(reference);
    asked.read = null;
    follow(reference, "reference-drawing", "referenceDrawing");
  }
  if (asked.reference !== asked.current && asked.read !== asked.reference) {
    asked.read = asked.reference;
    read(reference, "reference", "reference");
  }
}

const asked = { drawn: null, current: null, reference: null, read: null };

/** The readings that the current ones are held against; none where both are the same design. */
export const compared = () => (asked.reference === asked.current || state.reference?.key !== asked.reference ? null : state.reference);

export function startAnswers() {
  subscribe(["document", "against", "opened"], keepUp);
}
