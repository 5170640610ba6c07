"""What must never be added to a design, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdfast.design import Breaker, Drift, Fragility
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
from holdfast.report.documents.fingerprint import counted_alike


def fragility_document(found: Fragility, source: str = "") -> Document:
    """The answer of ``fragile``."""
    title = found.configuration.title
    return Document(title or source, (Section("Fragility", tuple(_blocks(found))),), source if title else "")


KINDS = {
    "link": ("link", "links"),
    "entry": ("entry", "entries"),
    "expose": ("exposed host", "exposed hosts"),
    "ability": ("ability of the attacker", "abilities of the attacker"),
    "lose": ("ability that the defender loses", "abilities that the defender loses"),
    "slower": ("slower defender", "slower defenders"),
    "soften": ("host that is no longer hardened", "hosts that are no longer hardened"),
    "unfilter": ("filter that is gone", "filters that are gone"),
    "tempo": ("attacker in every turn", "attackers in every turn"),
    "budget": ("unit more of a limit on the attacker", "units more of limits on the attacker"),
    "drop": ("limit on the attacker that is gone", "limits on the attacker that are gone"),
}
"""The kinds of additions: one of them, and several."""

FEW = 4
"""Additions that stayed undecided which are named."""


def _blocks(found: Fragility) -> Iterator[Block]:
    if not found.holds:
        lacks = "the design is lost" if found.keep == "held" else f"this is not so: {found.words}"
        sentence = f"As it is, {lacks}. There is nothing yet that an addition could break."
        yield Banner("bad", "NOTHING TO BREAK", sentence)
        return
    yield _banner(found)
    if found.breakers:
        yield _table(found)
        if found.rests_on:
            yield Prose(f"The proof depends on {listed(found.rests_on)}.")
        yield Illustrations(lambda: _picture(found))
    looked = [f"{count(n)} {KINDS[kind][n != 1]}" for kind, n in found.kinds.items()]
    solved = counted(found.n_solved, "changed design") + "; the rest follows from the proof of the design"
    facts = [("looked at", listed(looked) or "nothing"), ("robustness", _robustness(found))]
    yield Facts((*facts, ("solved", solved)))
    if found.counted:
        yield Prose(
            counted_alike(found.counted, ": what is said of some of them is so for any others of them")
        )
    if found.unfinished:
        few = ", ".join(found.undecided[:FEW]) + (", …" if len(found.undecided) > FEW else "")
        n = len(found.undecided)
        rest = f" Not decided one by one: {count(n)} of {count(sum(found.kinds.values()))}: {few}."
        yield Prose(f"The search ended early: {found.unfinished}." + (rest if n else ""))


def _banner(found: Fragility) -> Banner:
    now, most = f"As it is, {found.words}.", found.complete_to
    n = sum(each.n_alike for each in found.breakers)
    if not n and found.unfinished and not most:
        return Banner("open", "NOT DECIDED", f"{now} Nothing is known yet that would break this.")
    if not n:
        nothing = "No single addition" if most == 1 else f"Nothing that costs {most} or less"
        return Banner("good", "ROBUST", f"{now} {nothing} that was examined would break this.")
    if any(len(each.additions) > 1 for each in found.breakers):
        return Banner("bad", "FRAGILE", f"{now} Each of these {count(n)} sets of additions would break this.")
    these = f"Each of these {count(n)} changes" if n > 1 else "The change below"
    return Banner("bad", "FRAGILE", f"{now} {these} would break this, and must never be made.")


def _robustness(found: Fragility) -> str:
    """The least cost of what ends it, and up to which cost everything is known that does."""
    least, most = found.robustness, found.complete_to
    if not most:
        return "not known" if least is None else f"{least} at most: the lowest cost of what breaks it"
    cost = f"more than {most}" if least is None else str(least)
    return f"{cost}: the lowest cost of what breaks it; everything up to a cost of {most} is listed"


def _picture(found: Fragility) -> list[Block]:
    """The topology with the breakers on it."""
    from holdfast.report.documents.pictures import breakers

    graph = drawn_graph(found.configuration)
    return [] if graph is None else breakers(graph, [each.additions for each in found.breakers])


def _table(found: Fragility) -> Table:
    rows = tuple((_added(each), each.cost, each.breaks, each.attack) for each in found.breakers)
    return Table(
        "What must never be added, cheapest first",
        (words("addition"), Column("cost"), words("breaks"), words("attack")),
        rows,
        sortable=False,
    )


def _added(breaker: Breaker) -> str:
    """What is added, and that it is one of many alike."""
    likewise = f" (and {count(breaker.n_alike - 1)} alike)" if breaker.n_alike > 1 else ""
    return " + ".join(breaker.additions) + likewise


def drift_document(answers: Mapping[str, Drift | str], guard: str) -> Document:
    """The answer of ``guard``: for each file what the guard says of it, or the error that came before."""
    failed = [each for each in answers.values() if isinstance(each, str) or not each.passes]
    banner = Banner("good", "PASSES", "Everything that is guarded still holds.")
    if failed:
        few = f"{count(len(failed))} of {counted(len(answers), 'design')} must not be accepted as it is."
        banner = Banner("bad", "FAILS", few)
    rows = tuple(
        (file, *((("NOT DECIDED", each)) if isinstance(each, str) else (_result(each), f"{each.words}.")))
        for file, each in answers.items()
    )
    table = Table("", (words("file"), words("result"), words("why")), rows, sortable=False)
    return Document(f"Held to {guard}", (Section("Drift", (banner, table)),))


def _result(drift: Drift) -> str:
    return "passes" if drift.passes else "FAILS"
