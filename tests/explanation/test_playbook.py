"""Playbooks: early or late, exact wherever play under them comes, and proved without the solver."""

import json
import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import certificates
import holdfast as hf
import segments
import strategies
from holdfast.apps.cli import app
from holdfast.certificates.verify.checking import verify
from holdfast.errors import InputError, LimitError
from holdfast.explanation.playbook import decision_list, listed_play, playbooks
from holdfast.explanation.playbook.playbooks import MANY, Playbook, playbook, playbook_object
from holdfast.explanation.playbook.proof import certify_playbook
from holdfast.explanation.playbook.set_play import set_play
from holdfast.explanation.playbook.strategies import EarlyStrategy, LateStrategy
from holdfast.explanation.playbook.traits import RuleList, traits_of
from holdfast.report import playbook_document, rendered
from reference_playbook import (
    DEFENDER,
    Literal,
    assert_early_everywhere,
    assert_lazy_everywhere,
    forged,
    judged,
    spoken,
)

PAPER = "scenarios/paper.yaml"

# -- the literal twin, on games of every kind ---------------------------------------------------------


def segment(rng):
    """A network of two or three hosts with any of the options."""
    design = segments.random_design(rng, 3 if rng.random() < 0.5 else 2)
    return hf.configuration(hf.scenario_from_text(segments.scenario(design, rng)))


def scenario(rng):
    """A random game from the text of a scenario."""
    return hf.configuration(hf.scenario_from_text(certificates.random_scenario(rng)))


def idler(rng):
    """A random game, factored or tabulated, in which the defender may idle."""
    return strategies.random_configuration(rng, 500, strategies.with_idle_action)


def bustler(rng):
    """A random game, factored or tabulated; often no action is idle."""
    return strategies.random_configuration(rng, 500)


NEEDY = {
    segment: (2, 42, 95, 109, 148, 177, 193, 248),
    scenario: (3, 19, 22, 30, 52, 84, 86, 109, 147, 160, 202, 236, 259, 297),
    idler: (32, 49, 57, 90, 155, 201, 208, 239, 245),
}
"""Seeds of games that can be held, but not by idling: most random games are lost, or hold by themselves."""


@pytest.mark.parametrize("make", NEEDY, ids=lambda make: make.__name__)
def test_games_that_need_rules_should_be_answered_as_the_definition_says(make):
    for seed in NEEDY[make]:
        assert assert_lazy_everywhere(make(random.Random(seed))) > 0, seed


@pytest.mark.parametrize("make", [scenario, idler, bustler], ids=lambda make: make.__name__)
def test_any_random_game_should_be_answered_as_the_definition_says(make):
    for seed in range(5000, 5008):
        assert_lazy_everywhere(make(random.Random(seed)))


@pytest.mark.parametrize("make", NEEDY, ids=lambda make: make.__name__)
def test_early_rules_should_contain_at_once_and_lose_no_more_than_must_be(make):
    """Should be what the definition says, by names, whether the list contains at once or only what it must."""
    for seed in NEEDY[make]:
        configuration = make(random.Random(seed))
        assert_early_everywhere(configuration)
        late = playbook(configuration, style="late").most_lost
        assert late is None or playbook(configuration).most_lost <= late


def test_early_rules_should_contain_what_they_must_where_they_would_be_long(monkeypatch):
    """Should lose as little, and say that not everything is contained at once."""
    monkeypatch.setattr(playbooks, "MAX_AT_ONCE", -1)
    for make in (segment, scenario):
        for seed in NEEDY[make][:5]:
            configuration = make(random.Random(seed))
            found = playbook(configuration)
            assert not found.at_once
            assert_early_everywhere(configuration, found)
    assert "contains only what it must" in " ".join(hf.render(found).split())


# -- the paper ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paper():
    """The playbooks of the paper's five cases."""
    scenario = hf.read_scenario(PAPER)
    return {
        name: playbook(hf.configuration(scenario, name), style="late") for name in (None, *scenario.variants)
    }


@pytest.fixture(scope="module")
def early():
    """The early playbooks of the paper's five cases."""
    scenario = hf.read_scenario(PAPER)
    return {name: playbook(hf.configuration(scenario, name)) for name in (None, *scenario.variants)}


def test_the_paper_should_lose_fewer_hosts_early_than_late(paper, early):
    """Should lose, at a time and in the worst play, what is known; and be proved as late ones are."""
    lost = {name or "base": (early[name].most_lost, paper[name].most_lost) for name in paper}
    assert lost == {
        "base": (3, 4),
        "fully-connected": (3, 4),
        "unlimited-destroys": (3, 4),
        "two-active": (2, 4),
        "no-bypass": (2, 4),
    }
    sizes = {name or "base": len(found.instructions) for name, found in early.items()}
    assert sizes == {
        "base": 14,
        "fully-connected": 10,
        "unlimited-destroys": 13,
        "two-active": 4,
        "no-bypass": 3,
    }
    assert all(found.at_once and verify(certify_playbook(found)).valid for found in early.values())
    said = " ".join(hf.render(early["two-active"]).split())
    assert "at most 2 hosts at a time will be compromised, detected or destroyed" in said
    assert "no playbook loses fewer" in said


def test_early_rules_should_speak_of_names_where_names_will_do(early):
    """Should count only where that makes a long list shorter."""
    for found in early.values():
        counts = [c for rule in found.instructions for c in rule.conditions if c.trait.is_count]
        assert not counts or len(found.instructions) < 16
    assert not any(c.trait.is_count for rule in early["two-active"].instructions for c in rule.conditions)


def test_the_paper_should_have_short_playbooks(paper):
    """Should reach what a trial did, and stay as short as it is."""
    told = {name or "base": (p.n_positions, len(p.instructions), p.n_conditions) for name, p in paper.items()}
    assert told == {
        "base": (95, 7, 12),
        "fully-connected": (103, 6, 8),
        "unlimited-destroys": (44, 6, 11),
        "two-active": (82, 1, 1),
        "no-bypass": (82, 6, 8),
    }
    assert all(p.short and p.method == "listed" for p in paper.values())


def test_two_active_should_isolate_the_database_when_it_is_bad_and_else_do_nothing(paper):
    found = paper["two-active"]
    (rule,) = found.instructions
    assert (rule.condition, found.action(rule.action)) == ("DB is compromised", "isolate(DB)")
    assert found.default in found.idle
    rules, places = (
        RuleList(found.configuration, found.instructions, found.default),
        found.configuration.game.places,
    )
    seen, stack = {found.configuration.initial}, [found.configuration.initial]
    while stack:
        v = stack.pop()
        moves = hf.admissible_moves(found.configuration, v)
        if v.turn is DEFENDER:
            assert (rules.answer(v) == rule.action) == (v.state[places["DB"]] in (1, 2, 4))  # X, D, Z
            moves = {rules.answer(v): moves[rules.answer(v)]}
        new = set(moves.values()) - seen
        seen |= new
        stack += new
    assert sum(v.turn is DEFENDER for v in seen) == 82


def test_memory_should_only_be_asked_for_where_it_is_needed(paper):
    """Should speak of what happened before in words, and not at all without a budget of destroys."""
    rules = [rule for p in paper.values() for rule in p.instructions]
    remembered = [rule for rule in rules if rule.memory]
    assert {rule.condition for rule in remembered} == {"the number of “destroy” so far is at least 2"}
    assert not any(rule.memory for rule in paper["unlimited-destroys"].instructions)


def test_every_playbook_of_the_paper_should_be_proved(paper):
    for name, found in paper.items():
        verdict = verify(certify_playbook(found))
        assert (verdict.valid, verdict.reason, verdict.n_rules) == (True, "", len(found.instructions))
        assert (verdict.defensible, verdict.variant) == (True, name)


def test_the_example_should_be_a_play_that_keeps_to_the_rules(paper):
    for found in paper.values():
        here, game = found.configuration.initial, found.configuration.game
        rules = RuleList(found.configuration, found.instructions, found.default)
        assert any(move.rule is not None and move.rule <= len(found.instructions) for move in found.example)
        for told in found.example:
            assert told.mover == str(here.turn)
            names = [action.name for action in game.actions[here.turn]]
            number = names.index(told.action)
            if here.turn is DEFENDER:
                assert (told.rule, number) == (rules.deciding(here) + 1, rules.answer(here))
            here = hf.admissible_moves(found.configuration, here)[number]


# -- proofs -------------------------------------------------------------------------------------------


def test_forged_rules_should_be_refused_exactly_where_they_do_not_hold():
    """Should agree with the literal judge on honest and on changed rules; both kinds occur."""
    said = Counter()
    for seed in NEEDY[scenario][:8]:
        rng = random.Random(seed)
        chosen = scenario(rng)
        found = playbook(chosen)
        if not found.defensible:
            continue
        honest = json.loads(certify_playbook(found))
        assert verify(certificates.repaired(honest)).valid and judged(honest)
        names = [action.name for action in chosen.game.actions[DEFENDER]]
        for _ in range(6):
            data = forged(rng, honest | {"names": names})
            verdict = verify(certificates.repaired(data))
            assert verdict.valid == judged(data), (seed, data["witness"]["rules"], verdict.reason)
            said[verdict.valid] += 1
    assert said[False] >= 10 and said[True] >= 5


def test_every_single_change_of_the_reference_should_be_told_with_its_place(paper):
    data = json.loads(certify_playbook(paper[None]))
    for number, rule in enumerate(data["witness"]["rules"]):
        if rule["do"] == "noop(GW)":
            continue
        changed = json.loads(json.dumps(data))
        changed["witness"]["rules"][number]["do"] = "noop(GW)"
        verdict = verify(certificates.repaired(changed))
        assert not verdict.valid
        assert verdict.reason.startswith(
            "the defender move noop(GW) that the rules name leads outside at: GW ="
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"when": "DB ="}, "rule 1 cannot be read"),
        ({"when": "destroy"}, "rule 1 asks for more than the state"),
        ({"when": "G (DB = X)"}, "rule 1 cannot be read"),
        ({"do": "pray"}, 'a rule says "pray"'),
        ({"memory": [["adversary", 7, [0]]]}, "the memory of rule 1"),
        ({"memory": [["adversary", 0, [9]]]}, "the memory of rule 1"),
        ({"memory": [["nobody", 0, [0]]]}, "the memory of rule 1"),
        ({"memory": [["adversary", 0, [0]], ["adversary", 0, [1]]]}, "the memory of rule 1"),
        ({"more": 1}, "expected the entries when, memory, do"),
        ({"do": 3}, 'its entry "do" is of the wrong type'),
    ],
)
def test_what_is_no_rule_should_be_refused_in_words(paper, change, words):
    data = json.loads(certify_playbook(paper["two-active"]))
    data["witness"]["rules"][0] |= change
    with pytest.raises(InputError, match="not a certificate that can be checked") as error:
        verify(certificates.repaired(data))
    assert words in str(error.value)


def test_a_verdict_should_not_take_the_witness_of_another(paper):
    data = json.loads(certify_playbook(paper["two-active"]))
    data["verdict"] = "defensible"
    with pytest.raises(InputError, match="expected the entries"):
        verify(certificates.repaired(data))


# -- sets ---------------------------------------------------------------------------------------------


def followed(configuration, style=LateStrategy):
    """The playbook as it is made where play cannot be listed."""
    solution = hf.solve(configuration)
    strategy = style(solution)
    made = set_play(strategy, traits_of(configuration))
    rules, idle = made.rules, strategy.idle_alike
    return Playbook(
        configuration, True, None, rules.instructions, rules.default, idle, made.decides, "diagrams",
        style="late" if style is LateStrategy else "early", most_lost=made.most_lost, region=made.region,
    )  # fmt: skip


def patient(solution):
    """The early strategy that contains only what it must."""
    return EarlyStrategy(solution).patient()


@pytest.mark.parametrize("make", [segment, scenario], ids=lambda make: make.__name__)
def test_sets_should_be_answered_early_too(make):
    """Should be right by the literal definition wherever play comes, and be proved."""
    for seed in NEEDY[make][:5]:
        configuration = make(random.Random(seed))
        if configuration.game.tables is None:
            found = followed(configuration, EarlyStrategy)
            assert_early_everywhere(configuration, found)
            assert_early_everywhere(configuration, replace(followed(configuration, patient), at_once=False))
            assert not configuration.text or verify(certify_playbook(found)).valid


@pytest.mark.parametrize("make", NEEDY, ids=lambda make: make.__name__)
def test_sets_should_be_answered_lazily_too(make):
    """Should idle where that is safe, else be safe, wherever the literal search comes; and be proved."""
    for seed in NEEDY[make][:4]:
        configuration = make(random.Random(seed))
        if configuration.game.tables is not None:
            with pytest.raises(LimitError, match="a table is no diagram"):
                followed(configuration)
            continue
        found, twin = followed(configuration), Literal(configuration)
        answer = spoken(found)
        reached = twin.reached(answer)
        own = [v for v in reached if v[1] is DEFENDER]
        for v in own:
            safe = twin.whole.safe(v)
            assert answer(v) in ([a for a in safe if a in twin.idle] or safe)
        assert found.n_positions == len(own) and not reached & twin.whole.unsafe
        if configuration.text:
            data = json.loads(certify_playbook(found))
            region, _ = certificates.witnessed(data["witness"], configuration, True)
            assert region.keys() == reached and judged(data)
            assert verify(certificates.repaired(data)).valid


def test_forty_hosts_should_be_followed_as_sets():
    """Should need one rule for the 42,852 positions, of more than 5⁴⁰, that play under it reaches."""
    found = followed(hf.configuration(hf.scenario_from_text(certificates.segment_text(40))))
    assert [(rule.condition, found.action(rule.action)) for rule in found.instructions] == [
        ("DB is compromised", "isolate(DB)")
    ]
    assert (found.method, found.n_positions) == ("diagrams", 42_852)
    assert verify(certify_playbook(found)).valid


def test_what_cannot_be_listed_should_be_followed_and_said_so(monkeypatch):
    monkeypatch.setattr(listed_play, "MAX_LISTED", 50)
    found = playbook(hf.load(PAPER, "no-bypass"), style="late")
    assert (found.method, found.n_positions) == ("diagrams", 82) and found.example
    assert "too many to list" in " ".join(hf.render(found).split())


def test_a_playbook_that_does_not_get_short_should_be_given_up_in_words(monkeypatch):
    monkeypatch.setattr(decision_list, "MAX_RULES", 3)
    with pytest.raises(
        LimitError, match=r"stays long: after 3 rules .* positions still need another"
    ) as given_up:
        playbook(hf.load(PAPER), style="late")
    known = given_up.value.known
    assert known["defensible"] is True
    assert re.match(r"a defense exists, but .*; the rules so far say \w+\(.* rules?\)", known["playbook"])
    assert "export-shield" in known["playbook"]


# -- larger games, limits, forms ----------------------------------------------------------------------


def test_twelve_hosts_should_need_one_rule():
    found = playbook(hf.configuration(hf.scenario_from_text(certificates.segment_text(12))), style="late")
    assert [(rule.condition, found.action(rule.action)) for rule in found.instructions] == [
        ("DB is compromised", "isolate(DB)")
    ]
    assert found.n_positions == 1188
    assert verify(certify_playbook(found)).valid


def test_a_game_from_arrays_should_have_a_playbook_and_no_certificate():
    chosen = idler(random.Random(NEEDY[idler][0]))
    found = playbook(chosen)
    assert found.instructions and not chosen.text
    with pytest.raises(InputError, match="comes from no scenario file"):
        certify_playbook(found)


GRID = """
holdfast: 1
grid:
  branches: {L0: {from: N1, to: N0, x: 0.6, rating: 9}, L1: {from: N1, to: N0, x: 0.5, rating: 57}}
  loads: {N0: 9}
  generators: {N0: {scheduled: 21, most: 84}}
  outages: 1
  shed: [N0]
specs: {defender: [G (served >= 50)]}
"""


def test_the_rules_of_a_grid_should_be_proved_on_its_tables():
    """Should be valid as they are written, and refused where one says something else."""
    found = playbook(hf.configuration(hf.scenario_from_text(GRID)))
    honest = json.loads(certify_playbook(found))
    assert honest["witness"]["kind"] == "arrays" and len(found.instructions) == 2
    assert verify(certificates.repaired(honest)).n_rules == 2
    honest["witness"]["rules"][0]["do"] = "wait"
    verdict = verify(certificates.repaired(honest))
    assert not verdict.valid and "that the rules name leads outside" in verdict.reason


def test_the_budget_should_end_it():
    with pytest.raises(LimitError):
        playbook(hf.load(PAPER), budget=hf.Budget.lasting(0.0))


def test_a_limit_should_say_how_far_the_rules_came(paper, monkeypatch):
    """Should name the rules found so far and what they leave, whatever stops the search."""

    class Over(hf.Budget):
        def tick(self, doing="", done=None):
            if doing.endswith("looking for a rule"):
                raise LimitError("the time ran out")

    monkeypatch.setattr(hf.Budget, "part", lambda self, *given: self)
    with pytest.raises(LimitError, match="the time ran out; 0 rules found by then, and 34 of 95 positions"):
        playbook(hf.load(PAPER), style="late", budget=Over())


def test_something_else_should_be_refused():
    with pytest.raises(InputError, match="the design of a playbook"):
        playbook("segment.yaml")
    with pytest.raises(InputError, match='unknown style "erly"; known: early, late; did you mean "early"'):
        playbook(hf.load(PAPER), style="erly")


def run(*arguments):
    return CliRunner().invoke(app, ["playbook", *map(str, arguments)])


def test_the_command_should_answer_in_every_form(tmp_path):
    page, proof = tmp_path / "page.html", tmp_path / "proof.json"
    said = run(PAPER, "--variant", "two-active", "--style", "late", "--html", page, "--certificate", proof)
    assert said.exit_code == 0
    assert "1 RULE " in said.stdout and "1. If DB is compromised: isolate DB" in said.stdout
    assert "2. Otherwise: do nothing" in said.stdout
    html = page.read_text("utf-8")
    assert "DB is compromised" in html and "isolate DB" in html and "rule 1" in html
    checked = CliRunner().invoke(app, ["verify", str(proof)])
    assert checked.exit_code == 0 and "by this playbook of 1 rule" in checked.stdout
    marked = run(PAPER, "--variant", "two-active", "--style", "late", "--markdown")
    assert marked.exit_code == 0 and "If DB is compromised: **isolate DB**" in marked.stdout
    data = json.loads(run(PAPER, "--variant", "two-active", "--style", "late", "--json").stdout)
    assert (data["n_rules"], data["positions"], data["otherwise"]) == (1, 82, "noop(GW)")
    assert (data["style"], data["most_lost"]) == ("late", 4)
    early = json.loads(run(PAPER, "--variant", "two-active", "--json").stdout)
    assert (early["style"], early["at_once"], early["most_lost"], early["n_rules"]) == ("early", True, 2, 4)
    assert data["rules"][0] | {"positions": None} == {
        "if": "DB is compromised", "when": "DB = X", "memory": [], "do": "isolate(DB)", "positions": None,
    }  # fmt: skip


def test_a_lost_design_should_have_no_playbook(tmp_path):
    proof = tmp_path / "proof.json"
    said = run("scenarios/indefensible.yaml", "--certificate", proof)
    assert said.exit_code == 1 and "There is no playbook" in said.stdout
    assert not proof.exists() and "there is no playbook to certify" in said.stderr
    data = json.loads(run("scenarios/indefensible.yaml", "--json").stdout)
    assert (data["defensible"], data["rules"]) == (False, None)


def test_the_public_function_should_give_what_a_page_needs(paper):
    solution = hf.solve(hf.load(PAPER, "two-active"))
    found = hf.playbook(solution, style="late", budget=hf.Budget.lasting(60))
    assert found == paper["two-active"]
    assert hf.to_object(found)["rules"] == playbook_object(paper["two-active"])["rules"]
    assert "isolate DB" in hf.render(found, "html")


def test_a_long_playbook_should_say_so(paper):
    base = paper[None]
    several = replace(base, instructions=base.instructions * 2, decides=(*base.decides, *base.decides[1:]))
    assert len(several.instructions) > MANY and base.short and not several.short
    assert "it could not be made short" in hf.render(several)
    assert "it could not be made short" not in hf.render(base)


# -- limits ----------------------------------------------------------------------------------------------


def test_the_least_that_must_fall_is_found_in_steps_as_one_by_one():
    """Should be the first number, from none on, with which play can be kept from the start."""
    found = set()
    for seed in range(40):
        configuration = segment(random.Random(f"steps {seed}"))
        solution = hf.solve(configuration)
        if not solution.defensible:
            continue
        early = EarlyStrategy(solution)
        if early.most_lost is None:
            continue
        one_by_one = (n for n in range(10) if configuration.initial in early._kept(early.home, n))
        assert early.most_lost == next(one_by_one), seed
        assert early._kept(early.home, early.most_lost) == early.home, seed
        found.add(early.most_lost)
    assert len(found) > 1


def test_rules_that_act_late_stand_in_for_early_ones_that_a_limit_stopped(monkeypatch):
    """Should be those of --style late, and say why; without a limit nothing is said."""
    configuration = hf.load(PAPER)
    late = playbook(configuration, style="late")
    assert not playbook(configuration).not_early

    def stopped(*_):
        raise LimitError("stopped after 7 steps")

    monkeypatch.setattr(playbooks, "_early", stopped)
    found = playbook(configuration)
    assert (found.instructions, found.default, found.style) == (late.instructions, late.default, "late")
    assert found.not_early == "stopped after 7 steps"
    text = " ".join(rendered(playbook_document(found), "text").split())
    assert "act only when they must: rules that act at the first sign were not found in time" in text


def test_rules_are_told_though_a_limit_left_no_time_for_an_example(monkeypatch):
    """Should be the whole playbook but for the attack that is played against it, and say so."""
    configuration = hf.load(PAPER)
    whole = playbook(configuration)

    def stopped(*_):
        raise LimitError("stopped after 9 steps")

    monkeypatch.setattr(playbooks, "demonstration", stopped)
    found = playbook(configuration)
    assert replace(found, region=None) == replace(whole, example=(), region=None)
    assert "no attack is played against the rules: stopped after 9 steps" in rendered(
        playbook_document(found), "text"
    )
