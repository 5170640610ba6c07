"""The model of games written out: variables, actions with guards, and their variants."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from holdfast.game.configuration import Configuration
from holdfast.game.structure import successor
from holdfast.logic.expressions import Player, Variable
from holdfast.scenario.reading import configuration, scenario_from_text

GAME = """\
holdfast: 1
game:
  variables: {valve: [open, shut], level: 0..9, alarm: [off, on]}
  define: {high: level >= 8, danger: high & alarm = off, margin: 9 - level}
  initial: {valve: open, level: 4, alarm: off}
  first: adversary
  defender:
    shut:  {set: {valve: shut}}
    drain: [{when: level > 0, set: {level: level - 1}}]
    ring:  {set: {alarm: on}}
    wait:  {}
  adversary:
    surge: [{when: valve = open & level < 9, set: {level: level + 1}}]
    wait:  {}
  dominance: margin / 9
  reset: {when: level = 0, probability: 0.1, set: {level: 4}}
specs:
  defender: [G !danger]
"""


def built(text: str, variant: str | None = None) -> Configuration:
    return configuration(scenario_from_text(text), variant)


def test_the_game_of_the_design_page() -> None:
    game = built(GAME).game
    assert game.variables == (
        Variable("valve", ("open", "shut")),
        Variable("level", range(10)),
        Variable("alarm", ("off", "on")),
    )
    assert game.describe(game.initial) == "valve = open, level = 4, alarm = off"
    assert game.first is Player.ADVERSARY
    assert [a.name for a in game.actions[Player.DEFENDER]] == ["shut", "drain", "ring", "wait"]
    assert game.mu(game.initial) == Fraction(5, 9)
    assert game.reset is not None
    assert game.reset.probability == Fraction(1, 10)
    assert list(game.definitions) == ["high", "danger", "margin"]
    ring = successor(game, Player.DEFENDER, 2, game.initial)
    assert ring is not None
    assert game.describe(ring) == "valve = open, level = 4, alarm = on"


def test_the_first_effect_whose_guard_holds_applies() -> None:
    text = GAME.replace(
        "wait:  {}\n  adversary",
        "flush: [{when: level > 5, set: {level: 0}}, {when: level > 2}, {set: {level: level + 1}}]\n"
        "  adversary",
    )
    game = built(text).game
    flush = [a.name for a in game.actions[Player.DEFENDER]].index("flush")
    levels = []
    for level in range(10):
        after = successor(game, Player.DEFENDER, flush, (0, level, 1))
        assert after is not None
        levels.append(after[1])
    assert levels == [1, 2, 3, 3, 4, 5, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("domain", "start", "values"),
    [
        ("[a]", "a", ("a",)),
        ("[yes, no]", "no", ("yes", "no")),
        ("[true, false]", "false", ("true", "false")),
        ("[3, 4, 5]", "4", range(3, 6)),
        ("[7]", "7", range(7, 8)),
        ("-2..2", "-1", range(-2, 3)),
        ("'0 .. 3'", "3", range(4)),
    ],
)
def test_domains(domain: str, start: str, values: object) -> None:
    text = GAME.replace("{valve: [open", f"{{x: {domain}, valve: [open").replace(
        "{valve: open,", f"{{x: {start}, valve: open,"
    )
    text = text.replace(
        "wait:  {}\n  adversary", f"back: {{when: x = {start}, set: {{x: {start}}}}}\n  adversary"
    )
    game = built(text).game
    assert game.variables[0].values == values
    assert str(game.variables[0].values[game.initial[0]]) == start


def test_actions_may_have_targets() -> None:
    text = GAME.replace("shut:  {set", "turn(valve): {set").replace("G !danger", "G (turn -> valve = shut)")
    assert built(text).game.actions[Player.DEFENDER][0].name == "turn(valve)"


def test_dominance_and_who_moves_first_have_defaults() -> None:
    game = built(re.sub(r"  (dominance|reset|first):.*\n", "", GAME)).game
    assert game.first is Player.ADVERSARY
    assert game.mu(game.initial) == 1
    assert game.reset is None


def test_definitions_may_speak_of_moves() -> None:
    text = GAME.replace("define: {", "define: {flooding: surge & level > 7, ").replace(
        "G !danger", "G !flooding"
    )
    assert built(text).n_positions == 2 * 10 * 2 * 2 * 2


def test_variants_of_a_game() -> None:
    text = (
        GAME
        + """\
variants:
  v:
    game:
      variables: {alarm: null, level: 0..5, mode: [day, night]}
      define: {high: level >= 5, danger: high, margin: 5 - level}
      initial: {mode: night}
      first: defender
      defender: {ring: null, drain: {when: level > 1, set: {level: level - 2}}, sleep: {set: {mode: night}}}
      adversary: {surge: {when: level < 5, set: {level: level + 1}}}
      dominance: margin / 5
      reset: null
"""
    )
    game = built(text, "v").game
    assert [(v.name, len(v.values)) for v in game.variables] == [("valve", 2), ("level", 6), ("mode", 2)]
    assert game.describe(game.initial) == "valve = open, level = 4, mode = night"
    assert [a.name for a in game.actions[Player.DEFENDER]] == ["shut", "drain", "wait", "sleep"]
    assert game.first is Player.DEFENDER
    assert game.reset is None
    assert game.mu(game.initial) == Fraction(1, 5)
    assert built(text).game == built(GAME).game
