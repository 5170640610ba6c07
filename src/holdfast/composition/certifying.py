"""The certificate of a verdict by zones: the zones, their terms, and the witness of each.

:mod:`holdfast.certificates.verify.zones` says what is checked, and works out the game of each zone by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.certificates import certificate_of
from holdfast.composition.division import Zone
from holdfast.composition.questions import proofs
from holdfast.composition.result import Composition
from holdfast.composition.zone_game import ZoneTerms, guarded_game
from holdfast.errors import InputError
from holdfast.logic import Compare, Expression, Member, Number, Read
from holdfast.running import Backend


def certify_composition(
    found: Composition, path: Path | None = None, budget: Budget = UNLIMITED, backend: Backend | None = None
) -> bytes:
    """The certificate of a composition that is decided, also written to a file if there is a path.

    Raises:
        InputError: for one that is open, a game that is no scenario, or a file that cannot be written.
        LimitError: where it is larger than a certificate may be.
    """
    division, held = found.division, found.defensible
    if held is None or division is None:
        raise InputError("nothing is decided, so there is nothing to prove")
    if held:
        pairs = zip(division.zones, found.terms, strict=True)
        games = [guarded_game(division, zone, terms, budget) for zone, terms in pairs]
        terms = found.terms
    else:
        assert found.lost is not None, "what is lost is lost by a zone"
        games, terms = [found.lost], tuple(ZoneTerms() for _ in division.zones)
    composition = {
        "zones": [_entry(zone, own) for zone, own in zip(division.zones, terms, strict=True)],
        "lost": -1 if found.lost_zone is None else found.lost_zone,
    }
    witness = {"kind": "zones", "zones": proofs(games, budget, backend)}
    verdict = "defensible" if held else "not defensible"
    return certificate_of(found.configuration, verdict, witness, path, budget, composition=composition)


def _entry(zone: Zone, terms: ZoneTerms) -> dict[str, Any]:
    return {
        "name": zone.name,
        "variables": list(zone.variables),
        "relies": [_predicate(each) for each in sorted(terms.relies, key=str)],
        "promises": [_predicate(each) for each in sorted(terms.promises, key=str)],
        "shares": [[demand, list(profile)] for demand, profile in terms.allowances],
        "alone": list(terms.taken),
    }


def _predicate(predicate: Expression) -> list[Any]:
    match predicate:
        case Member(variable, values):
            return [variable.name, list(values)]
        case Compare(op, Read(variable), Number(limit)):
            return [variable.name, op, str(limit)]
    raise AssertionError("what is promised is where a variable never is, or how large a number never is")
