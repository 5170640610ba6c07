"""The page for those who decide: what stands on it, and that it prints on two sheets."""

from __future__ import annotations

import re

import pytest

from holdfast.apps.services.briefing import BriefingAnswer, briefing
from holdfast.budget import Budget
from holdfast.explanation.storyboard import attack_storyboard
from holdfast.report.blocks import Points, Table
from holdfast.report.documents.briefing import _attack
from holdfast.report.renderers.page import page
from holdfast.scenario.reading import configuration, read_scenario
from holdfast.solver.engines import solve
from paths import ROOT

SHOWN = {"lost": "plant", "held": "two-lines"}


@pytest.fixture(scope="module")
def answers():
    budget = Budget(jobs=1)
    return {
        kind: briefing(read_scenario(ROOT / "scenarios" / f"{name}.yaml"), None, budget=budget)
        for kind, name in SHOWN.items()
    }


def section(answer, title):
    return next(part for part in answer.document("segment.yaml").sections if part.title == title)


def test_a_lost_design_is_told_by_its_attack_in_sentences(answers):
    """Should tell each step against the longest resistance, and what it violates in the end."""
    _, steps, end = section(answers["lost"], "The attack").blocks
    assert isinstance(steps, Points) and steps.first == 1
    assert steps.items[0][0].text == "The attacker spreads to VPN: VPN is now compromised."
    assert "the safety system is never compromised" in end.text[0].text
    assert answers["lost"].exit_code == 1


def test_the_last_move_of_a_long_attack_keeps_its_number():
    """Should tell the first moves and the last, and how many are left out between them."""
    cell = ROOT / "scenarios" / "robot-cell.yaml"
    story = attack_storyboard(solve(configuration(read_scenario(cell))))
    _, first, gap, last, _ = _attack(None, story).blocks
    assert len(story.scenes) == 24 and len(first.items) == 7
    assert gap.text[0].text.startswith("… 16 more moves")
    assert last.first == 24 and last.items[0][0].text == story.scenes[-1].sentence


def test_a_held_design_is_told_by_what_it_asks_of_people(answers):
    """Should say effort, tempo and grace in sentences, and what makes it hold better at what cost."""
    (asked,) = section(answers["held"], "What it takes to defend it").blocks
    assert [item[0].text for item in asked.items[:3]] == ["effort: ", "tempo: ", "grace: "]
    table = section(answers["held"], "What could be changed").blocks[-1]
    assert isinstance(table, Table) and 0 < len(table.rows) <= 5
    assert answers["held"].exit_code == 0


@pytest.mark.parametrize("kind", SHOWN)
def test_what_was_assumed_and_the_ladder_are_on_the_page(answers, kind):
    """Should have every assumption of the answer, and the ladder in words alone."""
    answer = answers[kind]
    (table,) = section(answer, "What was assumed").blocks
    assert [row[0] for row in table.rows] == [p.assumption for p in answer.design.analysis.assumptions]
    blocks = section(answer, "Ladder").blocks
    assert not any(isinstance(block, Table) for block in blocks)
    if kind == "held":
        told_of = [item[1].text.strip() for item in blocks[-1].items]
        assert "the defender acts at most once in 2 turns" in told_of and "half-speed" not in told_of
    told = answer.to_object()
    assert {"defensible", "explanation", "recommendation", "ladder", "assumptions"} <= set(told)


def test_what_was_not_found_out_is_said(answers):
    """Should leave the options out in words."""
    late = BriefingAnswer(answers["held"].design, None, "What could be changed was not found out: too late.")
    (told,) = section(late, "What could be changed").blocks
    assert told.text == "What could be changed was not found out: too late."


@pytest.mark.parametrize("kind", SHOWN)
def test_it_prints_on_two_pages(answers, kind, browser, tmp_path):
    """Should fill no third sheet, with nothing cut off at the side, in a real browser."""
    file = tmp_path / "report.html"
    file.write_text(page(answers[kind].document("segment.yaml")), "utf-8")
    tab = browser.new_page(viewport={"width": 1000, "height": 1400})
    tab.goto(file.as_uri())
    pdf = tab.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) <= 2
    tab.emulate_media(media="print")
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tab.close()
