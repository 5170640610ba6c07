/* Where boxes stand, as the file says it: its section layout:, written here and read by the server.
 *
 * An arrangement changes no answer. Questions are therefore asked about the text without it, so that a box that is
 * moved costs nothing, and what was answered stays.
 */

/** The lines of the section: where it begins, and the line after its last; null where there is none. */
function section(lines) {
  const start = lines.findIndex((line) => /^layout:(\s|$)/.test(line));
  if (start < 0) return null;
  let end = start + 1;
  while (end < lines.length && /^(\s|}|$)/.test(lines[end])) end += 1;
  while (end > start + 1 && !lines[end - 1].trim()) end -= 1;
  return [start, end];
}

export const isArranged = (text) => section(text.split("\n")) !== null;

/** The text without its arrangement. */
export function bare(text) {
  const lines = text.split("\n"), found = section(lines);
  if (found) lines.splice(found[0], found[1] - found[0]);
  return `${lines.join("\n").trimEnd()}\n`;
}

const inch = (value) => Number(value.toFixed(2));

/** The text with an arrangement in place of the one it has; null for a file in whose form it has no place. */
export function withLayout(text, places) {
  const lines = text.split("\n"), found = section(lines), end = text.includes("\r\n") ? "\r" : "";
  if (!/^["']?holdfast/m.test(text) || lines.slice(1).some((line) => /^(---|\.\.\.)/.test(line))) return null;
  const written = Object.entries(places).map(([name, [x, y]]) => `  ${/^[A-Za-z_][\w-]*$/.test(name) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(name) ? name : JSON.stringify(name)}: [${inch(x)}, ${inch(y)}]${end}`);
  const whole = written.length ? [`layout:${end}`, ...written] : [];
  if (found) lines.splice(found[0], found[1] - found[0], ...whole);
  else if (whole.length) return [...text.trimEnd().split("\n"), end, ...whole, ""].join("\n");
  return whole.length ? lines.join("\n") : bare(lines.join("\n"));
}
