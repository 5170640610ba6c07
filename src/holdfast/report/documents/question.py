"""What comes before and after an analysis, as documents: a question, a solved game, a checked proof."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from holdfast.certificates import LikelyBounds, RecoveryClaim, SightClaim, Verdict
from holdfast.game import NEVER, Configuration, counted, drawn_graph
from holdfast.logic import Player
from holdfast.readings import again_in_words, reach_in_words
from holdfast.report.blocks import Banner, Block, Column, Document, Facts, Section, Table, words
from holdfast.report.documents.fingerprint import certificate, drawn, question
from holdfast.running import sha256_of
from holdfast.solver import Solution, start_in_words


def configuration_document(here: Configuration) -> Document:
    """A question as it is put: the start, requirement and boundary, and the picture of the system."""
    return Document(
        title=here.title or "A question",
        sections=(Section("Question", tuple(_question(here))),),
        closing=(f"{here.n_positions:,} positions; not solved yet",),
    )


def solution_document(solution: Solution) -> Document:
    """A solved game: the verdict, and what is lost at what depth."""
    here = solution.configuration
    rows = (
        ("winning", solution.n_winning),
        *((f"lost in {counted(k, 'move')}", size) for k, size in enumerate(solution.shells, 1)),
        ("violating already", here.n_unsafe),
    )
    columns = (words("positions"), Column("how many"))
    return Document(
        title=here.title or "A solved game",
        sections=(
            Section(
                "Verdict",
                (
                    certificate(solution.defensible, solution.initial_rank),
                    Table("Positions by how soon a violation can be forced", columns, rows, sortable=False),
                ),
            ),
            Section("Question", tuple(_question(here)), detail=True),
        ),
        closing=(f"{here.n_positions:,} positions · {solution.engine} engine",),
    )


def _question(here: Configuration) -> Iterator[Block]:
    bounded = [clause.label for clause in here.clauses(Player.ADVERSARY)]
    yield question(start_in_words(here), here.required, bounded)
    graph = drawn_graph(here)
    if graph is not None:
        yield drawn("segment", graph)


def verdict_document(verdict: Verdict) -> Document:
    """What the checker found out about a certificate."""
    word, sentence = checked_in_words(verdict)
    banner = Banner("good" if verdict.valid and verdict.defensible else "bad", word, f"{sentence}.")
    blocks: tuple[Block, ...] = (banner,)
    if verdict.reason:
        blocks += (Facts((("what is wrong", verdict.reason),)),)
    title = verdict.name + (f" · {verdict.variant}" if verdict.variant else "")
    return Document(title=title, sections=(Section("Checked", blocks),))


def verdict_object(verdict: Verdict) -> dict[str, Any]:
    """What the checker found out, as plain data: what ``verify --json`` prints."""
    shown = ("valid", "defensible", "reason", "rank", "n_rules", "name", "variant")
    return {key: getattr(verdict, key) for key in shown} | {
        "restriction": None if verdict.restriction is None else asdict(verdict.restriction),
        "claim": None if verdict.claim is None else _said(verdict.claim),
        **({} if verdict.bounds is None else {"bounds": _bounds(verdict.bounds)}),
        **({} if verdict.n_zones is None else {"zones": verdict.n_zones}),
        "scenario_sha256": sha256_of(verdict.text),
    }


def _said(claim: RecoveryClaim | SightClaim) -> dict[str, Any]:
    """What is claimed, without what is not."""
    return {key: value for key, value in asdict(claim).items() if value is not None}


def checked_in_words(verdict: Verdict) -> tuple[str, str]:
    """Whether a certificate proves what it says, in a word and in a sentence."""
    rules = "" if verdict.n_rules is None else counted(verdict.n_rules, "rule")
    under = "" if verdict.restriction is None else f"with the added clause that {verdict.restriction}, "
    if verdict.bounds is not None:
        likely = _likely(verdict.bounds)
        return ("VALID", likely) if verdict.valid else ("REFUTED", f"this does not prove that {likely}")
    if not verdict.valid:
        claim = "it is defensible" if verdict.defensible else "it is not defensible"
        claim = f"its {rules} keep the requirement" if rules else claim
        if isinstance(verdict.claim, SightClaim):
            return "REFUTED", f"this does not prove that {_seeing(verdict.claim)}, {claim}"
        recovers = "" if verdict.claim is None else f", and that {_recovers(verdict.claim)}"
        return "REFUTED", f"this does not prove that {under}{claim}{recovers}"
    if rules:
        return "VALID", (
            f"it is DEFENSIBLE by this playbook of {rules}; following it from the start keeps the "
            f"requirement for ever"
        )
    if isinstance(verdict.claim, SightClaim):
        seeing = _seeing(verdict.claim)
        if verdict.defensible:
            return "VALID", (
                f"{seeing}, it is DEFENSIBLE; acting as the certificate says, on what the sensors show, "
                f"is safe for ever"
            )
        return "VALID", (
            f"{seeing}, it is NOT DEFENSIBLE; whatever the defender does with what the sensors show, "
            f"some attack violates the requirement"
        )
    if verdict.claim is not None:
        and_ = "but" if verdict.claim.moves == NEVER or verdict.claim.again is False else "and"
        return "VALID", f"it is DEFENSIBLE, {and_} {_recovers(verdict.claim)}"
    if verdict.n_zones is not None:
        by = counted(verdict.n_zones, "zone")
        if verdict.defensible:
            return "VALID", f"it is DEFENSIBLE by {by}; answering wherever the attack is, is safe for ever"
        return "VALID", f"it is NOT DEFENSIBLE; one of its {by} is lost, whatever is done elsewhere"
    if verdict.defensible:
        return (
            "VALID",
            f"{under}it is DEFENSIBLE; inside the given region the defender is safe for ever",
        )
    forced = f"the given moves force a violation within {counted(verdict.rank or 0, 'move')}"
    how = forced if verdict.rank else "the initial state is already a violation"
    return "VALID", f"{under}it is NOT DEFENSIBLE; {how}"


def _likely(bounds: LikelyBounds) -> str:
    return (
        f"the requirement is kept for ever with probability {_between(bounds.low, bounds.forever)}, and for "
        f"{counted(bounds.moves, 'move')} with {_between(bounds.least, bounds.high)}"
    )


def _between(low: Fraction | None, high: Fraction | None) -> str:
    ends = []
    if low is not None:
        ends.append(f"{math.floor(low * 10**9) / 1e9:.9f} at least")
    if high is not None:
        ends.append(f"{math.ceil(high * 10**9) / 1e9:.9f} at most")
    return " and ".join(ends)


def _bounds(bounds: LikelyBounds) -> dict[str, Any]:
    ends = {"low": bounds.low, "high": bounds.high, "forever": bounds.forever, "least": bounds.least}
    return {**{end: str(value) for end, value in ends.items() if value is not None}, "moves": bounds.moves}


def _recovers(claim: RecoveryClaim) -> str:
    if claim.again is not None:
        return again_in_words(claim.goal, claim.again)
    return reach_in_words(claim.goal, claim.moves)


def _seeing(claim: SightClaim) -> str:
    if not claim.sensors:
        return "for a defender without sensors"
    return f"for a defender with the sensor{'s' * (len(claim.sensors) > 1)} {', '.join(claim.sensors)}"
