"""Shared vocabulary and configurations."""

from __future__ import annotations

import gc
import shutil
import signal
from collections import Counter

import pytest

from commands import command_folder
from holdfast.logic.expressions import Player, Variable
from holdfast.logic.parser import parse_term
from holdfast.logic.vocabulary import Vocabulary
from paths import ROOT

STATUSES = ("C", "X", "D", "I", "Z")
HOSTS = ("GW", "Web", "WS", "DB", "BK")


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    """Five hosts, a number, and the network's actions."""
    variables = (*(Variable(host, STATUSES) for host in HOSTS), Variable("level", range(10)))
    actions = {
        Player.DEFENDER: tuple(f"{kind}({host})" for kind in ("noop", "monitor", "fix") for host in HOSTS),
        Player.ADVERSARY: tuple(
            f"{kind}({host})" for kind in ("noop", "spread", "destroy") for host in HOSTS
        ),
    }
    bare = Vocabulary(variables, actions)
    return Vocabulary(variables, actions, {"active": parse_term("count(* not in {I, Z})", bare)})


# Their asserts speak as those of tests do.
pytest.register_assert_rewrite(
    "engine_comparison", "reference_learning", "reference_playbook", "shield_readers"
)


def pytest_configure(config):
    """Let all processes of a run ask one process for their commands; what is collected is not garbage."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        command_folder()
    else:
        gc.disable()


SLOW = ROOT / "tests" / "slow.txt"
SLOW_FROM = 0.3
"""The tests that ``make quick`` leaves out, besides those that need a browser or a terminal; seconds, all cases together."""

MARKS = {"browser": "browser", "cluster": "slow", "learned_subjects": "slow", "whole": "slow"}
"""What a fixture makes of the tests that use it; the first of them pays for it, so the list cannot know."""

LONG = (
    "test_studio_page", "test_docs", "test_studio_canvas", "test_brackets", "test_explaining", "test_proofs",
    "test_remedies", "test_lost_design", "test_reproduce", "test_fragility", "test_dominance", "test_host_groups",
    "test_sensors", "test_response", "test_position_sets", "test_recovery", "test_holding", "test_library",
    "test_verify", "test_likelihood", "test_studio_server", "test_tasks", "test_table", "test_interruptions",
    "test_cli", "test_solution", "test_export", "test_supervisor", "test_page", "test_recommend", "test_documents",
    "test_composing", "test_engines", "test_ladder", "test_chance", "test_sensing", "test_grid", "test_beliefs",
)  # fmt: skip
"""The files that take longest, some seven seconds of processor time or more, longest first."""


def pytest_collection_modifyitems(items):
    """Mark what is slow or needs a browser; begin with what takes longest, so that none is left with it at the end."""
    slow = set(SLOW.read_text("utf-8").splitlines())
    for item in items:
        if item.nodeid.split("[")[0] in slow:
            item.add_marker("slow")
        for name in MARKS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKS[name])
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONG)))


SECONDS = Counter()
"""How long each test takes, all its cases together."""


def pytest_addoption(parser):
    """``make test ARGS=--list-slow`` on a quiet machine writes the list anew."""
    parser.addoption(
        "--list-slow", action="store_true", help=f"write the tests of {SLOW_FROM} s or more to tests/slow.txt"
    )


def pytest_runtest_logreport(report):
    SECONDS[report.nodeid.split("[")[0]] += report.duration


def pytest_sessionfinish(session):
    if session.config.getoption("list_slow") and not hasattr(session.config, "workerinput"):
        slow = sorted(test for test, seconds in SECONDS.items() if seconds >= SLOW_FROM)
        SLOW.write_text("".join(f"{test}\n" for test in slow), "utf-8")


def pytest_collection_finish():
    """What all these modules hold lives to the end: the collector need not look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="module", autouse=True)
def leaving_nothing(request):
    """What a module has kept for its tests is given back: no other needs its games, and they are large."""
    yield
    for held in vars(request.module).values():
        if hasattr(held, "cache_clear") and held.__module__ == request.module.__name__:
            held.cache_clear()
    gc.collect()


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run")  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    """A real browser without a window."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: pages cannot be opened")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield launched
        launched.close()


# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
