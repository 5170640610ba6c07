"""The library of scenarios: every card is complete, and every answer on it holds."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import holdfast as hf
from commands import holdfast
from holdfast.scenario.library import library_card, library_cards, library_folder, read_card
from holdfast.solver.beliefs import solve_beliefs
from paths import ROOT

CARDS = library_cards()
SHARED = Path(os.environ.get("HOLDFAST_SAMPLES", ROOT.parent / "shared" / "samples"))
ANSWER = re.compile(
    r"NOT DEFENSIBLE within (?P<rank>\d+) moves?|(?:DEFENSIBLE|(?P<seen>HELD|LOST) WITH WHAT IS SEEN), WIN (?P<win>\S+), STP (?P<stp>\S+), SLT (?P<slt>\S+)"
)


def test_the_library_should_be_the_scenarios_of_the_project():
    assert library_folder() == ROOT / "scenarios"
    names = {card.name for card in CARDS}
    assert names == {path.stem for path in (ROOT / "scenarios").iterdir()}
    assert {
        "paper",
        "office",
        "plant",
        "enterprise",
        "boutique",
        "three-sites",
        "water-tank",
        "patrol-robot",
    } <= names


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_card_should_be_complete(card):
    for told in (card.title, card.models, card.facts, card.learn):
        assert len(told) > 15
    assert list(card.answers) == ["base", *hf.read_scenario(card.path).variants]


@pytest.mark.parametrize(
    ("card", "name"),
    [(card, name) for card in CARDS for name in card.answers],
    ids=lambda x: getattr(x, "name", x),
)
def test_the_answers_on_a_card_should_hold(card, name, tmp_path):
    """Should be what the game is solved to, and a certificate of it must stand without the solver."""
    solution = hf.solve(hf.load(card.path, None if name == "base" else name))
    found = ANSWER.fullmatch(card.answers[name])
    assert found is not None, card.answers[name]
    assert solution.defensible == (found["rank"] is None)
    sight = solution.configuration.system.sight
    seen = None if sight is None or sight.placed is None else solve_beliefs(solution, sight).defensible
    assert seen == {None: None, "HELD": True, "LOST": False}[found["seen"]]
    if solution.defensible:
        reading = hf.static_reading(solution)
        read = (reading.winning_fraction, reading.shell_steepness, reading.shield_latitude)
        assert [f"{value:.4f}" for value in read] == [found["win"], found["stp"], found["slt"]]
    else:
        assert hf.rank(solution, solution.configuration.initial) == int(found["rank"])
    verdict = hf.verify(hf.certify(solution))
    assert verdict.valid and verdict.defensible == solution.defensible


def renamed(links, names):
    return {(names.get(a, a), names.get(b, b)) for a, b in links}


FAMILY = {
    None: ("small", {"h1_0": "Gate", "h2_0": "A", "h4_0": "B", **{f"h3_{i}": f"s{i}" for i in range(5)}}),
    "honeypot": (
        "small-honeypot",
        {"h1_0": "Gate", "h2_0": "A", "h4_0": "B", **{f"h3_{i}": f"s{i}" for i in range(5)}},
    ),
    "linear": (
        "small-linear",
        {
            "h1_0": "Gate",
            "h3_0": "A",
            "h4_0": "B",
            "h2_0": "s0",
            "h3_1": "s1",
            "h5_0": "s2",
            "h5_1": "s3",
            "h6_0": "s4",
        },
    ),
}


@pytest.mark.parametrize("variant", FAMILY)
def test_the_nasim_family_should_be_what_is_imported(variant):
    import nasim

    name, names = FAMILY[variant]
    found = hf.import_network(
        Path(nasim.__file__).parent / "scenarios" / "benchmark" / f"{name}.yaml"
    ).network
    graph = hf.load(library_card("three-sites").path, variant).system.graph
    assert set(graph.arrows) == renamed(found.links, names)
    assert {names[host] for host in found.critical} == {"A", "B"}
    assert {names[host] for host in found.exposed} == set(graph.marked("entry") or graph.marked("exposed"))


def test_the_enterprise_should_be_what_is_imported_of_cage_2():
    if not (SHARED / "cyborg-scenario2.yaml").exists():
        pytest.skip("the shared samples are not here; HOLDFAST_SAMPLES names their folder")
    found = hf.import_network(SHARED / "cyborg-scenario2.yaml").network
    names = {f"User{i}": f"User{i + 1}" for i in range(5)} | {f"Enterprise{i}": f"Ent{i}" for i in range(3)}
    names |= {f"Op_Host{i}": f"OpHost{i + 1}" for i in range(3)} | {"Op_Server0": "OpServer"}
    graph = hf.load(library_card("enterprise").path).system.graph
    assert set(graph.arrows) == renamed(found.links, names)
    assert [names[host] for host in found.entry] == ["User1"]


def test_init_should_list_the_library_and_copy_from_it(tmp_path):
    listed = holdfast("init", "--list", cwd=tmp_path)
    assert listed.returncode == 0
    for card in CARDS:
        assert f"\n{card.name}\n" in f"\n{listed.stdout}" and card.title in listed.stdout
    done = holdfast("init", "--like", "plant", cwd=tmp_path)
    assert done.stdout == "wrote plant.yaml; now run: holdfast check plant.yaml\n"
    assert (tmp_path / "plant.yaml").read_text("utf-8") == (ROOT / "scenarios" / "plant.yaml").read_text(
        "utf-8"
    )
    assert holdfast("init", "mine.yaml", "--like", "office", cwd=tmp_path).returncode == 0
    assert read_card(tmp_path / "mine.yaml").title == library_card("office").title
    wrong = holdfast("init", "--like", "plnt", cwd=tmp_path)
    assert wrong.returncode == 2 and 'did you mean "plant"?' in wrong.stderr
