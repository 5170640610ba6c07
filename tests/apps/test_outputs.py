"""What a notebook shows of results, and what becomes of them in pandas."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.apps import outputs
from holdfast.design.fragility import fragility
from holdfast.explanation.playbook.seen_playbooks import seen_playbook
from holdfast.game.display import Displayed
from holdfast.models.network.game import network_system

PAPER, LOST = "scenarios/paper.yaml", "scenarios/indefensible.yaml"
COPIES = "scenarios/two-copies.yaml"


@pytest.fixture(scope="module")
def base():
    return hf.load(PAPER)


@pytest.fixture(scope="module")
def compared(base):
    return hf.compare({"base": base, "no bypass": hf.load(PAPER, "no-bypass")})


@pytest.fixture(scope="module")
def results(base, compared):
    """One of each kind."""
    solution, lost = hf.solve(base), hf.solve(hf.load(LOST))
    drawn = hf.configure(
        network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.5"}), ["G (DB = C)"]
    )
    return {
        type(each).__name__: each
        for each in (
            base,
            solution,
            compared.entries[0].analysis,
            compared,
            hf.explain(lost),
            hf.playbook(lost),
            hf.recommend(hf.read_scenario(LOST)),
            hf.frontier({"base": lost.configuration}, ["active=1..2", "times(destroy)=0..1"]),
            hf.likely_frontier({"base": drawn}, "chance(spread)=0.2..0.4 by 0.2", moves=2),
            hf.ladder_of(solution),
            hf.compose(lost.configuration),
            fragility(base, kinds=["link"]),
            hf.sensor_sets(hf.load(COPIES)),
            seen_playbook(hf.load(COPIES, "watched")),
            hf.verify(hf.certify(lost)),
        )
    }


@pytest.fixture(scope="module")
def shown(results):
    return {name: each._repr_html_() for name, each in results.items()}


def test_every_result_shows_itself(results, shown):
    """Should be so for all that has a document, by the one mixin, with the answer in it."""
    kinds = {kind.__name__ for kind in outputs.DOCUMENTS}
    assert set(results) == kinds and all(isinstance(each, Displayed) for each in results.values())
    for name, text in shown.items():
        assert text.startswith('<div class="holdfast" lang="en">') and text.endswith("</div>\n"), name
    assert results["Analysis"]._repr_html_() == shown["Analysis"]
    assert "at most two destroys" in shown["Configuration"] and "<svg" in shown["Configuration"]
    assert "23,730" in shown["Solution"] and "DEFENSIBLE" in shown["Analysis"]
    assert "VALID" in shown["Verdict"] and "NOT DEFENSIBLE" in shown["Verdict"]


def test_nothing_leaves_the_cell(shown):
    """Should have one rule around all its style, no script, no heading and no id that another cell has."""
    taken: set[str] = set()
    for name, text in shown.items():
        style = text[text.index("<style>") + 7 : text.index("</style>")].strip()
        assert style.startswith(".holdfast.holdfast {") and style.endswith("}")
        depths = [0]
        for sign in re.findall(r"[{}]", style):
            depths.append(depths[-1] + (1 if sign == "{" else -1))
        assert min(depths[1:-1]) == 1 and depths[-1] == 0, name
        assert ":root" not in style and "&amp;" not in style and "@page" not in style
        assert not re.search(r"<script|<h[1-6]|<link|<html|<body|\son\w+=", text.replace("<h3>", "")), name
        own = set(re.findall(r'\bid="([^"]+)"', text))
        named = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'href="#([^"]+)"', text))
        assert named <= own and not own & taken, name
        taken |= own
    assert len(taken) > 20


def test_names_are_inert():
    """Should show what a file is called, and run none of it."""
    text = Path(LOST).read_text("utf-8")
    hostile = text.replace("name: Flat segment", 'name: "<img src=x onerror=alert(1)></style><script>"')
    assert hostile != text
    html = hf.configuration(hf.scenario_from_text(hostile))._repr_html_()
    assert "<img" not in html and "<script" not in html and html.count("</style>") == 1
    assert "&lt;img" in html


def test_figures_show_themselves(compared, shown):
    """Should be the figures of the page, each with its words, one by one."""
    found = hf.figures(compared)
    assert len(found) == shown["Comparison"].count("<svg") >= 4
    assert all(figure.svg.startswith("<svg") and figure.caption and figure.description for figure in found)
    assert found[0]._repr_html_().count("<svg") == 1


def test_a_comparison_as_a_table_of_pandas(compared):
    """Should have a row for each design, every axis as a number, nothing for what is not defined."""
    table = hf.to_pandas(compared)
    assert list(table.index) == ["base", "no bypass"] and table["winning"].tolist() == [23730, 23858]
    assert table["effort"].tolist() == [2, 1] and table["tempo"].tolist() == [1, math.inf]
    assert table["ddr"].isna().all() and table["slt"].round(4).tolist() == [0.718, 0.7327]
    for entry in compared.entries:
        assert table.loc[entry.label, "ddr_exact"] == entry.analysis.ddr_exact.value
    one = compared.entries[0].analysis
    assert hf.to_pandas(one)["win"].tolist() == [one.win]
    both = {entry.label: entry.analysis for entry in compared.entries}
    assert hf.to_pandas(both).equals(table)


def test_a_frontier_as_a_table_of_pandas(results):
    """Should have a row for each level, with the last value that holds, or nothing."""
    found = results["Frontier"]
    table = hf.to_pandas(found)
    assert list(table.columns) == ["design", "active >= k", "times(destroy) <= k"]
    reach = found.staircases[0].reach
    held = [None if math.isnan(value) else value for value in table["times(destroy) <= k"].tolist()]
    assert held == [found.scales[-1].values[n - 1] if n else None for n in reach]


def test_what_is_no_table_is_told(monkeypatch, base, compared):
    """Should say what was given, what was expected, and what to install."""
    for wrong in (base, {}, {"a": 3}, 3):
        with pytest.raises(
            hf.InputError, match="is no result; expected one of Analysis, Comparison or Frontier"
        ):
            hf.to_pandas(wrong)
    for ask in (hf.to_object, hf.figures, hf.document):
        with pytest.raises(hf.InputError, match="str is no result"):
            ask("base")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(hf.InputError, match=r"needs pandas, .*pip install 'holdfast\[pandas\]'"):
        hf.to_pandas(compared)
