"""What a worker process does: it takes a question from its pipe, and sends back what it finds.

It keeps the last designs that it solved. A question ends early when its time is over (the budget says so at
its next tick) or when the server no longer wants the answer (a number in shared memory). A worker that does
not notice is ended by the server.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.budget import GIB, Budget
from holdfast.design import Bound, bounds
from holdfast.errors import FormulaError, HoldfastError, LimitError, ScenarioError
from holdfast.game import Configuration, gathered
from holdfast.running import end_with_parent
from holdfast.scenario import BASE, Scenario, clause_data, configuration, learning, scenario_from_text
from holdfast.solver import Solution, solve

if TYPE_CHECKING:
    from holdfast.apps.services.comparison import ComparisonAnswer

Key = TypeVar("Key")
Kept = TypeVar("Kept")

KEPT = 8
"""Solved designs that a worker keeps."""

GLANCE = 0.005
"""Seconds between two looks whether the answer is still wanted."""

FILENAME = "scenario"
"""What the text is called in messages."""


class Unwanted(BaseException):
    """Nobody waits for the answer any more; nothing may take this for an error."""


@dataclass
class Bench:
    """A worker's place: what it knows from earlier questions, and the budget of the one at hand."""

    budget: Budget = field(default_factory=Budget)
    read: OrderedDict[str, Scenario] = field(default_factory=OrderedDict)
    made: OrderedDict[tuple[str, str | None], Configuration] = field(default_factory=OrderedDict)
    solved: OrderedDict[tuple[str, str | None], Solution] = field(default_factory=OrderedDict)
    bounds: OrderedDict[str, tuple[Bound, ...]] = field(default_factory=OrderedDict)
    settings: OrderedDict[tuple[str, str | None, int], Any] = field(default_factory=OrderedDict)
    tell: Callable[[Any], None] = lambda part: None
    """Sends a part of the answer at once, from inside the work."""

    def scenario(self, text: str) -> Scenario:
        """The scenario of a text."""
        return _kept(self.read, text, lambda: scenario_from_text(text, FILENAME, self.budget))

    def configuration(self, text: str, variant: str | None) -> Configuration:
        """A design of a text."""
        return _kept(
            self.made,
            (text, variant),
            lambda: configuration(self.scenario(text), variant, self.budget),
        )

    def load(self, text: str, variant: str | None) -> Scenario:
        """The scenario of a text, one of whose designs was read to its last clause."""
        self.configuration(text, variant)
        return self.scenario(text)

    def numbers(self, text: str, variant: str | None) -> tuple[Bound, ...]:
        """The numbers of a design; they are the same while neither clauses nor names change."""
        scenario, here = self.scenario(text), self.configuration(text, variant)
        words = here.game.vocabulary
        groups = {name: [v.name for v in members] for name, members in words.groups.items()}
        named = {name: str(meaning) for name, meaning in words.definitions.items()}
        known = words.variables, dict(words.actions), named, list(words.labels), groups
        return _kept(self.bounds, repr((clause_data(scenario, variant), known)), lambda: bounds(here)[0])

    def solution(self, text: str, variant: str | None) -> Solution:
        """A design, solved."""
        return _kept(
            self.solved,
            (text, variant),
            lambda: solve(self.configuration(text, variant), "auto", self.budget),
        )

    def gathered(self, text: str, variant: str | None) -> Solution:
        """A design, solved with interchangeable hosts counted where that pays; single ones have no name."""
        here = self.configuration(text, variant)
        chosen = gathered(here, budget=self.budget)
        if chosen is here:
            return self.solution(text, variant)
        key = text, f"{variant or BASE}\n"  # no variant is called so
        return _kept(self.solved, key, lambda: solve(chosen, "auto", self.budget))

    def setting(self, key: tuple[str, str | None, int], make: Callable[[], Any]) -> Any:
        """A design ready to be played for so many moves."""
        return _kept(self.settings, key, make)

    def comparison(self, text: str, variants: Sequence[str] | None) -> ComparisonAnswer:
        """The base and its variants, all of them if None, compared without training."""
        from holdfast.apps.services.comparison import Design, Lineup, compare

        scenario = self.scenario(text)
        names = dict.fromkeys([BASE, *(scenario.variants if variants is None else variants)])
        designs = [
            Design(name, scenario, self.configuration(text, name), learning(scenario, name)) for name in names
        ]
        return compare(Lineup(designs, BASE), learning=False, budget=self.budget)


def _kept(known: OrderedDict[Key, Kept], key: Key, make: Callable[[], Kept]) -> Kept:
    """What is known under a key, made where it is not; the oldest goes when there are too many."""
    if key not in known:
        known[key] = make()
        while len(known) > KEPT:
            known.popitem(last=False)
    known.move_to_end(key)
    return known[key]


@dataclass(frozen=True)
class Task:
    """A question for a worker.

    Attributes:
        number: its own, for taking it back.
        question: its name in :data:`holdfast.apps.studio.questions.QUESTIONS`.
        body: what was asked, as plain data.
        seconds, memory: its limits; memory in bytes.
    """

    number: int
    question: str
    body: dict[str, Any]
    seconds: float
    memory: int = 2 * GIB


def work(pipe: Any, unwanted: Any) -> None:
    """The whole life of a worker: answers questions until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    end_with_parent()
    bench = Bench(tell=lambda part: pipe.send(("item", part)))
    with suppress(BrokenPipeError, ConnectionResetError):  # whoever is gone is noticed below
        pipe.send(("ready", os.getpid()))
    while True:
        try:
            task: Task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            for message in answered(bench, task, partial(_is_unwanted, unwanted, task)):
                pipe.send(message)
        except (BrokenPipeError, ConnectionResetError):
            return


def _is_unwanted(newest: Any, task: Task) -> bool:
    return bool(newest.value >= task.number)


def answered(bench: Bench, task: Task, is_unwanted: Callable[[], bool]) -> Iterator[tuple[str, Any]]:
    """The messages of a task: ``item`` for each part of a stream, then how it ended."""
    from holdfast.apps.studio.questions import QUESTIONS

    looked = 0.0

    def watch(doing: str, done: float | None) -> None:
        nonlocal looked
        now = time.monotonic()
        if now - looked > GLANCE:
            looked = now
            if is_unwanted():
                raise Unwanted

    limit = Budget.lasting(task.seconds, memory=task.memory)
    bench.budget = Budget(limit.memory, limit.deadline, None, limit.over, watch)
    try:
        answer = QUESTIONS[task.question](bench, task.body)
        if isinstance(answer, Iterator):
            for part in answer:
                yield "item", part
            answer = None
        yield "done", answer
    except Unwanted:
        yield "unwanted", None
    except HoldfastError as error:
        yield "failed", failure(error)
    except MemoryError:
        yield "failed", (503, told("there was not enough memory for this question"))
    except Exception as error:  # a fault of ours must not look like an answer
        traceback.print_exc()
        sentence = f"internal error: {type(error).__name__}: {error}; please report it with the scenario"
        yield "failed", (500, told(sentence))


def failure(error: HoldfastError) -> tuple[int, dict[str, Any]]:
    """The status of an error, and its object."""
    if isinstance(error, LimitError):
        return 504, told(str(error)) | ({"known": error.known} if error.known else {})
    if isinstance(error, ScenarioError) and error.place is not None:
        line, column, width = error.place
        place = {"line": line, "column": column, "end_column": column + max(1, width)}
        return 422, told(error.problem or str(error), place)
    if isinstance(error, FormulaError):
        return 422, told(error.problem, {"offset": error.at, "width": error.width})
    return 422, told(str(error))


def told(message: str, place: dict[str, int] | None = None, hint: str | None = None) -> dict[str, Any]:
    """An error as an object."""
    return {"error": {"message": message, "place": place, "hint": hint}}
