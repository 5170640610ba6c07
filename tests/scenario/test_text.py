"""Files that must be refused: what is wrong, where, in words; never a traceback, never a hang."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from budgets import watched
from commands import holdfast
from holdfast.errors import HoldfastError, LimitError, ScenarioError
from holdfast.scenario.reading import configuration, learning, read_scenario, scenario_from_text
from paths import SCENARIOS

NETWORK = """\
holdfast: 1
network:
  hosts: [GW, Web, DB]
  links: [GW -> Web, Web -> DB]
  entry: GW
specs:
  defender:
    - G (DB != Z)
  adversary:
    - G (times(destroy) <= 2)
"""

GAME = """\
holdfast: 1
game:
  variables: {valve: [open, shut], level: 0..4}
  initial: {valve: open, level: 2}
  defender:
    shut: {set: {valve: shut}}
    drain: {when: level > 0, set: {level: level - 1}}
  adversary:
    surge: {when: valve = open & level < 4, set: {level: level + 1}}
  dominance: 1 - level / 4
specs:
  defender:
    - G (level < 4)
"""

AUTOMATON = """\
holdfast: 1
network: {hosts: [A, B], links: [], entry: A}
specs:
  defender:
    - automaton:
        states: [q0, q1, viol]
        initial: q0
        accepting: [q0, q1]
        edges:
          - {from: q0, to: q0, when: A = C}
          - {from: q0, to: q1, when: A != C}
          - {from: q1, to: q1}
          - {from: viol, to: viol}
"""


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def network(old: str, new: str) -> str:
    return changed(NETWORK, old, new)


def game(old: str, new: str) -> str:
    return changed(GAME, old, new)


def automaton(old: str, new: str) -> str:
    return changed(AUTOMATON, old, new)


def clause(formula: str) -> str:
    return network("    - G (DB != Z)\n", f"    - {formula}\n")


ALIAS_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP_ALIASES = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 200))

# text, line:column, words that the message must have
SYNTAX = {
    "empty": ("", "1:1", "the file is empty"),
    "only a comment": ("# nothing\n", "1:1", "the file is empty"),
    "null": ("~\n", "1:1", "found nothing"),
    "a list": ("- a\n- b\n", "1:1", "expected a mapping found a list"),
    "a scalar": ("hello\n", "1:1", 'expected a mapping found "hello"'),
    "two documents": (NETWORK + "---\nholdfast: 1\n", "11:1", "second document"),
    "open bracket": ("holdfast: 1\nnetwork: [a, b\n", "3:1", "not valid YAML"),
    "open quote": ('holdfast: 1\nname: "abc\n', "3:1", "not valid YAML left open"),
    "bad indentation": ("holdfast: 1\n  name: x\n", "2:7", "not valid YAML indentation"),
    "tab": ("holdfast: 1\nnetwork:\n\thosts: [A]\n", "3:1", "not valid YAML tabs"),
    "colon in text": ("holdfast: 1\nname: a: b\n", "2:8", "not valid YAML quote"),
    "no space after the colon": ("holdfast: 1\nname:x\nspecs: {}\n", "3:1", "not valid YAML key: value"),
    "braces in a flow mapping": (
        automaton("when: A = C}", "when: A in {C}}"),
        "10:43",
        "not valid YAML quote a formula",
    ),
    "repeated key": (NETWORK + "specs: {}\n", "11:1", 'key "specs" appears twice, first in line 6'),
    "repeated nested key": (
        network("  entry: GW\n", "  entry: GW\n  entry: DB\n"),
        "6:3",
        '"entry" appears twice',
    ),
    "merge key": (network("  entry: GW\n", "  <<: {entry: GW}\n"), "5:3", "merge keys"),
    "list as a key": ("holdfast: 1\n? [a, b]\n: c\n", "2:3", "a key must be a word"),
    "empty key": ("holdfast: 1\n: c\n", "2:1", "not valid YAML"),
    "quoted empty key": ("holdfast: 1\n'': c\n", "2:1", "a key must be a word"),
    "python tag": ("holdfast: 1\nname: !!python/object/apply:os.system [ls]\n", "2:7", "tag no tags"),
    "own tag": ("holdfast: 1\nname: !secret x\n", "2:7", 'tag "!secret"'),
    "standard tag": ("holdfast: !!int 1\n", "1:11", "tag"),
    "formula taken for a tag": (clause("!(DB = Z)"), "8:7", 'tag "!(DB" quote'),
    "formula taken for an alias": (clause("*x"), "8:7", "alias quote"),
    "unknown alias": ("holdfast: 1\nname: *nobody\n", "2:7", "nobody"),
    "recursive alias": ("holdfast: 1\nname: &a [x, *a]\n", "2:14", "inside its own anchor"),
    "recursive mapping": ("holdfast: 1\nspecs: &s\n  defender: *s\n", "3:13", "inside its own anchor"),
    "alias bomb": (ALIAS_BOMB, "6:16", "more than 250,000 entries, aliases expanded"),
    "deep aliases": (DEEP_ALIASES, "39:12", "nested more than 40 levels deep, aliases expanded"),
    "NUL": ("holdfast: 1\nname: a\0b\n", "2:8", "NUL"),
    "control character": ("holdfast: 1\nname: a\x1bb\n", "2:8", "U+001B"),
    "line break in the title": ('holdfast: 1\nname: "a\\nVALID"\n' + NETWORK[12:], "2:7", "one line"),
    "separator in the title": ('holdfast: 1\nname: "a\\L"\n' + NETWORK[12:], "2:7", "one line"),
    "line break in a clause's name": (
        network("    - G (DB != Z)\n", '    - {name: "x\\ny", formula: G (DB != Z)}\n'),
        "8:14",
        "one line",
    ),
    "line break in a variant's name": (
        NETWORK + 'variants:\n  "v\\nVALID": {}\n',
        "12:3",
        "name of a variant one line",
    ),
    "line break in a state": (
        clause('{automaton: {states: [a, "b\\nc"], initial: a, accepting: [a], edges: []}}'),
        "8:32",
        "one line",
    ),
    "line break in a change": (
        NETWORK + 'design: {changes: [{name: "x\\ny", variant: {}}]}\n',
        "11:27",
        "one line",
    ),
    "lone surrogate": ("holdfast: 1\nname: a\ud800b\n", "2:8", "U+D800"),
    "100,000 brackets": ("[" * 100_000, "1:41", "nested more than 40 levels"),
    "100,000 braces": ("a: " + "{b: " * 100_000, "1:160", "nested more than 40 levels"),
    "100,000 indents": ("".join(" " * i + "a:\n" for i in range(400)), "41:41", "nested more than 40 levels"),
    "many nodes": ("x: [" + "1," * 250_001 + "]", "1:500003", "more than 250,000 entries"),
    "huge scalar": ("x" * 5_000_001, "1:1", "longer than 5,000,000"),
    "big scalar": (clause("x" * 300_000), "8:7", "300,000 characters"),
    "long number": (network("holdfast: 1", "holdfast: " + "9" * 5_000), "1:11", "5,000 digits"),
}

KEYS = {
    "top": (
        NETWORK + "varants: {}\n",
        "11:1",
        'unknown key "varants" in a scenario did you mean "variants"?',
    ),
    "top, nothing close": (
        NETWORK + "zzz: {}\n",
        "11:1",
        'unknown key "zzz" the keys here are holdfast, name',
    ),
    "network": (
        network("  entry:", "  entri:"),
        "5:3",
        'unknown key "entri" in network did you mean "entry"?',
    ),
    "indented too far": (
        network("  entry:", "  layout: {}\n  entry:"),
        "5:3",
        'unknown key "layout" in network "layout:" stands at the top level',
    ),
    "group": (network("[GW, Web", "[GW, {ws: {cout: 3}}, Web"), "3:21", 'did you mean "count"?'),
    "reset": (network("  entry: GW", "  entry: GW\n  reset: {probabilty: 0.1}"), "6:11", '"probability"?'),
    "specs": (network("  adversary:", "  advesary:"), "9:3", 'did you mean "adversary"?'),
    "clause": (clause("{automata: {}}"), "8:8", 'did you mean "automaton"?'),
    "automaton": (automaton("initial: q0", "inital: q0"), "7:9", 'in an automaton did you mean "initial"?'),
    "edge": (automaton("{from: viol", "{form: viol"), "13:14", 'in an edge did you mean "from"?'),
    "learning": (NETWORK + "learning: {episode: 10}\n", "11:12", 'did you mean "episodes"?'),
    "variant": (NETWORK + "variants:\n  v: {remove_link: []}\n", "12:7", '"remove_links"?'),
    "variant specs": (NETWORK + "variants:\n  v: {specs: {defenders: []}}\n", "12:15", '"defender"?'),
    "variant learning": (NETWORK + "variants:\n  v: {learning: {seed: 1}}\n", "12:18", '"seeds"?'),
    "game": (game("  dominance:", "  dominence:"), "10:3", 'in game did you mean "dominance"?'),
    "effect": (game("{when: level > 0", "{wen: level > 0"), "7:13", 'in an effect did you mean "when"?'),
    "game reset": (game("  initial:", "  reset: {wen: x}\n  initial:"), "4:11", 'did you mean "when"?'),
    "game of a variant": (GAME + "variants: {v: {game: {initail: {}}}}\n", "14:23", '"initial"?'),
    "game key in a network": (NETWORK + "variants: {v: {game: {}}}\n", "11:16", 'variant "v" has a network'),
    "network key in a game": (GAME + "variants: {v: {entry: x}}\n", "14:16", 'variant "v" has a game'),
    "variant called base": (NETWORK + "variants: {base: {}}\n", "11:12", '"base"'),
}

TYPES = {
    "no version": (network("holdfast: 1\n", ""), "1:1", '"holdfast" is missing write "holdfast: 1"'),
    "version 2": (network("holdfast: 1", "holdfast: 2"), "1:11", "version 2 reads version 1"),
    "version text": (network("holdfast: 1", "holdfast: '1'"), "1:11", 'version "1" reads version 1'),
    "version null": (network("holdfast: 1", "holdfast:"), "1:10", "version nothing reads version 1"),
    "version true": (network("holdfast: 1", "holdfast: true"), "1:11", "version true reads version 1"),
    "no system": ("holdfast: 1\nspecs: {}\n", "1:1", '"network" or "game"'),
    "both systems": (
        NETWORK + GAME[GAME.index("game:") : GAME.index("specs:")],
        "11:1",
        'both "network" and "game"',
    ),
    "no specs": (NETWORK[: NETWORK.index("specs")], "1:1", '"specs" is missing'),
    "no hosts": (network("  hosts: [GW, Web, DB]\n", ""), "3:3", '"hosts" is missing in network'),
    "no links": (network("  links: [GW -> Web, Web -> DB]\n", ""), "3:3", '"links" is missing in network'),
    "no entry": (network("  entry: GW\n", ""), "3:3", '"entry" is missing in network'),
    "hosts is text": (network("[GW, Web, DB]", "GW"), "3:10", 'expected a list, found "GW"'),
    "hosts is empty": (network("[GW, Web, DB]", "[]"), "3:10", "at least 1 found an empty list"),
    "hosts is null": (network("[GW, Web, DB]", ""), "3:9", "expected a list, found nothing"),
    "host is a list": (network("[GW, Web", "[GW, [Web]"), "3:15", "expected a host name found a list"),
    "host is a float": (network("[GW, Web", "[GW, 1.5"), "3:15", "expected a name, found 1.5"),
    "link is a list": (network("[GW -> Web", "[[a, b]"), "4:11", "expected a link such as GW -> Web"),
    "link is a mapping": (network("[GW -> Web", "[{a: b}"), "4:12", 'unknown key "a" in a link; the keys'),
    "link without an end": (network("[GW -> Web", "[{from: GW}"), "4:11", '"to" is missing in a link'),
    "block is a number": (network("[GW -> Web", "[{from: GW, to: Web, block: 1}"), "4:38", "yes or no"),
    "host cannot fly": (network("[GW, Web", "[GW, {Web: {cannot: [isolat]}}"), "3:31", '"isolate"?'),
    "value below zero": (network("[GW, Web", "[GW, {Web: {value: -1}}"), "3:29", "a number of at least 0"),
    "tempo too slow": (network("  entry: GW", "  entry: GW\n  tempo: {defender: 99}"), "6:21", "at most 50"),
    "tempo of nobody": (network("  entry: GW", "  entry: GW\n  tempo: {me: 2}"), "6:11", '"me" in tempo'),
    "actions of none": (
        network("  entry: GW", "  entry: GW\n  actions: {defender: []}"),
        "6:23",
        "at least 1",
    ),
    "isolate at will": (
        network("  entry: GW", "  entry: GW\n  isolate: all"),
        "6:12",
        "expected any or detected",
    ),
    "network is a list": (network("network:\n", "network: []\nx:\n"), "3:1", "unknown key"),
    "specs is a list": (
        "holdfast: 1\nnetwork: {hosts: [A], links: [], entry: A}\nspecs: [a]\n",
        "3:8",
        "a mapping, found a list",
    ),
    "defender is text": (
        "holdfast: 1\nnetwork: {hosts: [A], links: [], entry: A}\nspecs: {defender: G true}\n",
        "3:19",
        "a list, found",
    ),
    "clause is a list": (clause("[a, b]"), "8:7", "expected a formula found a list"),
    "clause is null": (clause(""), "8:6", "expected a formula found nothing"),
    "clause has neither": (clause("{name: x}"), "8:7", '"formula" or "automaton"'),
    "clause has both": (
        clause("{formula: x, automaton: {states: [q], initial: q, accepting: [q], edges: []}}"),
        "8:7",
        'has one of "formula", "per_zone" and "automaton"',
    ),
    "name is a list": (
        network("holdfast: 1\n", "holdfast: 1\nname: [a]\n"),
        "2:7",
        "expected text found a list",
    ),
    "count is text": (network("[GW, Web", "[GW, {ws: {count: many}}, Web"), "3:28", "a whole number, found"),
    "count is zero": (network("[GW, Web", "[GW, {ws: {count: 0}}, Web"), "3:28", "at least 1, found 0"),
    "count is huge": (network("[GW, Web", "[GW, {ws: {count: 501}}, Web"), "3:20", "at most 500 are read"),
    "two groups in one": (
        network("[GW, Web", "[GW, {a: {count: 1}, b: {count: 1}}, Web"),
        "3:15",
        "at most 1",
    ),
    "reset is a number": (network("  entry: GW", "  entry: GW\n  reset: 3"), "6:10", "expected none"),
    "probability above one": (
        network("  entry: GW", "  entry: GW\n  reset: {probability: 2}"),
        "6:24",
        "at most 1, found 2",
    ),
    "probability is not a number": (
        network("  entry: GW", "  entry: GW\n  reset: {probability: .nan}"),
        "6:24",
        "number",
    ),
    "episodes is zero": (NETWORK + "learning: {episodes: 0}\n", "11:22", "at least 1, found 0"),
    "episodes is a float": (NETWORK + "learning: {episodes: 1.5}\n", "11:22", "a whole number, found 1.5"),
    "episodes is true": (NETWORK + "learning: {episodes: true}\n", "11:22", "a whole number, found true"),
    "episodes is huge": (NETWORK + f"learning: {{episodes: {10**12}}}\n", "11:22", "at most 10,000,000"),
    "gamma is one": (NETWORK + "learning: {gamma: 1}\n", "11:19", "less than 1"),
    "alpha is zero": (NETWORK + "learning: {alpha: 0.0}\n", "11:19", "greater than 0"),
    "q is infinite": (NETWORK + "learning: {q_initial: .inf}\n", "11:23", "number, found .inf"),
    "variants is a list": (NETWORK + "variants: [a]\n", "11:11", "a mapping, found a list"),
    "variant is null": (NETWORK + "variants: {a: }\n", "11:15", "a mapping, found nothing"),
    "no edges": (automaton("        edges:\n", "        egdes:\n"), "9:9", 'did you mean "edges"?'),
    "no initial state": (
        automaton("        initial: q0\n", ""),
        "6:9",
        '"initial" is missing in an automaton',
    ),
    "states is empty": (automaton("[q0, q1, viol]", "[]"), "6:17", "at least 1"),
    "game without variables": (game("{valve: [open, shut], level: 0..4}", "{}"), "3:14", "at least 1"),
    "domain is a mapping": (game("level: 0..4", "level: {a: 1}"), "3:43", "expected a range such as 0..9"),
    "domain is empty": (game("[open, shut]", "[]"), "3:22", "at least 1"),
    "action is text": (game("shut: {set: {valve: shut}}", "shut: valve"), "6:11", "expected an action"),
    "action is null": (game("shut: {set: {valve: shut}}", "shut:"), "6:10", "expected an action"),
    "set value is a list": (
        game("set: {valve: shut}", "set: {valve: [shut]}"),
        "6:25",
        "expected an expression",
    ),
    "first is nobody": (
        game("  initial:", "  first: defnder\n  initial:"),
        "4:10",
        'did you mean "defender"?',
    ),
    "too many clauses": (
        network("    - G (DB != Z)\n", "    - G true\n" * 2_001),
        "8:5",
        "at most 2,000 entries, found 2,001",
    ),
    "too many variables": (
        game("level: 0..4}", "level: 0..4, " + ", ".join(f"v{i}: 0..1" for i in range(1000)) + "}"),
        "3:14",
        "at most 1,000 entries, found 1,002",
    ),
    "too many actions": (
        game("  adversary:\n", "  adversary:\n" + "".join(f"    a{i}: {{}}\n" for i in range(2000))),
        "9:5",
        "at most 2,000 entries, found 2,001",
    ),
    "too many values": (
        game("[open, shut]", "[" + ", ".join(f"v{i}" for i in range(10_001)) + "]"),
        "3:22",
        "at most 10,000",
    ),
}

NAMES = {
    "repeated host": (network("Web, DB]", "Web, DB, Web]"), "3:24", 'host "Web" is listed twice'),
    "host with a blank": (network("Web, DB]", "Web, DB, a b]"), "3:24", '"a b" cannot be a host letters'),
    "host that is a number": (network("Web, DB]", "Web, DB, 7]"), "3:24", "7 cannot be a host"),
    "reserved host": (
        network("Web, DB]", "Web, DB, count]"),
        "3:24",
        '"count" is a word of the expression language',
    ),
    "host true": (network("Web, DB]", "Web, DB, true]"), "3:24", '"true" is a word'),
    "host called as an operator": (network("Web, DB]", "Web, DB, G]"), "3:24", '"G" is a word of the'),
    "host called as a status": (network("Web, DB]", "Web, DB, Z]"), "3:24", '"Z" is already a status'),
    "host called active": (network("Web, DB]", "Web, DB, active]"), "3:24", '"active" is already a quantity'),
    "host called spread": (network("Web, DB]", "Web, DB, spread]"), "3:24", '"spread" is already an action'),
    "group clashes with a host": (
        network("Web, DB]", "Web, DB, {Web: {count: 2}}]"),
        "3:25",
        '"Web" is listed twice',
    ),
    "member clashes with a host": (
        network("Web, DB]", "Web, DB, Web2, {Web: {count: 2}}]").replace("GW, Web,", "GW, Wob,"),
        "3:31",
        '"Web2" is listed twice',
    ),
    "very long host": (network("Web, DB]", f"Web, DB, {'x' * 201}]"), "3:24", "201 characters"),
    "unknown host in a link": (network("Web -> DB]", "Web -> BD]"), "4:29", 'unknown host "BD"'),
    "unknown source": (network("Web -> DB]", "Wb -> DB]"), "4:22", 'unknown host "Wb"; did you mean "Web"?'),
    "self-link": (network("Web -> DB]", "DB -> DB]"), "4:28", "DB -> DB joins a host to itself"),
    "not a link": (network("Web -> DB]", "Web - DB]"), "4:22", 'expected one link found "Web - DB"'),
    "two links in one": (network("Web -> DB]", "Web -> DB -> GW]"), "4:22", "expected one link"),
    "unknown entry": (
        network("entry: GW", "entry: GV"),
        "5:10",
        'the entry "GV" is not a host; did you mean "GW"?',
    ),
    "entry is a group": (
        network("Web, DB]", "Web, DB, {ws: {count: 2}}]").replace("entry: GW", "entry: ws"),
        "5:10",
        "ws1",
    ),
    "unknown name in a formula": (clause("G (DV != Z)"), "8:10", 'unknown name "DV"'),
    "unknown status": (clause("G (DB != Q)"), "8:16", 'DB has no value "Q" C, X, D, I, Z'),
    "unknown action": (clause("G (times(dstroy) <= 2)"), "8:16", 'unknown name "dstroy" "destroy"'),
    "unknown target": (clause("G !destroy(BB)"), "8:18", '"destroy" has no target "BB"'),
    "variable has two meanings": (
        game("    shut: {set", "    level: {set"),
        "6:5",
        '"level" is already a variable',
    ),
    "definition has two meanings": (
        game("  initial:", "  define: {level: 3}\n  initial:"),
        "4:12",
        "already a variable",
    ),
    "bad variable name": (game("level: 0..4", "lev el: 0..4"), "3:36", "cannot be a variable"),
    "bad value name": (game("[open, shut]", "[open, '1st']"), "3:29", "cannot be a value"),
    "null value": (game("[open, shut]", "[open, null]"), "3:29", "expected a name, found nothing"),
    "repeated value": (game("[open, shut]", "[open, open]"), "3:29", '"open" is listed twice'),
    "mixed values": (game("[open, shut]", "[open, 3]"), "3:29", "numbers or names, not both"),
    "gap in the numbers": (game("0..4", "[0, 1, 3]"), "3:43", "consecutive"),
    "no range": (game("0..4", "many"), "3:43", 'a range such as 0..9 found "many"'),
    "backward range": (game("0..4", "4..0"), "3:43", "is empty smaller number first"),
    "huge range": (game("0..4", f"0..{10**12}"), "3:43", "1,000,000,000,001 values; at most 10,000"),
    "bad action name": (game("    shut: {set", "    shut it: {set"), "6:5", "cannot name an action"),
    "unknown variable in initial": (
        game("level: 2}", "levle: 2}"),
        "4:26",
        'unknown variable "levle" "level"?',
    ),
    "variable without a start": (game(", level: 2}", "}"), "4:12", "no value to level"),
    "start outside the domain": (
        game("level: 2}", "level: 7}"),
        "4:33",
        "7 is not a value of level (0, 1, 2, 3, 4)",
    ),
    "start is no such symbol": (
        game("{valve: open, level", "{valve: opne, level"),
        "4:20",
        '"opne" did you mean "open"?',
    ),
    "set of an unknown variable": (
        game("set: {valve: shut}", "set: {vale: shut}"),
        "6:18",
        'unknown variable "vale" "valve"?',
    ),
    "set to an unknown symbol": (
        game("set: {valve: shut}", "set: {valve: closed}"),
        "6:25",
        '"closed" is not a value of valve (open, shut)',
    ),
    "unknown name in a guard": (
        game("when: level > 0", "when: leve > 0"),
        "7:19",
        'unknown name "leve" "level"',
    ),
    "guard asks for the move": (game("when: level > 0", "when: surge"), "7:19", "state before the move"),
    "temporal guard": (game("when: level > 0", "when: Y (level > 0)"), "7:19", "one moment"),
    "leaves the domain": (game("when: level > 0, ", ""), "7:5", "leaves the domain of level at add a guard"),
    "dominance out of range": (game("1 - level / 4", "level"), "10:14", "dominance is 2 between 0 and 1"),
    "dominance is no number": (game("1 - level / 4", "level > 2"), "10:14", "expected a number"),
    "dominance divides by zero": (game("1 - level / 4", "1 / level"), "10:18", "can be zero"),
    "no defender action": (
        game(
            "    shut: {set: {valve: shut}}\n    drain: {when: level > 0, set: {level: level - 1}}\n",
            "    {}\n",
        ),
        "5:3",
        "the defender has no action",
    ),
    "definition before use": (
        game("  initial:", "  define: {b: a, a: level > 1}\n  initial:"),
        "4:15",
        'unknown name "a"',
    ),
    "definition does not parse": (
        game("  initial:", "  define: {b: level > > 1}\n  initial:"),
        "4:23",
        "expected an expression",
    ),
}

SPECS = {
    "liveness": (clause("F (DB = C)"), "8:7", "F[<="),
    "liveness inside": (clause("G (DB = X -> F DB = C)"), "8:20", "F[<="),
    "until": (clause("(DB = C) U (GW = C)"), "8:16", "U[<="),
    "half a formula": (clause("G (DB = C & "), "8:18", "found the end"),
    "no closing bracket": (clause("G (DB = C"), "8:16", 'expected ")"'),
    "in single quotes": (clause("'G (DB = Q)'"), "8:16", 'no value "Q"'),
    "in double quotes": (clause('"G (DB = Q)"'), "8:16", 'no value "Q"'),
    "with an escape": (clause(r'"G (\x44B = Q)"'), "8:7", 'no value "Q"'),
    "with a doubled quote": (clause("'G (DB = C) '''"), "8:19", "unexpected character"),
    "literal block": (clause("|\n      G (DB = C\n        & Web = Q)"), "10:17", 'Web has no value "Q"'),
    "folded block": (clause(">-\n      G (DB = C\n      & Web = Q)"), "10:15", 'Web has no value "Q"'),
    "plain over two lines": (clause("G (DB = C\n      & Web = Q)"), "9:15", 'Web has no value "Q"'),
    "after accents": (clause("'G (Zoë = C)'"), "8:11", 'unknown name "Zoë"'),
    "named formula": (clause("{name: x, formula: G (DB = Q)}"), "8:34", 'no value "Q"'),
    "number": (clause("3"), "8:7", "is a number"),
    "arithmetic": (clause("G (active)"), "8:9", "is a number here"),
    "symbol order": (clause("G (DB < C)"), "8:13", "has no order"),
    "5,000 brackets": (clause("G " + "(" * 5_000 + "true" + ")" * 5_000), "8:108", "levels deep"),
    "5,000 negations": (clause("'" + "!" * 5_000 + "true'"), "8:108", "levels deep"),
    "5,000 implications": (clause("G (" + "true -> " * 5_000 + "true)"), None, "levels deep"),
    "huge counter": (clause(f"G (times(destroy) <= {10**11})"), "8:7", "automaton states lower the bound"),
    "huge bound": (clause(f"'G F[<={10**9}] DB = C'"), "8:7", "automaton states lower the bound"),
    "5,000 minus signs": (clause("G (" + "- " * 5_000 + "1 < 2)"), None, "nested more than"),
    "a sum of 20,000": (clause("G (" + "active + " * 20_000 + "1 < 2)"), None, "more than 100 additions"),
    "division by zero": (clause("G (1 / 0 < 2)"), None, "zero"),
    "division by what may be zero": (clause("G (1 / clean < 2)"), None, "zero"),
    "very long number": (clause(f"G (active <= {'9' * 100})"), "8:20", "digits"),
    "inadmissible": (
        network("- G (times(destroy) <= 2)", "- G true\n    - G (DB != I)"),
        "11:7",
        "adversary clause 2 violated by the defender",
    ),
    "unknown state": (automaton("initial: q0", "initial: q9"), "7:18", 'unknown state "q9"'),
    "unknown accepting state": (
        automaton("accepting: [q0, q1]", "accepting: [q0, q9]"),
        "8:25",
        'unknown state "q9"',
    ),
    "unknown target state": (
        automaton("to: q0", "to: vio"),
        "10:28",
        'unknown state "vio"; did you mean "viol"?',
    ),
    "repeated state": (automaton("[q0, q1, viol]", "[q0, q1, q0]"), "6:26", 'state "q0" is listed twice'),
    "guard does not parse": (automaton("when: A != C", "when: A != Q"), "11:43", 'no value "Q"'),
    "temporal guard": (automaton("when: A != C", "when: G (A != C)"), "11:38", "one moment"),
    "nondeterministic": (
        automaton("when: A != C", "when: A != C | B = C"),
        "10:13",
        'nondeterministic: in state "q0"',
    ),
    "incomplete": (automaton("when: A != C", "when: A = X"), "6:18", 'incomplete: state "q0" has no edge'),
    "not absorbing": (
        automaton("{from: viol, to: viol}", "{from: viol, to: q0}"),
        "6:26",
        '"viol" leads back to accepting',
    ),
}

WITHIN_VARIANT = {
    "unknown link": (
        NETWORK + "variants: {v: {remove_links: [GW -> DB]}}\n",
        "11:31",
        "no link GW -> DB to remove",
    ),
    "half a link": (NETWORK + "variants: {v: {remove_links: [GW <-> Web]}}\n", "11:31", "no link Web -> GW"),
    "known link": (NETWORK + "variants: {v: {add_links: [GW -> Web]}}\n", "11:28", "there already"),
    "unknown host": (NETWORK + "variants: {v: {add_links: [GW -> Wb]}}\n", "11:34", 'unknown host "Wb"'),
    "unknown removed host": (
        NETWORK + "variants: {v: {remove_hosts: [Wbe]}}\n",
        "11:31",
        'unknown host "Wbe"',
    ),
    "removed entry": (
        NETWORK + "variants: {v: {remove_hosts: [GW]}}\n",
        "5:10",
        'the entry "GW" is not a host',
    ),
    "no host left": (NETWORK + "variants: {v: {remove_hosts: [GW, Web, DB]}}\n", "11:15", "no host is left"),
    "formula about a removed host": (
        NETWORK + "variants: {v: {remove_hosts: [DB]}}\n",
        "8:10",
        'unknown name "DB"',
    ),
    "added twice": (NETWORK + "variants: {v: {add_hosts: [DB]}}\n", "11:28", "listed twice"),
    "bad formula": (
        NETWORK + "variants:\n  v:\n    specs:\n      defender: [G DB = Q]\n",
        "14:25",
        'no value "Q"',
    ),
    "inadmissible": (
        NETWORK + "variants: {v: {specs: {adversary: [G DB != I]}}}\n",
        "11:36",
        "violated by the defender",
    ),
    "removed unknown action": (
        GAME + "variants: {v: {game: {defender: {drian: null}}}}\n",
        "14:34",
        '"drain"?',
    ),
    "new variable without a start": (
        GAME + "variants: {v: {game: {variables: {x: 0..1}}}}\n",
        "4:12",
        "no value to x",
    ),
    "smaller domain": (
        GAME + "variants: {v: {game: {variables: {level: 0..1}}}}\n",
        "4:33",
        "2 is not a value of level (0, 1)",
    ),
    "no start": (GAME + "variants: {v: {game: {initial: {level: null}}}}\n", "4:12", "no value to level"),
    "no defender action": (
        GAME + "variants: {v: {game: {defender: {shut: null, drain: null}}}}\n",
        "5:3",
        "no action",
    ),
}


def refusal(text: str, variant: str | None = None, filename: str = "f.yaml") -> str:
    """The message with which a text is refused."""
    with pytest.raises(ScenarioError) as caught:
        scenario = scenario_from_text(text, filename)
        configuration(scenario, variant)
    return str(caught.value)


def check(message: str, place: str | None, words: str) -> None:
    if place is not None:
        assert message.startswith(f"f.yaml:{place}: "), message[:300]
    assert re.match(r"f\.yaml:\d+:\d+: ", message), message[:300]
    position = 0
    for word in re.findall(r'"[^"]*"\??|\S+', words):
        found = message.find(word, position)
        assert found >= 0, f"{word!r} not in {message[:500]}"
        position = found
    assert len(message) < 3000
    for foreign in ("Input should", "pydantic", "validation error", "Traceback", "value_error"):
        assert foreign not in message


def table(*tables: dict[str, tuple[str, str | None, str]]) -> pytest.MarkDecorator:
    rows = [pytest.param(*row, id=name) for entries in tables for name, row in entries.items()]
    return pytest.mark.parametrize(("text", "place", "words"), rows)


@table(SYNTAX)
def test_yaml_that_is_not_read(text: str, place: str, words: str) -> None:
    check(refusal(text), place, words)


@table(KEYS)
def test_unknown_keys_name_the_closest_known_one(text: str, place: str, words: str) -> None:
    check(refusal(text), place, words)


@table(TYPES)
def test_wrong_kinds_of_values(text: str, place: str, words: str) -> None:
    check(refusal(text), place, words)


@table(NAMES)
def test_names_that_do_not_fit(text: str, place: str, words: str) -> None:
    check(refusal(text), place, words)


@table(SPECS)
def test_specifications_that_cannot_be_compiled(text: str, place: str | None, words: str) -> None:
    check(refusal(text), place, words)


@table(WITHIN_VARIANT)
def test_mistakes_of_a_variant_name_it(text: str, place: str, words: str) -> None:
    message = refusal(text, "v")
    assert ' variant "v": ' in message
    check(message, place, words)


def test_a_mistake_in_the_segment_of_a_variant_shows_whichever_is_asked_for() -> None:
    text = NETWORK + "variants: {v: {remove_links: [GW -> nowhere]}}\n"
    assert ' variant "v": ' in refusal(text)


def test_the_caret_stands_under_the_token_in_the_line_of_the_file() -> None:
    message = refusal(clause("G (DB = Q & Web = C)   # a comment"))
    assert message.splitlines()[1:] == ["      - G (DB = Q & Web = C)   # a comment", " " * 16 + "^"]


def test_several_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    text = "holdfast: 1\nnetwork: {hosts: 3, links: 4, entry: GW}\nspecs: {defender: 5}\n"
    assert [line.split(" ")[0] for line in refusal(text).splitlines()] == [
        "f.yaml:2:18:",
        "f.yaml:2:28:",
        "f.yaml:3:19:",
    ]


def test_unknown_variant() -> None:
    scenario = scenario_from_text(NETWORK + "variants: {no-bypass: {}, two: {}}\n", "f.yaml")
    for ask in (configuration, learning):
        with pytest.raises(ScenarioError, match=r'^f.yaml:11:11: .*"no-bypas".*did you mean "no-bypass"'):
            ask(scenario, "no-bypas")
    with pytest.raises(ScenarioError, match="the file has none"):
        configuration(scenario_from_text(NETWORK), "x")


@pytest.mark.parametrize(
    ("settings", "place", "words"),
    [
        ("{episodes: 100, window: 101}", "11:35", "a window of 101 is longer than 100 episodes"),
        ("{epsilon: 0.05}", "11:21", "epsilon_min 0.1 is above epsilon 0.05"),
        ("{epsilon_min: 0.6}", "11:25", "epsilon_min 0.6 is above epsilon 0.5"),
    ],
)
def test_settings_that_contradict_each_other(settings: str, place: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        learning(scenario_from_text(NETWORK + f"learning: {settings}\n", "f.yaml"))
    check(str(caught.value), place, words)


# -- files on disk ----------------------------------------------------------------------------------


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no such file"):
        read_scenario(tmp_path / "none.yaml")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="directory"):
        read_scenario(tmp_path)


def test_a_path_that_cannot_exist() -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_scenario("a\0b.yaml")
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_scenario("x" * 5000)


def test_a_file_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_scenario(tmp_path / "file" / "below.yaml")


@pytest.mark.parametrize(
    ("raw", "place", "words"),
    [
        (b"holdfast: 1\nname: caf\xe9\n", "2:10", "0xe9 is not UTF-8"),
        (b"\xff\xfeh\0o\0l\0d\0", "1:1", "0xff is not UTF-8"),
        (bytes(range(256)) * 4, "1:1", "NUL"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "1:1", "0x89 is not UTF-8"),
        (b"\x7fELF\x02\x01\x01" + bytes(9), "1:1", "U+007F"),
        (b"a" * 5_000_001, "1:1", "larger than 5,000,000 bytes"),
    ],
)
def test_binary_files(tmp_path: Path, raw: bytes, place: str, words: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError) as caught:
        read_scenario(path)
    message = str(caught.value).removeprefix(f"{tmp_path}/")
    if words == "NUL":
        assert "not UTF-8" in message or "NUL" in message
    else:
        check(message, place, words)


# -- limits -----------------------------------------------------------------------------------------


def test_what_is_too_large_to_decide_is_a_limit_with_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.logic.diagrams.MAX_TERM_VALUES", 10)
    text = game("1 - level / 4", "(level + 1) * (level + 1) * level / 100 - level / 50")
    text = text.replace("0..4", "0..40")
    with pytest.raises(LimitError, match=r"^f.yaml:\d+:\d+: .*more than 10 values"):
        configuration(scenario_from_text(text, "f.yaml"))


def large(variables: str, initial: str, act: str = "{}", clause: str = "G true", dominance: str = "1") -> str:
    """A game with one action, one clause and one dominance that take work."""
    return (
        f"holdfast: 1\ngame:\n  variables: {{{variables}}}\n  initial: {{{initial}}}\n  defender:\n    act: {act}\n"
        f"  adversary:\n    wait: {{}}\n  dominance: {dominance}\nspecs:\n  defender:\n    - {clause}\n"
    )


def listed(n: int, domain: str, value: str) -> tuple[str, str]:
    """So many variables of one domain, and a value for each."""
    names = [f"v{i}" for i in range(n)]
    return ", ".join(f"{name}: {domain}" for name in names), ", ".join(f"{name}: {value}" for name in names)


SUM_60, CYCLE = (
    " + ".join(f"v{i}" for i in range(60)),
    ", ".join(f"v{i}: v{(i + 1) % 999}" for i in range(999)),
)
WORK = {
    "twenty equivalences": large("a: [n, y]", "a: n", clause="G (" + " <-> ".join(["(X a = y)"] * 20) + ")"),
    "nested weak untils": large("a: [n, y]", "a: n", clause="a = n W (" * 30 + "a = y" + ")" * 30),
    "counters beside a variable": large(
        "x: 0..30, a: [n, y], b: [n, y]", "x: 0, a: n, b: n", clause="G (times(a = y) + times(b = y) <= x)"
    ),
    "three large variables": large(
        *listed(3, "0..200", "0"),
        "{when: v0 + v1 + v2 < 200, set: {v0: v0 + v1 + v2}}",
        "G (v0 + v1 - v2 < 300)",
    ),
    "sixty summed variables": large(
        *listed(60, "0..9", "0"),
        clause=f"G ({SUM_60} < 300)",
        dominance=f"({SUM_60}) / 540 - v0 / 999 + v0 / 999",
    ),
    "a thousand large variables": large(*listed(999, "0..9999", "0"), f"{{set: {{{CYCLE}}}}}"),
}


@pytest.mark.parametrize("text", WORK.values(), ids=WORK.keys())
def test_small_files_that_took_long_are_read_in_few_steps(text: str) -> None:
    steps: list[str] = []
    configuration(scenario_from_text(text, "f.yaml"), None, watched(steps.append))
    assert len(steps) < 100_000


@pytest.mark.parametrize("text", WORK.values(), ids=WORK.keys())
def test_reading_ends_wherever_the_time_is_over(text: str) -> None:
    steps: list[str] = []
    scenario = scenario_from_text(text, "f.yaml")
    configuration(scenario, None, watched(steps.append))
    for stop in (1, len(steps) // 3, len(steps) - 1):
        seen: list[str] = []

        def interrupt(doing: str, seen: list[str] = seen, stop: int = stop) -> None:
            seen.append(doing)
            if len(seen) >= stop:
                raise LimitError("the time ran out")

        with pytest.raises(LimitError, match="the time ran out"):
            configuration(scenario, None, watched(interrupt))
        assert len(seen) <= stop + 1


# -- mutations --------------------------------------------------------------------------------------

WORDS = [*"G{}[]&*!\"'|#é\0()", "null", "true", "-1", "1e9", "0..3", "->", "times(", "F[<=3]", "defender"]
WORDS += [": ", "- ", "\n", "\t", "count(* in {C})"]


def mutated(text: str, rng: random.Random) -> str:
    """A copy of the text with a few bytes, words or lines changed."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 4) :]
        elif kind == 1:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + chr(rng.randrange(32, 127)) + text[at + 1 :]
        else:
            lines = text.splitlines(keepends=True)
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            if kind == 3:
                del lines[i]
            elif kind == 4:
                lines[i], lines[j] = lines[j], lines[i]
            else:
                lines.insert(i, lines[j])
            text = "".join(lines)
        text = text or "x"
    return text


def without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


@pytest.mark.parametrize("name", ["paper", "paper-formulas", "water-tank", "patrol-robot"])
def test_mutations_of_the_shipped_files_are_read_or_refused(name: str) -> None:
    original = without_comments((SCENARIOS / f"{name}.yaml").read_text(encoding="utf-8"))
    n_refused = 0
    for seed in range(150):
        text = mutated(original, random.Random(f"{name} {seed}"))
        try:
            scenario = scenario_from_text(text, "f.yaml")
            for variant in (None, *scenario.variants):
                configuration(scenario, variant)
                learning(scenario, variant)
        except HoldfastError as error:
            n_refused += 1
            assert re.match(r"f\.yaml:\d+:\d+: \S", str(error)), f"seed {seed}: {error}"
    assert 0 < n_refused < 150


HEAD = "holdfast: 1\nnetwork: {hosts: [GW, ERP], links: [], entry: GW}\nspecs:\n"


@pytest.mark.parametrize(
    ("specs", "place", "words"),
    [
        ("  defender:\n    - G (GW != Z)\n   - G true\n", "6:4", "this dash is not aligned with the one before"),
        ("  defender:\n    - G (GW != Z)\n  - G true\n", "6:3", "this dash is not aligned with the one before"),
        ("  defender:\n    - G (GW != Z)\n      - G true\n", "6:7", "this dash is indented deeper than the one above"),
        ("  defender:\n    -G true\n", "5:5", "expected a blank after the dash of a list"),
        ("  defender: - G true\n", "4:13", "a list with dashes starts on the line below its key"),
        ("  defender: [G !compromised(ERP)]\n", "4:17", "as in ERP = X: C clean, X compromised, D detected, I isolated"),
        ("  defender: [G !bad(ERP)]\n", "4:17", "as in ERP = C: C clean, X compromised, D detected, I isolated"),
        ("  defender: [G !destroyed]\n", "4:17", "as in GW = Z: C clean, X compromised"),
        ("  defender: [G (ERP != destroyed)]\n", "4:24", "Z is destroyed"),
    ],
)  # fmt: skip
def test_mistakes_of_people_who_are_new_to_it(specs, place, words):
    """Should say what the writer most likely did, and list the statuses where one was meant."""
    check(refusal(HEAD + specs), place, words)


SPREAD = """
holdfast: 1
game:
  variables: {x: 0..3, DEFENSIBLE: 0..3}
  initial: {x: 0, DEFENSIBLE: 1}
  defender: {rest: {}}
  adversary: {up: [{when: x < 3, set: {x: x + 1}}]}
specs:
  defender:
    - |
      G (x <=
      DEFENSIBLE)
  adversary:
    - "G (up -> x <=\nDEFENSIBLE + 2)"
variants: {less: {}}
"""


@pytest.mark.parametrize(
    "command",
    [
        ("check",), ("check", "--markdown"), ("explain",), ("compare", "--no-learning"), ("automata",),
        ("automata", "--format", "dot"), ("playbook",), ("recommend",),
    ],
)  # fmt: skip
def test_no_text_of_a_scenario_starts_a_line(tmp_path, command):
    """Should show a formula on one line, however it is spread in the file, in the answer of every command."""
    file = tmp_path / "spread.yaml"
    file.write_text(SPREAD, "utf-8")
    done = holdfast(command[0], str(file), *command[1:], timeout=60)
    assert done.returncode in (0, 1, 2), done.stderr
    for line in (*done.stdout.splitlines(), *done.stderr.splitlines()):
        assert not line.startswith("DEFENSIBLE"), line


def test_no_name_of_an_import_starts_a_line(tmp_path):
    """Should tell of a foreign name within its line."""
    source, output = tmp_path / "links.csv", tmp_path / "out.yaml"
    source.write_text('from,to\nGW,"DB\nfirst check: DEFENSIBLE"\n', "utf-8")
    done = holdfast("import", str(source), "-o", str(output), "--no-check")
    assert not any(line.startswith("first check") for line in (done.stdout + done.stderr).splitlines()), done
