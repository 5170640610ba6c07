"""What must never be added to a design, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdfast.design import Drift, Fragility
from holdfast.game import count, counted, drawn_graph, listed
from holdfast.report.blocks import (
    Banner,
    Block,
    Column,
    Document,
    Facts,
    Illustrations,
    Prose,
    Section,
    Table,
    words,
)


def fragility_document(found: Fragility, source: str = "") -> Document:
    """The answer of ``fragile``."""
    title = found.configuration.title
    return Document(title or source, (Section("Fragility", tuple(_blocks(found))),), source if title else "")


def _blocks(found: Fragility) -> Iterator[Block]:
    kinds = listed([f"{count(n)} {kind}" for kind, n in found.kinds.items()]) or "nothing"
    if not found.holds:
        yield Banner("bad", "NOTHING TO BREAK", f"The design lacks it already: that {found.words}.")
        return
    if found.breakers:
        least = found.robustness
        some = counted(len(found.breakers), "minimal breaker")
        yield Banner(
            "bad", f"ROBUSTNESS {least}", f"{some}: what must never be added, so that {found.words}."
        )
    else:
        nothing = f"Nothing that costs {found.complete_to} or less takes from the design that {found.words}."
        yield Banner("good", f"ROBUSTNESS ABOVE {found.complete_to}", nothing)
    if found.breakers:
        yield _table(found)
        if found.rests_on:
            yield Prose(f"The proof rests on {listed(found.rests_on)}.")
        yield Illustrations(lambda: _picture(found))
    complete = f"every breaker that costs {found.complete_to} or less is known"
    yield Facts((("what could be added", kinds), ("complete", complete), ("solved", count(found.n_solved))))
    if found.unfinished:
        yield Prose(f"The search ended early: {found.unfinished}.")


def _picture(found: Fragility) -> list[Block]:
    """The topology with the breakers on it."""
    from holdfast.report.documents.pictures import breakers

    graph = drawn_graph(found.configuration)
    return [] if graph is None else breakers(graph, [each.additions for each in found.breakers])


def _table(found: Fragility) -> Table:
    rows = tuple((" + ".join(each.additions), each.cost, each.breaks, each.attack) for each in found.breakers)
    return Table(
        "What must never be added, cheapest first",
        (words("addition"), Column("cost"), words("breaks"), words("attack")),
        rows,
        sortable=False,
    )


def drift_document(answers: Mapping[str, Drift | str], guard: str) -> Document:
    """The answer of ``guard``: for each file what the guard says of it, or the error that came before."""
    failed = [each for each in answers.values() if isinstance(each, str) or not each.passes]
    banner = Banner("good", "PASSES", "Nothing that is guarded is lost.")
    if failed:
        few = f"{count(len(failed))} of {counted(len(answers), 'design')} may not go on as it is."
        banner = Banner("bad", "FAILS", few)
    rows = tuple(
        (file, *((("NOT DECIDED", each)) if isinstance(each, str) else (_result(each), f"{each.words}.")))
        for file, each in answers.items()
    )
    table = Table("", (words("file"), words("result"), words("why")), rows, sortable=False)
    return Document(f"Held to {guard}", (Section("Drift", (banner, table)),))


def _result(drift: Drift) -> str:
    return "passes" if drift.passes else "FAILS"
