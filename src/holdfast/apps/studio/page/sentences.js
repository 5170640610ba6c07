/* Rules as sentences: each kind has a sentence with gaps, the formula that it writes, and the formulas that it reads.
 *
 * A host is lost while it is compromised, detected or destroyed (X, D, Z), and out of service while it is isolated or
 * destroyed (I, Z). The formulas are those of `holdfast init --templates`.
 */

const LOST = "{X, D, Z}", OUT = "{I, Z}";
const NAME = String.raw`([^\s{}(),|&!]+)`, NUMBER = String.raw`(\d+)`;

/** A pattern for a formula in which gaps are names or numbers; spaces do not matter. */
const pattern = (text) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("‹name›", NAME).replaceAll("‹number›", NUMBER).replaceAll("‹names›", "(.+?)")}$`);

const names = (text) => text.split(",").map((one) => one.trim());
const listed = (all) => (all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`);
const plural = (n, word) => `${n} ${word}${Number(n) === 1 ? "" : "s"}`;

/** What the adversary does to hosts, without doing nothing. */
const harms = (words, host = null) => Object.entries(words.verbs.adversary ?? {}).filter(([verb, targets]) => !/^(noop|wait)$/.test(verb) && (host === null || targets.includes(host))).map(([verb]) => verb);

/** The first pattern that a formula fits, with what stands in its gaps. */
function gaps(formula, patterns) {
  for (const [expression, take] of patterns) {
    const found = expression.exec(formula);
    const values = found && take(found);
    if (values) return values;
  }
  return null;
}

const reads = (...patterns) => {
  const known = patterns.map(([text, take]) => [pattern(text), take]);
  return (formula) => gaps(formula, known);
};

/** The kinds: `gaps` says what a picker offers, `words` the sentence around the gaps, `read` takes a formula apart. */
export const KINDS = [
  {
    key: "together", side: "defender", start: (w) => (w.hosts.length > 1 ? { hosts: w.hosts.slice(-2) } : null), gaps: { hosts: "hosts" },
    words: ["", "hosts", " are never lost together"],
    name: ({ hosts }) => (hosts.length > 2 ? `no two of ${listed(hosts)} are lost at a time` : `${listed(hosts)} are never lost together`),
    write: ({ hosts }) => `G (count(${hosts.join(", ")} in ${LOST}) < 2)`,
    read: reads([`G (count(‹names› in ${LOST}) < 2)`, ([, all]) => names(all).length > 1 && { hosts: names(all) }], [`G !(‹name› in ${LOST} & ‹name› in ${LOST})`, ([, a, b]) => ({ hosts: [a, b] })]),
  },
  {
    key: "never-lost", side: "defender", start: (w) => (w.hosts.length ? { host: w.hosts.at(-1) } : null), gaps: { host: "host" },
    words: ["", "host", " is never lost"], name: ({ host }) => `${host} is never lost`, write: ({ host }) => `G (${host} not in ${LOST})`,
    read: reads([`G (‹name› not in ${LOST})`, ([, host]) => ({ host })]),
  },
  {
    key: "in-service", side: "defender", start: (w) => (w.hosts.length ? { host: w.hosts.at(-1) } : null), gaps: { host: "host" },
    words: ["", "host", " stays in service"], name: ({ host }) => `${host} stays in service`, write: ({ host }) => `G (${host} not in ${OUT})`,
    read: reads([`G (‹name› not in ${OUT})`, ([, host]) => ({ host })]),
  },
  {
    key: "out", side: "defender", start: (w) => (w.hosts.length ? { number: 1, set: w.sets[0] ?? "*" } : null), gaps: { number: "number", set: "set" },
    words: ["at most ", "number", " of ", "set", " out of service"],
    name: ({ number, set }) => `at most ${set === "*" ? plural(number, "host") : `${number} of ${set}`} out of service`, write: ({ number, set }) => `G (count(${set} in ${OUT}) <= ${number})`,
    read: reads([`G (count(‹name› in ${OUT}) <= ‹number›)`, ([, set, number]) => ({ set, number: Number(number) })]),
  },
  {
    key: "active", side: "defender", start: (w) => (w.active ? { number: Math.max(1, w.hosts.length - 2) } : null), gaps: { number: "number" },
    words: ["at least ", "number", " hosts are active"], name: ({ number }) => `at least ${plural(number, "host")} ${Number(number) === 1 ? "is" : "are"} active`, write: ({ number }) => `G (active >= ${number})`,
    read: reads(["G (active >= ‹number›)", ([, number]) => ({ number: Number(number) })], ["G active >= ‹number›", ([, number]) => ({ number: Number(number) })]),
  },
  {
    key: "flow", side: "defender", start: (w) => (w.flows.length ? { flow: w.flows[0] } : null), gaps: { flow: "flow" },
    words: ["the flow ", "flow", " stays up"], name: ({ flow }) => `${flow} stays up`, write: ({ flow }) => `G flow(${flow})`,
    read: reads(["G flow(‹name›)", ([, flow]) => ({ flow })], ["G (flow(‹name›))", ([, flow]) => ({ flow })]),
  },
  {
    key: "flow-back", side: "defender", start: (w) => (w.flows.length ? { flow: w.flows[0], number: 4 } : null), gaps: { flow: "flow", number: "number" },
    words: ["the flow ", "flow", " is down for at most ", "number", " moves"], name: ({ flow, number }) => `${flow} is down for at most ${plural(number, "move")}`,
    write: ({ flow, number }) => `G (!flow(${flow}) -> F[<=${number}] flow(${flow}))`,
    read: reads(["G (!flow(‹name›) -> F[<=‹number›] flow(‹name›))", ([, flow, number, same]) => same === flow && { flow, number: Number(number) }]),
  },
  {
    key: "host-back", side: "defender", start: (w) => (w.hosts.length ? { host: w.hosts.at(-1), number: 4 } : null), gaps: { host: "host", number: "number" },
    words: ["", "host", " is back in service within ", "number", " moves"], name: ({ host, number }) => `${host} is back in service within ${plural(number, "move")}`,
    write: ({ host, number }) => `G (${host} in ${OUT} -> F[<=${number}] (${host} not in ${OUT}))`,
    read: reads([`G (‹name› in ${OUT} -> F[<=‹number›] (‹name› not in ${OUT}))`, ([, host, number, same]) => same === host && { host, number: Number(number) }]),
  },
  {
    key: "times", side: "adversary", start: (w) => (harms(w).length ? { number: 2, verb: harms(w).at(-1) } : null), gaps: { number: "number", verb: "verb" },
    words: ["at most ", "number", " times ", "verb", ""], name: ({ number, verb }) => `at most ${number} times ${verb}`, write: ({ number, verb }) => `G (times(${verb}) <= ${number})`,
    read: reads(["G (times(‹name›) <= ‹number›)", ([, verb, number]) => ({ verb, number: Number(number) })]),
  },
  {
    key: "untouched", side: "adversary", start: (w) => (w.hosts.length && harms(w).length ? { host: w.hosts.at(-1) } : null), gaps: { host: "host" },
    words: ["never touches ", "host", ""], name: ({ host }) => `never touches ${host}`,
    write: ({ host }, w) => `G !(${harms(w, host).map((verb) => `${verb}(${host})`).join(" | ")})`,
    read: (formula) => {
      const inside = /^G !\((.+)\)$/.exec(formula)?.[1].split(" | ").map((one) => /^(\w+)\(([^()]+)\)$/.exec(one));
      return inside?.every((one) => one && one[2] === inside[0][2]) ? { host: inside[0][2] } : null;
    },
  },
  {
    key: "slow", side: "adversary", start: (w) => (harms(w).length ? {} : null), gaps: {},
    words: ["acts at every second turn of its own at most"], name: () => "acts at every second turn at most",
    write: (_, w) => `G ((${harms(w).join(" | ")}) -> !Y Y (${harms(w).join(" | ")}))`,
    read: (formula) => {
      const found = /^G \(\((.+)\) -> !Y Y \((.+)\)\)$/.exec(formula);
      return found && found[1] === found[2] && !/[()]/.test(found[1]) ? {} : null;
    },
  },
];

/** The kind of a formula and what stands in its gaps, if its sentence writes the same again; null for any other formula. */
export function taken(side, text, words) {
  const formula = text.replace(/\s+/g, " ").trim();
  for (const kind of KINDS) {
    const values = kind.side === side && kind.start(words) ? kind.read(formula) : null;
    if (values && fits(kind, values, words)) return { kind, values };
  }
  return null;
}

/** Whether every gap is filled with something that its picker offers. */
function fits(kind, values, words) {
  const offered = { host: words.hosts, set: [...words.sets, ...words.hosts, "*"], flow: words.flows, verb: harms(words) };
  return Object.entries(kind.gaps).every(([gap, what]) => (what === "hosts" ? values[gap].every((one) => words.hosts.includes(one)) : !offered[what] || offered[what].includes(values[gap])));
}

/** What a picker offers. */
export function offered(what, words) {
  if (what === "host" || what === "hosts") return words.hosts.map((one) => [one, one]);
  if (what === "set") return [["*", "all hosts"], ...words.sets.map((one) => [one, one])];
  if (what === "flow") return words.flows.map((one) => [one, one]);
  return harms(words).map((one) => [one, one]);
}
