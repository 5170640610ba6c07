"""The ladder: each rung equal to a variant of the design that was written by hand."""

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
import yaml

from cases import TIMES
from commands import holdfast
from holdfast.budget import Budget
from holdfast.design.ladder import BLIND, EVICTABLE, Ladder, RungVerdict, ladder_of, rung_gates, rungs
from holdfast.errors import InputError
from holdfast.game.configuration import configure
from holdfast.report.blocks import Document
from holdfast.report.documents.ladder import ladder_document, ladder_section
from holdfast.report.renderers.markdown import markdown
from holdfast.report.renderers.terminal import terminal
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from paths import SCENARIOS
from segments import ADVERSARY, DEFENDER, Literal, random_design, scenario, types

N_LITERAL, N_WRITTEN = 25 * TIMES, 80 * TIMES
ENGINES = ("symbolic", "explicit")

NAMES = {
    "G (h0 != Z)": {"h0"},
    "G (h1 != Z)": {"h1"},
    "G !(h0 = Z & h1 = Z)": {"h0", "h1"},
    "G (h1 in {C, I})": {"h1"},
}
"""The hosts that a clause says must not fall, by hand; the others are counts over all hosts."""


def critical(design):
    return sorted({host for text in design["requirement"] for host in NAMES.get(text, ())})


def weakened(design):
    """For each rung the designs that all have to hold besides the design itself, by hand."""
    found = {}
    can = [h for h in design["hosts"] if "isolate" not in design["cannot"].get(h, ())]
    if design["isolate"] == "any" and "isolate" in types(design, DEFENDER) and can:
        found["detect-first"] = [{**design, "isolate": "detected"}]
    slow = {**design["tempo"], DEFENDER: 2 * design["tempo"].get(DEFENDER, 1)}
    found["half-speed"] = [{**design, "tempo": slow, "reset": None}]
    if critical(design):
        found["critical-in-service"] = [{**design, "served": critical(design)}]
    own = design["entries"]
    places = [h for h in design["hosts"] if h in own or h not in critical(design)]
    others = [h for h in places if h not in own]
    if others:
        found["one-entry-more"] = [{**design, "entries": [*own, h]} for h in others]
        found["any-entry"] = [{**design, "entries": [h]} for h in places]
    if design["budget"] is not None and "destroy" in types(design, ADVERSARY):
        found["one-destroy-more"] = [{**design, "budget": design["budget"] + 1}]
    return found


class Served(Literal):
    """The literal game of a design some of whose hosts must stay in service, too."""

    def bad(self, v):
        return super().bad(v) or any(self.thaw(v[0])[h] in "IZ" for h in self.design.get("served", ()))


def written(design, rng):
    """The design as a file; what must stay in service is one more clause each."""
    data = json.loads(scenario(design, rng))
    data["specs"]["defender"] += [f"G (!({h} = I) & !({h} = Z))" for h in design.get("served", ())]
    return json.dumps(data)


def asked_again(solution, engine="auto"):
    """The ladder without the rungs that ask for more than another verdict.

    tests/solver/test_recovery.py and tests/solver/test_beliefs.py have those.
    """
    found = ladder_of(solution, engine)
    return replace(found, rungs=tuple(v for v in found.rungs if not v.rung.startswith((EVICTABLE, BLIND))))


def solved(text, engine="auto"):
    return solve(configuration(scenario_from_text(text)), engine)


def test_each_rung_is_the_literal_game_of_a_weaker_design():
    """Should have the rungs, verdicts and numbers of moves of games that are put together and solved by hand."""
    for seed in range(N_LITERAL):
        rng = random.Random(seed)
        design = random_design(rng, 2)
        found = asked_again(solved(scenario(design, rng), ENGINES[seed % 2]), ENGINES[seed % 2])
        held = Served(design).rank.get
        ranks = {
            key: [game.rank.get(game.first) for game in map(Served, designs)]
            for key, designs in weakened(design).items()
        }
        assert {v.rung for v in found.rungs} == set(ranks), seed
        lost = held(Served(design).first) is not None
        assert found.defensible is not lost, seed
        for verdict in found.rungs:
            fallen = [rank for rank in ranks[verdict.rung] if rank is not None]
            assert verdict.defensible is not (bool(fallen) or lost), (seed, verdict)
            if not lost:
                assert verdict.within == (min(fallen) if fallen else None), (seed, verdict)
            elif "entr" not in verdict.rung:
                assert fallen, (seed, verdict, "a weaker defender holds what is lost")


@pytest.mark.parametrize("engine", ENGINES)
def test_each_rung_is_a_variant_that_was_written_by_hand(engine):
    """Should equal files that say the weakening in the language of the file, all of them solved."""
    seen = Counter()
    for seed in range(1000, 1000 + N_WRITTEN // 2):
        rng = random.Random(seed)
        design = random_design(rng)
        found = asked_again(solved(scenario(design, rng), engine), engine)
        by_hand = weakened(design)
        assert {v.rung for v in found.rungs} == set(by_hand), seed
        for verdict in found.rungs:
            ranks = [solved(written(one, rng), engine).initial_rank for one in by_hand[verdict.rung]]
            fallen = [rank for rank in ranks if rank is not None]
            expected = found.defensible and not fallen
            assert verdict.defensible == expected, (seed, verdict)
            if found.defensible and fallen:
                assert verdict.within == min(fallen), (seed, verdict)
            seen[verdict.rung, verdict.defensible] += 1
    for rung, verdict in product(
        ("detect-first", "half-speed", "one-entry-more", "any-entry"), (True, False)
    ):
        assert seen[rung, verdict], (rung, verdict)


CRITICAL = {
    "paper-formulas": ["DB", "BK"],
    "boutique": ["payment"],
    "three-sites": ["A", "B"],
    "enterprise": ["OpServer"],
}


@pytest.mark.parametrize("name", CRITICAL)
def test_the_library_on_its_ladder(name):
    """Should equal the scenarios of the library with a line changed by hand."""
    data = yaml.safe_load((SCENARIOS / f"{name}.yaml").read_text("utf-8"))
    data.pop("variants", None)
    data.pop("effort", None)
    here = solved(json.dumps(data))
    found = {v.rung: v for v in asked_again(here).rungs}
    network, specs = data["network"], data["specs"]
    entries = network.get("entry") or []
    entries = [entries] if isinstance(entries, str) else entries
    places = [h for h in here.configuration.system.graph.names if h in entries or h not in CRITICAL[name]]

    def rank(**change):
        changed = {
            **data,
            "network": {**network, **change.get("network", {})},
            "specs": specs | change.get("specs", {}),
        }
        return solved(json.dumps(changed)).initial_rank

    served = [*specs["defender"], *(f"G ({host} not in {{I, Z}})" for host in CRITICAL[name])]
    assert found["detect-first"].within == rank(network={"isolate": "detected"})
    assert found["half-speed"].within == rank(network={"tempo": {"defender": 2}, "reset": "none"})
    assert found["critical-in-service"].within == rank(specs={"defender": served})
    more = [rank(network={"entry": [*entries, h], "reset": "none"}) for h in places if h not in entries]
    assert found["one-entry-more"].within == min((r for r in more if r is not None), default=None)
    single = [rank(network={"entry": h, "reset": "none"}) for h in places]
    assert found["any-entry"].within == min((r for r in single if r is not None), default=None)
    raised = [text.replace("<= 2", "<= 3") if isinstance(text, str) else text for text in specs["adversary"]]
    assert raised != specs["adversary"]
    assert found["one-destroy-more"].within == rank(specs={"adversary": raised})
    assert all(v.defensible is (v.within is None) for v in found.values())


PAIR = {
    "holdfast": 1,
    "name": "pair",
    "network": {"hosts": ["GW", "DB"], "links": ["GW -> DB"], "entry": "GW"},
    "specs": {"defender": ["G (DB != Z)"], "adversary": ["G (times(destroy) <= 1)"]},
}


def pair(network=(), **specs):
    return json.dumps({**PAIR, "network": PAIR["network"] | dict(network), "specs": PAIR["specs"] | specs})


REFERENCE = yaml.safe_load((SCENARIOS / "paper-formulas.yaml").read_text("utf-8")) | {"variants": {}}


def reference(**network):
    """The paper's segment: it holds with detection first, and not at half speed."""
    return json.dumps({**REFERENCE, "network": REFERENCE["network"] | network})


def keys(text):
    return [rung.key for rung in rungs(configuration(scenario_from_text(text)))]


def test_rungs_that_make_no_sense_are_left_out():
    """Should not ask what a design has already, what nobody can do, or what no number limits."""
    assert "detect-first" not in keys(pair({"isolate": "detected"}))
    assert "detect-first" not in keys(pair({"actions": {"defender": ["noop", "monitor"]}}))
    assert "detect-first" not in keys(pair({"actions": {"defender": ["isolate", "fix"]}}))
    assert "half-speed" not in keys(pair({"actions": {"defender": ["isolate", "fix"]}}))
    assert not {"one-destroy-more"} & {*keys(pair(adversary=[]))}
    assert not {"one-destroy-more"} & {*keys(pair(adversary=["G (times(spread | destroy) <= 3)"]))}
    assert "one-spread-more" in keys(pair(adversary=["G (times(spread) <= 1)"]))
    assert "critical-in-service" not in keys(pair(defender=["G (active >= 1)"]))
    assert "any-entry" not in keys(pair({"entry": ["GW"]}, defender=["G (DB != Z)"]))


def test_a_weakening_is_solved_where_a_clause_reads_the_defender():
    """Should not conclude from a lost design where an isolation that does nothing could fulfil a clause."""
    # The defender has to isolate DB in its first turn, and DB must not be isolated: lost, unless that fails.
    demand = "G (Y Y true & !(Y Y Y true) -> defender.isolate(DB))"
    text = pair(
        {"entry": "DB", "actions": {"adversary": ["noop"]}}, defender=["G (DB != I)", demand], adversary=[]
    )
    lost = solved(text)
    assert not lost.defensible
    assert ladder_of(lost)["detect-first"].defensible is True
    assert solved(
        pair(
            {"entry": "DB", "isolate": "detected", "actions": {"adversary": ["noop"]}},
            defender=["G (DB != I)", demand],
            adversary=[],
        )
    ).defensible


def test_a_limit_leaves_rungs_undecided():
    """Should keep what is known, and say why the rest is not."""
    found = ladder_of(solved(pair()), budget=Budget.lasting(0.0, "--timeout"))
    assert {v.defensible for v in found.rungs} == {None}
    assert all(v.note for v in found.rungs)
    told = terminal(ladder_document(found))
    assert "not decided" in told and "holds also" not in told
    assert [gate.undecided for gate in rung_gates(found, ["detect-first"])] == [True]


def test_games_and_lost_designs():
    """Should say of a lost design, without solving, that it is lost; and have no rungs for a bare game."""
    lost = solved(pair(defender=["G (DB = Z)"]))
    found = ladder_of(lost, budget=Budget.lasting(0.0))
    assert found.rungs and all(v.defensible is False for v in found.rungs)
    assert "A design that is already lost" in terminal(ladder_document(found))
    game = lost.configuration.game
    assert [v.rung for v in ladder_of(solve(configure(game, ["G (DB != Z)"]))).rungs] == ["half-speed"]
    assert ladder_section(Ladder("", None, True, ())).blocks == ()


def test_gates_on_rungs():
    """Should be met, missed or undecided; a weakening that the design has already is its own verdict."""
    found = ladder_of(solved(reference(isolate="detected")))
    first, slow = rung_gates(found, ["detect-first", "half-speed", "detect-first"])
    assert (first.met, slow.met, slow.undecided) == (True, False, False)
    assert "falls within" in slow.reading
    with pytest.raises(InputError, match=r'there is no rung "deaf" for .*; it has half-speed'):
        rung_gates(found, ["deaf"])


def test_documents_of_a_ladder():
    """Should say what each rung asks; after a check in two lines, with lamps where there is room."""
    found = Ladder(
        "one",
        "two",
        True,
        (
            RungVerdict("half-speed", "slow", True),
            RungVerdict("any-entry", "anywhere", False, 3, "WS", "spread(DB)"),
            RungVerdict("detect-first", "first", None, note="its 2 s ran out"),
        ),
    )
    alone = terminal(ladder_document(found, "one.yaml"))
    assert "anywhere" in alone and "falls within 3 moves from WS" in alone and "holds also" not in alone
    after = Document("one", (ladder_section(found),))
    told = terminal(after)
    assert "holds also with  half-speed\n" in told and "any-entry (within 3 moves from WS)" in told
    full = markdown(after)
    assert "✓ half-speed" in full and "✗ any-entry" in full and "? detect-first" in full
    assert "falls within 3 moves from WS, beginning with spread(DB)" in full
    assert "not decided: its 2 s ran out" in full


def test_the_command_line(tmp_path):
    """Should answer alone and after a check, gate both, and refuse what is no rung."""
    file = tmp_path / "segment.yaml"
    file.write_text(reference(), "utf-8")
    alone = json.loads(holdfast("ladder", str(file), "--json").stdout)
    assert alone["defensible"] is True
    assert {one["rung"]: one["defensible"] for one in alone["ladder"]}["half-speed"] is False
    both = json.loads(holdfast("check", str(file), "--json").stdout)
    assert both["ladder"] == alone["ladder"]
    assert "ladder" not in json.loads(holdfast("check", str(file), "--json", "--no-ladder").stdout)
    shown = holdfast("check", str(file))
    assert shown.returncode == 0 and shown.stdout.rindex("falls with") > shown.stdout.index("DEFENSIBLE")
    assert "Ladder" not in holdfast("check", str(file), "--no-ladder").stdout
    for command in ("check", "ladder"):
        met = holdfast(command, str(file), "--require", "ladder:detect-first", "--json")
        assert (met.returncode, json.loads(met.stdout)["gates"]) == (
            0,
            [{"axis": "ladder:detect-first", "value": True, "met": True, "undecided": False}],
        )
        missed = holdfast(command, str(file), "--require", "ladder:half-speed")
        assert missed.returncode == 1 and "gate ladder half-speed: MISSED" in missed.stdout
        for wrong in ("detect-first", "ladder:", "ladder:deaf"):
            assert holdfast(command, str(file), "--require", wrong).returncode == 2
    clash = holdfast("check", str(file), "--require", "ladder:half-speed", "--no-ladder")
    assert clash.returncode == 2 and "drop one of the two" in clash.stderr


def test_pipelines_and_folders(tmp_path):
    """Should tell a missed rung as any other gate, of one file and of several."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(json.loads(reference())), "utf-8")
    sarif, junit = tmp_path / "x.sarif", tmp_path / "x.xml"
    done = holdfast(
        "check", str(tmp_path), "--require", "ladder:half-speed", "--sarif", str(sarif), "--junit", str(junit)
    )
    assert done.returncode == 1
    results = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["missed-gate", "missed-gate"]
    assert "ladder half-speed" in results[0]["message"]["text"]
    assert 'name="gate ladder half-speed"' in junit.read_text("utf-8")


def test_a_comparison_of_ladders(tmp_path):
    """Should say which rungs each design reaches; one that has a weakening already reaches it if it holds."""
    file = tmp_path / "pair.yaml"
    data = json.loads(pair()) | {"variants": {"staffed": {"isolate": "detected"}}}
    file.write_text(json.dumps(data), "utf-8")
    done = holdfast("compare", str(file), "--no-learning", "--json")
    ladders = json.loads(done.stdout)["ladders"]
    assert [ladders[name][0]["rung"] for name in ("base", "staffed")] == ["detect-first", "half-speed"]
    shown = holdfast("compare", str(file), "--no-learning").stdout
    assert "detect-first" in shown and "✓" in shown
    assert "ladders" not in json.loads(
        holdfast("compare", str(file), "--no-learning", "--no-ladder", "--json").stdout
    )
