"""A certificate checked (``verify``): whether it proves its verdict, and is about the scenario at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.certificates import Verdict


def verify(
    certificate: Path | bytes,
    scenario: Path | None = None,
    variant: str | None = None,
    budget: Budget = UNLIMITED,
) -> Verdict:
    """Whether a certificate proves its verdict; where a scenario is named, it must be about that one.

    Raises:
        InputError: for a certificate that cannot be read, or that is about something else.
    """
    from holdfast.certificates import verify as verified

    try:
        verdict = verified(certificate, budget)
    except InputError as error:
        if isinstance(certificate, bytes) or str(error).startswith(f"{certificate}:"):
            raise
        raise InputError(f"{certificate}: {error}") from None
    if scenario is not None:
        _insist(verdict, scenario, variant, budget)
    return verdict


def _insist(verdict: Verdict, path: Path, variant: str | None, budget: Budget) -> None:
    """Refuse a certificate about another scenario, or about another variant of it."""
    from holdfast.running import sha256_of
    from holdfast.scenario import configuration, read_scenario

    scenario = read_scenario(path, budget)
    if scenario.text != verdict.text:
        raise InputError(
            f"the certificate is about another scenario: {path} has SHA-256 {sha256_of(scenario.text)}, "
            f"the scenario in the certificate {sha256_of(verdict.text)}"
        )
    wanted = configuration(scenario, variant, budget).variant
    if wanted != verdict.variant:
        names = [f'the variant "{name}"' if name else "the base" for name in (verdict.variant, wanted)]
        raise InputError(f"the certificate is about {names[0]} of the scenario, not about {names[1]}")
