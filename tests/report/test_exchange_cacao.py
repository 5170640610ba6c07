"""Playbooks as CACAO: valid by the specification's rules, and executed against every admissible play."""

import copy
import json
import random
import re
from datetime import UTC, datetime
from functools import cache

import pytest
from typer.testing import CliRunner

import certificates
import holdfast as hf
import reference_cacao
import segments
from cases import TIMES
from holdfast.apps.cli import app
from holdfast.certificates.verify.checking import verify
from holdfast.explanation.playbook.playbooks import playbook
from holdfast.logic.parser import parse_predicate
from holdfast.report.exchange.cacao import cacao_object
from holdfast.running import sha256_of
from reference import value
from reference_playbook import DEFENDER, Literal
from reference_recovery import goal_positions

NOON = datetime(2026, 1, 2, 12, 30, 15, 999_999, UTC)


@cache
def library(name):
    """The playbook of a scenario of the library."""
    return playbook(hf.load(f"scenarios/{name}.yaml"), style="late")


def segment(seed):
    rng = random.Random(seed)
    design = segments.random_design(rng, 3 if rng.random() < 0.5 else 2)
    return hf.configuration(hf.scenario_from_text(segments.scenario(design, rng)))


def scenario(seed):
    return hf.configuration(hf.scenario_from_text(certificates.random_scenario(random.Random(seed))))


def observed(data, configuration, v):
    """What somebody notes who knows the game and reads what each variable is said to be."""
    game = configuration.game
    named = {x.name: x.values[c] for x, c in zip(game.variables, v[0])}
    memories = {
        clause.label: q
        for side, states in (("defender", v[2]), ("adversary", v[3]))
        for clause, q in zip(configuration.clauses(hf.Player(side)), states)
    }
    noted = {}
    for name, variable in data["playbook_variables"].items():
        told = variable["description"]
        memory = re.match('What the clause "(.*?)" remembers', told)
        about, _, body = told.partition(": ")
        if name == "__incident__":
            noted[name] = "open"
        elif memory:
            noted[name] = str(memories[memory[1]])
        elif about in named:
            noted[name] = str(named[about])
        else:
            count = parse_predicate(f"{body} = 0", configuration.system.vocabulary).left
            noted[name] = str(value(count, named))
    return noted


def said(data, configuration, v):
    """What the workflow has the defender do at v: one round of it, and the incident is closed."""
    commands, rounds = [], []

    def observe(names):
        noted = observed(data, configuration, v)
        assert set(names) == set(noted)
        rounds.append(v)
        return noted if len(rounds) == 1 else noted | {"__incident__": "closed"}

    def act(command):
        if len(rounds) == 1:
            commands.append(command)

    reference_cacao.run(data, observe, act)
    assert len(rounds) == 2 and len(commands) == 1
    return commands[0]


def answers(data, twin):
    """The defender's answer at each position, by the workflow alone."""
    configuration = twin.whole.configuration
    words = {}
    for number, action in enumerate(configuration.game.actions[DEFENDER]):
        spoken = (
            action.name.replace("(", " ", 1).removesuffix(")") if action.name.endswith(")") else action.name
        )
        words.setdefault(spoken, number)

    def answer(v):
        command = said(data, configuration, v)
        if command == "do nothing":
            return next(a for a in sorted(twin.idle) if a in twin.whole.successors[v])
        return words[command]

    return answer


def executed(configuration, **asked):
    """Follow every admissible play against the workflow; how many positions the defender moved at, or None."""
    found = playbook(configuration, **asked)
    if not found.possible:
        return None
    data = json.loads(json.dumps(cacao_object(found, "0" * 64, now=NOON)))
    assert reference_cacao.problems(data) == []
    twin = Literal(configuration)
    reached = twin.reached(answers(data, twin))
    assert not reached & twin.whole.unsafe, "φ_D breaks"
    return found, data, twin, reached


MADE = {segment: (2, 42, 95, 109, 148, 177), scenario: (3, 19, 22, 30, 52, 84, 86, 109)}
"""Seeds of games that can be held, but not by idling."""


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("style", ["early", "late"])
def test_every_admissible_play_should_keep_the_requirement(make, style):
    """Should never break φ_D, whatever the adversary does, when a workflow engine drives the defender."""
    n_rules = 0
    for seed in (*MADE[make][: 6 * TIMES], *range(7000, 7000 + 3 * (TIMES - 1))):
        outcome = executed(make(seed), style=style)
        n_rules += len(outcome[0].instructions) if outcome else 0
    assert n_rules >= 6


def test_every_admissible_play_should_reach_the_goal():
    """Should have the attacker out within the number of moves that is told, and hold from then on."""
    n_tried = 0
    for seed in range(60 * TIMES):
        configuration = segment(seed)
        for goal in ("evict", "recover"):
            outcome = executed(configuration, wanted=goal) if n_tried < 6 * TIMES else None
            if not outcome or not outcome[0].instructions:
                continue
            found, data, twin, reached = outcome
            assert data["playbook_types"] == ["mitigation", "remediation"]
            there = goal_positions(twin.whole, configuration.goals[found.wanted.goal])
            answer, away = answers(data, twin), {twin.whole.initial} - there
            away |= reached - there if twin.whole.initial in there else set()
            n_moves = 0
            while away:
                n_moves += 1
                moves = ((v, twin.whole.admissible(v)) for v in away)
                after = {
                    t for v, own in moves for t in ([own[answer(v)]] if v[1] is DEFENDER else own.values())
                }
                away = after - there
                assert n_moves <= found.within
            n_tried += 1
    assert n_tried >= 4


def test_a_forged_workflow_should_be_caught():
    """Should break the requirement, or stop making sense, with the actions of two rules exchanged: the test bites."""
    caught = 0
    for seed in MADE[segment][:4]:
        _, data, twin, _ = executed(segment(seed))
        commands = [
            s["commands"][0] for s in data["workflow"].values() if s["type"] == "action" and "targets" in s
        ]
        for command in commands:
            kept, command["command"] = command["command"], "do nothing"
            caught += bool(twin.reached(answers(data, twin)) & twin.whole.unsafe)
            command["command"] = kept
    assert caught >= 3


def test_the_papers_playbook_should_be_executed_as_it_is_written():
    """Should say at each position what the rules say, the paper's five hosts and their memory included."""
    found = library("paper")
    configuration = found.configuration
    data = cacao_object(found, "0" * 64)
    from holdfast.explanation.playbook.traits import RuleList

    rules, rng = RuleList(configuration, found.instructions, found.default), random.Random(1)
    for _ in range(300):
        state = tuple(rng.randrange(len(x.values)) for x in configuration.game.variables)
        q_a = (rng.randrange(3),)
        v = hf.Position(state, DEFENDER, configuration.initial.q_defender, q_a)
        name = found.action(rules.answer(v))
        plain = name.replace("(", " ").removesuffix(")")
        assert said(data, configuration, v) == ("do nothing" if rules.answer(v) in found.idle else plain)


# -- validity -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paper():
    return cacao_object(library("paper"), "ab" * 32, now=NOON)


@pytest.mark.parametrize("name", ["paper", "two-lines", "water-tank", "patrol-robot"])
def test_library_playbooks_should_be_valid(name):
    """Should break none of the specification's rules, for networks and for other systems."""
    data = cacao_object(library(name), "0" * 64, now=NOON)
    assert reference_cacao.problems(json.loads(json.dumps(data))) == []


DAMAGES = {
    "spec_version": lambda d: d.update(spec_version="2.0"),
    "created": lambda d: d.update(created="2026-01-02T12:30:15Z"),
    "later": lambda d: d.update(created="2027-01-02T12:30:15.000Z"),
    "start": lambda d: d.update(workflow_start=next(k for k in d["workflow"] if k.startswith("end"))),
    "dangling": lambda d: _first(d, "if-condition").update(on_true="action--" + "0" * 36),
    "branch": lambda d: _first(d, "if-condition").pop("on_completion"),
    "end": lambda d: _first(d, "end").update(on_completion=d["workflow_start"]),
    "both": lambda d: _first(d, "action").update(on_success=d["workflow_start"]),
    "agent": lambda d: _first(d, "action").update(agent="group--0"),
    "commands": lambda d: _first(d, "action").update(commands=[]),
    "variable": lambda d: d["playbook_variables"].update({"GW": {"type": "string"}}),
    "unknown": lambda d: _first(d, "if-condition").update(condition="__nobody__:value = 'X'"),
    "unread": lambda d: _first(d, "if-condition").update(condition="__gw__ = 'X'"),
    "number": lambda d: d["playbook_variables"]["__active__"].update(value=5),
    "reference": lambda d: d.update(external_references=[{"name": "nothing else"}]),
    "summary": lambda d: d["playbook_processing_summary"].update(if_logic=False),
    "activities": lambda d: d.pop("playbook_activities"),
    "target": lambda d: d.pop("target_definitions"),
    "unreached": lambda d: d["workflow"].update({_first(d, "end", key=True)[:-1] + "0": {"type": "end"}}),
}


def _first(data, kind, key=False):
    found = next(k for k, step in data["workflow"].items() if step["type"] == kind)
    return found if key else data["workflow"][found]


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_validator_should_notice_damage(paper, damage):
    """Should find what is wrong with a playbook that breaks one rule."""
    assert reference_cacao.problems(paper) == []
    broken = copy.deepcopy(paper)
    DAMAGES[damage](broken)
    assert reference_cacao.problems(broken)


def test_conditions_should_be_of_the_stix_grammar(paper):
    """Should be accepted by the committee's own validator of patterns."""
    validator = pytest.importorskip("stix2patterns.validator", reason="stix2-patterns is not installed")
    conditions = [step["condition"] for step in paper["workflow"].values() if "condition" in step]
    assert len(conditions) > 5
    for condition in conditions:
        assert validator.run_validator(f"[{condition}]") == []


# -- the command --------------------------------------------------------------------------------------


def test_the_command_should_write_all_papers(tmp_path):
    """Should write the workflow, the runbook and the sheet, all with the hash of the certificate."""
    files = {name: tmp_path / name for name in ("proof.json", "play.json", "run.md", "sheet.html")}
    given = [f"--{o}={p}" for o, p in zip(("certificate", "cacao", "runbook", "sheet"), files.values())]
    done = CliRunner().invoke(app, ["playbook", "scenarios/two-lines.yaml", *given])
    assert done.exit_code == 0, done.output
    proof = files["proof.json"].read_bytes()
    assert verify(proof).valid
    data = json.loads(files["play.json"].read_text())
    assert reference_cacao.problems(data) == []
    digest = sha256_of(proof)
    assert f"sha256:{digest}" in {found["external_id"] for found in data["external_references"]}
    assert digest in files["run.md"].read_text() and digest in files["sheet.html"].read_text().replace(
        "<wbr>", ""
    )
    assert "| rule | if | do | done |" in files["run.md"].read_text()


def test_a_second_version_should_keep_when_it_was_created(tmp_path):
    """Should be a later version of the same playbook, and of another one a new playbook."""
    file = tmp_path / "play.json"
    for _ in range(2):
        assert (
            CliRunner().invoke(app, ["playbook", "scenarios/two-lines.yaml", f"--cacao={file}"]).exit_code
            == 0
        )
        data = json.loads(file.read_text())
        data["created"] = "2020-01-01T00:00:00.000Z" if "2020" not in data["created"] else data["created"]
        file.write_text(json.dumps(data))
    assert data["created"].startswith("2020") and not data["modified"].startswith("2020")
    again = ["playbook", "scenarios/two-lines.yaml", "--style=late", f"--cacao={file}"]
    assert CliRunner().invoke(app, again).exit_code == 0
    assert json.loads(file.read_text())["id"] != data["id"]
    assert not json.loads(file.read_text())["created"].startswith("2020")


def test_what_cannot_be_handed_over_should_be_refused(tmp_path):
    """Should say that sight has no such form yet, that a lost design has no rules, and guard the file itself."""
    run = CliRunner().invoke
    sight = run(app, ["playbook", "scenarios/paper.yaml", "--for=sight", f"--cacao={tmp_path / 'a.json'}"])
    assert sight.exit_code == 2 and "--cacao is for rules that see everything" in " ".join(
        sight.output.split()
    )
    lost = run(app, ["playbook", "scenarios/indefensible.yaml", f"--cacao={tmp_path / 'b.json'}"])
    assert lost.exit_code == 1 and "no playbook to hand over" in lost.output
    assert not (tmp_path / "b.json").exists()
    same = run(app, ["playbook", "scenarios/two-lines.yaml", "--cacao=scenarios/two-lines.yaml"])
    assert same.exit_code == 2 and "already used by another option" in same.output


@pytest.mark.parametrize("name", ["paper", "two-lines"])
def test_the_sheet_should_print_on_one_page(name, browser, tmp_path):
    """Should fill one sheet, with nothing cut off at the side, in a real browser."""
    from holdfast.report import rendered, sheet_document

    file = tmp_path / "sheet.html"
    found = library(name)
    file.write_text(rendered(sheet_document(found, "ab" * 32), "html"), "utf-8")
    tab = browser.new_page(viewport={"width": 1000, "height": 1400})
    tab.goto(file.as_uri())
    pdf = tab.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
    tab.close()
