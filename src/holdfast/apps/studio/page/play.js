/* Play: take a side on the canvas against the optimal opponent. */

import { button, byId, fill, h, plural } from "./dom.js";
import { askPlay, chips, closeLine, openLine, steps } from "./line.js";
import { whenSeen } from "./panel.js";
import { state } from "./store.js";

let hinted = false;

/** Which moves lose is told when somebody asks for it: one may want to think first. */
const hintSwitch = () => button(hinted ? "Hide which moves lose" : "Show which moves lose", () => { hinted = !hinted; show(); }, { class: "plain", "aria-pressed": String(hinted), "data-key": "hints" });

async function go(side, moves) {
  const found = await askPlay({ side, moves, opponent: "optimal" });
  if (found) openLine({ ...found, owner: "play", side, moves, pick: (action) => go(side, [...moves, action]), title: side === "defender" ? "You defend; the attack moves as well as it can." : "You attack; the defense moves as well as it can." }, found.positions.length - 1);
}

function standing(line) {
  const last = line.positions.at(-1);
  if (line.over) return h("p", { class: "over" }, h("strong", {}, line.over));
  const lost = last.rank !== null && last.rank !== undefined;
  return h("p", {}, lost ? `From here the attack can force a violation within ${plural(last.rank, "move")}.` : "From here the requirement can be kept for ever.");
}

function memoryOf(line) {
  const clauses = line.positions[line.at].clauses ?? [];
  return clauses.length > 0 && h("details", {}, h("summary", {}, "How the rules stand"),
    h("ul", { class: "list" }, clauses.map((clause) => h("li", { class: clause.accepting === false ? "bad-words" : "" }, h("span", {}, clause.label), h("span", { class: "quiet" }, clause.accepting === false ? "broken" : "kept so far")))));
}

function show() {
  const { line } = state;
  const own = line?.owner === "play";
  if (!own) {
    fill(byId("panel-play"), h("p", {}, "Take a side on the design; the other side plays as well as it can."),
      h("p", { class: "controls" }, button("Defend", () => go("defender", []), { class: "main", "data-key": "defend" }), button("Attack", () => go("adversary", []), { "data-key": "attack" })));
    return;
  }
  const seen = line.at === line.positions.length - 1;
  fill(byId("panel-play"),
    h("p", { class: "controls" }, button("Take back", () => go(line.side, line.moves.slice(0, -1)), { disabled: !line.moves.length, "data-key": "back" }), button("Start again", () => go(line.side, []), { "data-key": "again" }), button("End", closeLine, { class: "plain", "data-key": "end" })),
    standing(line),
    !line.over && seen && [h("h3", {}, "Your move"), h("p", { id: "play-said", class: "said", role: "status" }), hintSwitch(), chips(line.actions ?? [], (action) => state.line?.pick(action), "play-said", hinted)],
    line.positions.length > 1 && [h("h3", {}, "Moves"), steps(line)],
    memoryOf(line));
}

export function startPlay() {
  whenSeen("play", ["line", "drawing", "document"], show);
}
