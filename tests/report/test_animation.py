"""A play that is sent: one file for every kind of picture, opened as on a telephone."""

from __future__ import annotations

import re

import pytest

from commands import holdfast
from holdfast.apps.services.animation import animated, storyboard
from holdfast.errors import InputError
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from paths import SCENARIOS


def solution_of(name, variant=None):
    return solve(configuration(read_scenario(SCENARIOS / f"{name}.yaml"), variant))


def hostile():
    """A lost design whose names attack whoever shows them."""
    attack = "</script><img src=x onerror='document.title = 1'>"
    text = (SCENARIOS / "indefensible.yaml").read_text("utf-8")
    text = re.sub(r"(?m)^name: .*$", f'name: "{attack}"', text)
    return solve(configuration(scenario_from_text(text, "hostile.yaml")))


@pytest.mark.browser
def test_it_plays_on_a_telephone_and_loads_nothing(browser, tmp_path):
    """Should fit 390 pixels with names that can be read, go move by move, and ask the network for nothing."""
    cases = {
        "plant": (solution_of("plant"), ".node[data-name=SIS]", "compromised"),
        "eviction": (solution_of("paper", "no-bypass"), ".node[data-name=GW]", "isolated"),
        "cell": (solution_of("robot-cell"), ".node[data-name=battery]", "0"),
        "hostile": (hostile(), ".node[data-name=GW]", "destroyed"),
    }
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    said, asked = [], []
    tab = context.new_page()
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    for name, (solution, node, status) in cases.items():
        place = tmp_path / f"{name}.html"
        place.write_text(animated(solution), "utf-8")
        tab.goto(place.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") == 390, name
        fonts = (
            "[...document.querySelectorAll('.node .name')].map((one) => one.getBoundingClientRect().height)"
        )
        assert min(tab.evaluate(fonts)) >= 10, name
        moves = int(tab.get_by_role("slider").get_attribute("max"))
        for _ in range(moves):
            tab.get_by_role("button", name="A move on").tap()
        assert tab.locator("#place").inner_text() == f"{moves} of {moves}"
        assert tab.locator(f"{node} .status").text_content() == status, name
        assert tab.locator("#told li[class]").count() == moves
        tab.get_by_role("button", name="Play", exact=False).first.tap()
        assert tab.locator("#place").inner_text() == f"0 of {moves}"
        tab.get_by_role("button", name="Pause").tap()
    assert tab.locator("img").count() == 0 and tab.title().startswith("</script>")
    assert said == [] and [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_the_command_writes_it(tmp_path):
    """Should write the attack beside the explanation, and say so where there is nothing to show."""
    place = tmp_path / "attack.html"
    run = holdfast("explain", SCENARIOS / "indefensible.yaml", "--animation", place)
    assert run.returncode == 1 and f"wrote {place}" in run.stderr
    page = place.read_text("utf-8")
    assert "The attack succeeds within 3 moves, whatever the defender does." in page
    assert not re.search(r"""\s(?:src|href)="(?!data:)""", page)
    run = holdfast("explain", SCENARIOS / "water-tank.yaml", "--animation", tmp_path / "none.html")
    assert run.returncode == 0 and "there is no play to show" in run.stderr
    assert not (tmp_path / "none.html").exists()


def test_there_is_nothing_to_show_without_a_goal():
    """Should refuse in words; another goal is told by its name."""
    tank = solution_of("water-tank")
    assert storyboard(tank) is None
    with pytest.raises(InputError, match="no play to show"):
        animated(tank)
    held = solution_of("paper", "no-bypass")
    assert len(storyboard(held, goal="recovered").scenes) == 8
    with pytest.raises(InputError, match='did you mean "evicted"'):
        animated(held, goal="evictd")
