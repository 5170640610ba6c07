"""What a scenario file can say, and the configurations that come of it."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from holdfast.errors import InputError
from holdfast.game.configuration import Configuration
from holdfast.game.protocol import Protocol
from holdfast.game.structure import GameStructure, successor
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_game
from holdfast.readings.metrics import static_reading
from holdfast.scenario.reading import (
    Scenario,
    configuration,
    learning,
    load,
    read_scenario,
    scenario_from_text,
)
from holdfast.scenario.registry import all_models
from holdfast.scenario.schema import LearningSection, json_schema
from holdfast.scenario.text.yaml import Node, data, read_yaml
from holdfast.solver.engines import solve
from holdfast.solver.solution import rank
from paths import SCENARIOS

SHIPPED = sorted(path.name for path in SCENARIOS.glob("*.yaml"))

NETWORK = """\
holdfast: 1
name: Small segment
description: Three hosts in a row.
network:
  hosts: [GW, Web, DB]
  links: [GW -> Web, Web -> DB]
  entry: GW
specs:
  defender: [G (DB != Z)]
  adversary: [G (times(destroy) <= 2)]
"""


def built(text: str, variant: str | None = None) -> Configuration:
    return configuration(scenario_from_text(text), variant)


def links_of(game: GameStructure) -> set[tuple[str, str]]:
    """The links of a network game, read off the effects of ``spread``."""
    hosts = [v.name for v in game.variables]
    found = set()
    for target in hosts:
        action = next(
            i for i, a in enumerate(game.actions[Player.ADVERSARY]) if a.name == f"spread({target})"
        )
        for source in hosts:
            state = tuple(int(host == source) for host in hosts)
            if source != target and successor(game, Player.ADVERSARY, action, state) != state:
                found.add((source, target))
    return found


def yaml(text: str) -> object:
    return data(read_yaml(text, "f.yaml"))


# -- the reader -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("NO", "NO"),
        ("Y", "Y"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("12:30:45", "12:30:45"),
        ("2024-01-31", "2024-01-31"),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("-3", -3),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("-.inf", -math.inf),
        ("0..9", "0..9"),
        ("'1'", "1"),
        ('"on"', "on"),
        ("GW -> Web", "GW -> Web"),
        ("=", "="),
    ],
)
def test_plain_scalars_follow_the_core_schema_of_yaml_1_2(text: str, value: object) -> None:
    assert yaml(f"x: {text}\n") == {"x": value}
    assert type(yaml(f"x: {text}\n")["x"]) is type(value)  # type: ignore[index]


def test_keys_are_text() -> None:
    assert yaml("{1: a, on: b, true: c, null: d}") == {"1": "a", "on": "b", "true": "c", "null": "d"}


def test_aliases_are_expanded() -> None:
    assert yaml("a: &x [1, 2]\nb: *x\nc: [*x, *x]\n") == {"a": [1, 2], "b": [1, 2], "c": [[1, 2], [1, 2]]}


def test_a_byte_order_mark_and_a_document_header_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbf---\r\n" + NETWORK.replace("\n", "\r\n").encode() + b"...\r\n")
    assert read_scenario(path).name == "Small segment"
    assert load(path).n_positions == built(NETWORK).n_positions


def places(node: Node, offsets: range) -> list[tuple[int, int]]:
    return [node.source.place(node.index(offset)) for offset in offsets]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: abc", [(1, 4), (1, 5), (1, 6)]),
        ("x:   'abc'", [(1, 7), (1, 8), (1, 9)]),
        ('x: "abc"', [(1, 5), (1, 6), (1, 7)]),
        ("x: |\n  abc\n", [(2, 3), (2, 4), (2, 5)]),
        ("é: {ü: abc}", [(1, 8), (1, 9), (1, 10)]),
        ("x: 'a''b'", [(1, 5), (1, 6), (1, 8)]),
        ("x: >\n   a\n   bc\n", [(2, 4), (2, 5), (3, 4)]),
        ("x: a\r\n  bc", [(1, 4), (1, 5), (2, 3)]),
    ],
)
def test_every_character_of_a_scalar_has_its_place(text: str, expected: list[tuple[int, int]]) -> None:
    (node,) = read_yaml(text, "f.yaml").entries.values()
    node = next(iter(node.entries.values()), node)
    assert places(node, range(3)) == expected


# -- scenarios --------------------------------------------------------------------------------------


def test_a_scenario_is_a_frozen_value() -> None:
    scenario = scenario_from_text(NETWORK)
    assert (scenario.name, scenario.description, scenario.variants) == (
        "Small segment",
        "Three hosts in a row.",
        (),
    )
    assert scenario.path is None
    assert scenario.text == NETWORK
    assert scenario == scenario_from_text(NETWORK)
    with pytest.raises(AttributeError):
        scenario.name = "x"  # type: ignore[misc]


def test_a_file_without_a_name_is_called_after_itself(tmp_path: Path) -> None:
    path, nameless = tmp_path / "plant.yaml", NETWORK.replace("name: Small segment\n", "")
    path.write_text(nameless)
    scenario = read_scenario(str(path))
    assert isinstance(scenario, Scenario)
    assert (scenario.name, scenario.path) == ("plant", path)
    assert scenario_from_text(nameless).name == "scenario"


def test_the_network_section_is_the_network_game() -> None:
    found = built(NETWORK)
    expected = network_game(["GW", "Web", "DB"], [("GW", "Web"), ("Web", "DB")], "GW")
    assert found.game == expected
    assert (found.name, found.variant) == ("Small segment", None)
    assert [a.n_states for a in (*found.defender, *found.adversary)] == [2, 4]
    assert found.n_positions == 125 * 2 * 2 * 4


def test_specs_may_be_empty() -> None:
    assert built(re.sub(r"specs:(.|\n)*", "specs: {}\n", NETWORK)).n_positions == 250
    assert built(re.sub(r"specs:(.|\n)*", "specs: {defender: []}\n", NETWORK)).n_positions == 250


def test_hosts_may_have_names_that_yaml_1_1_would_eat() -> None:
    text = NETWORK.replace("GW", "NO").replace("Web", "on").replace("DB", "web-2")
    assert [v.name for v in built(text).game.variables] == ["NO", "on", "web-2"]


def test_links_in_both_directions() -> None:
    assert links_of(built(NETWORK.replace("Web -> DB", "Web<->DB")).game) == {
        ("GW", "Web"),
        ("Web", "DB"),
        ("DB", "Web"),
    }


@pytest.mark.parametrize(
    ("reset", "probability"),
    [
        ("", Fraction(1, 10)),
        ("reset: {probability: 0.25}", Fraction(1, 4)),
        ("reset: {probability: 1e-1}", Fraction(1, 10)),
        ("reset: {probability: 1}", Fraction(1)),
        ("reset: none", None),
        ("reset: null", None),
    ],
)
def test_resets_of_a_network(reset: str, probability: Fraction | None) -> None:
    game = built(NETWORK.replace("entry: GW", f"entry: GW\n  {reset}")).game
    assert (game.reset.probability if game.reset else None) == probability


def test_groups_of_hosts() -> None:
    text = NETWORK.replace("[GW, Web, DB]", "[GW, ws: {count: 3}, DB]").replace(
        "[GW -> Web, Web -> DB]", "[GW -> ws, ws -> ws, ws2 -> DB]"
    )
    game = built(text).game
    members = ["ws1", "ws2", "ws3"]
    assert [v.name for v in game.variables] == ["GW", *members, "DB"]
    assert links_of(game) == {
        *(("GW", m) for m in members),
        *((m, n) for m in members for n in members if m != n),
        ("ws2", "DB"),
    }


def test_a_large_group_stays_cheap() -> None:
    text = NETWORK.replace("[GW, Web, DB]", "[GW, Web, DB, ws: {count: 500}]")
    assert built(text.replace("[GW -> Web,", "[GW -> ws, GW -> Web,")).game.n_valuations == 5**503


AUTOMATON = """
    - name: twice
      automaton:
        states: [0, 1, viol]
        initial: 0
        accepting: [0, 1]
        edges:
          - {from: 0, to: 0, when: "!(DB in {X, D})"}
          - {from: 0, to: 1, when: "DB in {X, D}"}
          - {from: 1, to: 1, when: DB != Z}
          - {from: 1, to: viol, when: DB = Z}
          - {from: viol, to: viol, when: true}
"""


def test_an_automaton_in_place_of_a_formula() -> None:
    (automaton,) = built(NETWORK.replace(" [G (DB != Z)]\n", AUTOMATON)).defender
    assert (automaton.source, automaton.states) == ("twice", ("0", "1", "viol"))
    assert automaton.accepting == (True, True, False)
    codes = {"GW": 0, "Web": 0, "DB": 1}
    assert automaton.read(0, codes, None) == 1
    assert automaton.read(1, codes | {"DB": 4}, None) == 2


@pytest.mark.parametrize(
    "clause",
    [
        "G (DB != Z)",
        "'G (DB != Z)'",
        '"G (DB != Z)"',
        "|\n      G (DB != Z)\n",
        ">-\n      G\n      (DB != Z)\n",
        "G\n      (DB\n      != Z)",
        '"G (\\x44B != Z)"',
    ],
)
def test_formulas_in_every_style_of_scalar(clause: str) -> None:
    found = built(NETWORK.replace(" [G (DB != Z)]", f"\n    - {clause}")).defender[0]
    expected = built(NETWORK).defender[0]
    assert (found.states, found.delta, found.atoms) == (expected.states, expected.delta, expected.atoms)


def test_a_named_formula() -> None:
    found = built(NETWORK.replace("[G (DB != Z)]", "[{name: the database lives, formula: G (DB != Z)}]"))
    (clause,) = found.requirement
    assert (clause.label, clause.text) == ("the database lives", "G (DB != Z)")
    assert found.defender[0].delta == built(NETWORK).defender[0].delta


# -- variants ---------------------------------------------------------------------------------------

VARIANTS = """\
variants:
  cut: {description: without a way in, remove_links: [GW -> Web]}
  more: {add_links: [DB <-> GW]}
  other: {links: [GW <-> DB]}
  inside: {entry: Web, reset: none}
  grown: {add_hosts: [BK, ws: {count: 2}], add_links: [DB -> BK, BK -> ws]}
  shrunk: {remove_hosts: [Web], specs: {defender: []}}
  milder: {specs: {adversary: [G !destroy]}}
  quick: {learning: {episodes: 50}}
"""


@pytest.mark.parametrize(
    ("variant", "hosts", "links"),
    [
        (None, "GW Web DB", {"GW Web", "Web DB"}),
        ("cut", "GW Web DB", {"Web DB"}),
        ("more", "GW Web DB", {"GW Web", "Web DB", "DB GW", "GW DB"}),
        ("other", "GW Web DB", {"GW DB", "DB GW"}),
        ("grown", "GW Web DB BK ws1 ws2", {"GW Web", "Web DB", "DB BK", "BK ws1", "BK ws2"}),
        ("shrunk", "GW DB", set()),
    ],
)
def test_variants_of_a_network(variant: str | None, hosts: str, links: set[str]) -> None:
    found = built(NETWORK + VARIANTS, variant)
    assert [v.name for v in found.game.variables] == hosts.split()
    assert links_of(found.game) == {tuple(link.split()) for link in links}
    assert (found.variant, found.name) == (variant, "Small segment")


def test_a_variant_with_another_entry() -> None:
    game = built(NETWORK + VARIANTS, "inside").game
    assert game.describe(game.initial) == "GW = C, Web = X, DB = C"
    assert game.reset is None


def test_a_variant_replaces_the_clauses_of_one_side_only() -> None:
    found, base = built(NETWORK + VARIANTS, "milder"), built(NETWORK)
    assert [a.source for a in found.adversary] == ["G !destroy"]
    assert found.defender == base.defender


def test_the_base_has_other_names() -> None:
    for name in ("base", "reference"):
        assert built(NETWORK + VARIANTS, name).variant is None


def test_groups_in_the_changes_of_a_variant() -> None:
    text = NETWORK.replace("[GW, Web, DB]", "[GW, Web, DB, ws: {count: 3}]").replace(
        "[GW -> Web, Web -> DB]", "[GW -> ws, ws1 -> DB]"
    )
    text += """\
variants:
  a: {remove_links: [GW -> ws]}
  b: {remove_hosts: [ws]}
  c: {remove_hosts: [ws2], add_links: [ws -> DB]}
"""
    assert links_of(built(text, "a").game) == {("ws1", "DB")}
    assert [v.name for v in built(text, "b").game.variables] == ["GW", "Web", "DB"]
    assert links_of(built(text, "c").game) == {("GW", "ws1"), ("GW", "ws3"), ("ws1", "DB"), ("ws3", "DB")}


def test_anchors_share_clauses_between_variants() -> None:
    text = NETWORK.replace("[G (DB != Z)]", "[&db G (DB != Z)]")
    text += "variants: {v: {specs: {defender: [*db, G (active >= 2)]}}}\n"
    assert [a.source for a in built(text, "v").defender] == ["G (DB != Z)", "G (active >= 2)"]


# -- learning ---------------------------------------------------------------------------------------


def test_the_paper_s_protocol_is_the_default() -> None:
    expected = Protocol(0.05, 0.95, 0.5, 0.1, 3000, 1000, 200, 10, 5.0)
    assert learning(scenario_from_text(NETWORK)) == Protocol() == expected


def test_settings_of_a_variant_lie_over_those_of_the_base() -> None:
    scenario = scenario_from_text(NETWORK + VARIANTS + "learning: {seeds: 3, alpha: 0.1, q_initial: 0}\n")
    assert learning(scenario) == Protocol(seeds=3, alpha=0.1, q_initial=0.0)
    assert learning(scenario, "quick") == Protocol(seeds=3, alpha=0.1, q_initial=0.0, episodes=50, window=50)


# -- the schema -------------------------------------------------------------------------------------


def test_the_json_schema_describes_every_key() -> None:
    schema = json_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert schema["properties"]["holdfast"]["const"] == 1
    assert schema["additionalProperties"] is False
    for name, part in {"ScenarioFile": schema, **schema["$defs"]}.items():
        assert part["description"], name
        for key, value in part["properties"].items():
            assert value.get("description"), f"{name}.{key}"
    assert set(schema["$defs"]["ClauseEdge"]["properties"]) == {"from", "to", "when"}


# -- shipped files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_build_in_every_variant(name: str) -> None:
    scenario = read_scenario(SCENARIOS / name)
    for variant in (None, *scenario.variants):
        assert configuration(scenario, variant).variant == variant
        assert learning(scenario, variant) == Protocol()


@pytest.mark.parametrize(
    "variant", [None, "fully-connected", "unlimited-destroys", "two-active", "no-bypass"]
)
def test_the_paper_s_cases_have_the_paper_s_size(variant: str | None) -> None:
    found = load(SCENARIOS / "paper.yaml", variant)
    assert (found.n_positions, found.n_unsafe) == (150_000, 100_000)
    n_links = {"fully-connected": 13, "no-bypass": 5}.get(variant or "", 6)
    assert len(links_of(found.game)) == n_links


@pytest.mark.parametrize(
    ("name", "variant", "shells", "rank_of_start"),
    [
        ("water-tank", None, (4, 2), None),
        ("water-tank", "no-drain", None, 3),
        ("water-tank", "one-fill", None, None),
        ("patrol-robot", None, None, 6),
        ("patrol-robot", "no-lingering", None, None),
        ("patrol-robot", "no-hold", None, None),
        ("patrol-robot", "strict", None, 5),
    ],
)
def test_the_answers_worked_out_by_hand(
    name: str, variant: str | None, shells: tuple[int, ...] | None, rank_of_start: int | None
) -> None:
    found = load(SCENARIOS / f"{name}.yaml", variant)
    solution = solve(found, "explicit")
    assert solution.defensible == (rank_of_start is None)
    assert rank(solution, found.initial) == rank_of_start
    assert shells is None or solution.shells == shells


@pytest.mark.parametrize("variant", [None, "fully-connected", "two-active", "no-bypass"])
def test_formulas_and_automata_give_the_same_readings(variant: str | None) -> None:
    readings = [
        static_reading(solve(load(SCENARIOS / name, variant), "explicit"))
        for name in ("paper.yaml", "paper-formulas.yaml")
    ]
    assert readings[0] == readings[1]


def test_formulas_and_automata_agree_on_what_case_3_reaches() -> None:
    readings = [
        static_reading(solve(load(SCENARIOS / name, "unlimited-destroys"), "explicit"))
        for name in ("paper.yaml", "paper-formulas.yaml")
    ]
    assert readings[0].reach == readings[1].reach
    assert readings[0].shield_latitude == readings[1].shield_latitude


@pytest.mark.parametrize("text", [model.stub for model in all_models().values()])
def test_the_stubs_are_scenarios(text: str) -> None:
    scenario = scenario_from_text(text)
    for variant in (None, *scenario.variants):
        configuration(scenario, variant)


def test_named_sets_of_hosts():
    """Should let a set, or a group, stand for its members in count and in links."""
    text = """
holdfast: 1
network:
  hosts: [GW, {ws: {count: 3}}, DB, BK]
  sets: {critical: [DB, BK], inside: [ws, DB]}
  links: [GW -> inside, DB -> BK]
  entry: GW
specs:
  defender: ["G (count(critical in {X, D, Z}) < 2)", "G (count(ws in {C}) >= 0)"]
"""
    named = configuration(scenario_from_text(text))
    plain = configuration(scenario_from_text(text.replace("critical in", "DB, BK in")))
    assert named.game.actions == plain.game.actions
    assert solve(named).shells == solve(plain).shells
    with pytest.raises(InputError, match="unknown host"):
        configuration(scenario_from_text(text.replace("[DB, BK]", "[DB, XX]")))
    with pytest.raises(InputError, match="twice"):
        configuration(scenario_from_text(text.replace("critical:", "ws:")))


def test_settings_left_out_are_those_of_the_protocol():
    """Should not matter whether the defaults are taken from the file's side or from the learners'."""
    for name, setting in LearningSection.model_fields.items():
        assert setting.default == getattr(Protocol(), name), name
