"""``verify`` and ``reproduce``: a certificate and the paper checked; and what writes a certificate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.apps.cli.app import emit, working
from holdfast.apps.cli.options import AsJson, Limits, Workers
from holdfast.apps.services import DEFENSIBLE, REFUSED
from holdfast.budget import Budget

if TYPE_CHECKING:
    from holdfast.certificates import Verdict
    from holdfast.solver import Solution

VALID, REFUTED = DEFENSIBLE, REFUSED
HOLD = "hold"
USUAL_MOVES, MAX_CERTIFIED = 100, 10_000
"""For how many moves it is certified how likely it holds: if nobody says, and at most."""
"""The claim that is about how likely the requirement is kept."""

Certificate = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="OUT",
        help="Write the verdict and its proof to this file; holdfast verify checks it without the solver.",
    ),
]


ClaimedGoal = Annotated[
    str | None,
    typer.Option(
        "--claim",
        metavar="GOAL",
        help="Also prove in --certificate within how many moves the defender can force this goal, such "
        "as evicted or recovered, or that it never can; 'evicted again' proves whether it can do so "
        "repeatedly. With hold, prove how likely the requirement is kept, for ever and for the most moves "
        "that --hold names (100 by default); with sight, prove the verdict for a defender who sees only "
        "what the sensors show.",
    ),
]


ResponseCertificates = Annotated[
    Path | None,
    typer.Option(
        "--response-certificates",
        metavar="DIR",
        help="Write proofs for effort, tempo and grace to this folder: that the number holds and that "
        "one step more does not.",
    ),
]


def write_response_certificates(solution: Solution, directory: Path, engine: str, budget: Budget) -> None:
    """Write the certificates of effort, tempo and grace, each of the design under one clause more."""
    from holdfast.certificates import certify
    from holdfast.running import prepare
    from holdfast.solver import claims, no_response, response_profile, restricted, solve

    design, why = solution.configuration, no_response(solution, budget)
    if why:
        print(f"no response certificates: {why}", file=sys.stderr)
        return
    prepare(directory)
    for restriction, holds in claims(response_profile(solution, budget)):
        path = directory / f"{restriction.kind}-{restriction.number}-{'holds' if holds else 'fails'}.json"
        narrowed = solve(restricted(design, restriction, budget), engine, budget)
        assert narrowed.defensible == holds, f"{restriction}: the reading and the verdict differ"
        size = len(certify(narrowed, path, budget, restriction=restriction))
        print(f"wrote {path} ({size:,} bytes)", file=sys.stderr)


def write_certificate(
    solution: Solution, path: Path, claim: str | None, held: tuple[int, ...], budget: Budget
) -> None:
    """Write the certificate of a solution, or of a claim about it, and say how it is checked.

    ``held`` are the numbers of moves for which it was asked how likely it holds; the largest that can be
    checked is certified.
    """
    from holdfast.certificates import certify

    if claim == HOLD and HOLD not in solution.configuration.goals:
        from holdfast.operation import certify_hold

        moves = max((t for t in held if t <= MAX_CERTIFIED), default=USUAL_MOVES)
        size = len(certify_hold(solution, moves, path, budget))
        print(
            f"wrote {path} ({size:,} bytes); check it with: holdfast verify {quote(str(path))}",
            file=sys.stderr,
        )
        return
    if claim is not None and not solution.defensible:
        print(
            f'no certificate of "{claim}": the design cannot be defended; leave out --claim '
            "for a certificate that proves that",
            file=sys.stderr,
        )
        return
    size = len(certify(solution, path, budget, claim=claim))
    print(
        f"wrote {path} ({size:,} bytes); check it with: holdfast verify {quote(str(path))}", file=sys.stderr
    )


def verify(
    *,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE",
            help="A file written by check --certificate or playbook --certificate.",
            show_default=False,
        ),
    ],
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Fail unless the certificate is about exactly this scenario file."),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option("--variant", "-v", help="Fail unless it is about this variant of --scenario."),
    ] = None,
    as_json: AsJson = False,
    limits: Limits,
) -> None:
    """Check a certificate without trusting the solver: it runs no code of the engines.

    Exits 0 if the certificate proves its verdict (either one), 1 if it does not, and 2 if it cannot be read
    or was altered.
    """
    from holdfast.apps.services.proof import verify as checked
    from holdfast.report import verdict_object

    if variant is not None and scenario is None:
        raise typer.BadParameter("--variant needs a scenario file; name it with --scenario")
    with working(limits, task="checking") as budget:
        verdict = checked(file, scenario, variant, budget)
    emit(json.dumps(verdict_object(verdict)) if as_json else _sentence(verdict))
    raise typer.Exit(VALID if verdict.valid else REFUTED)


def _sentence(found: Verdict) -> str:
    """The verdict on the verdict."""
    from holdfast.report import checked_in_words, plain
    from holdfast.running import sha256_of

    title = found.name + (f" · {found.variant}" if found.variant else "")
    lines = [title, ": ".join(checked_in_words(found)), f"scenario SHA-256 {sha256_of(found.text)}"]
    if found.reason:
        lines.insert(2, f"  {found.reason}")
    return "\n".join(map(plain, lines))


def reproduce(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the report, figures and data.")
    ] = Path("reproduction"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Skip the training and everything that needs it.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Also exit 1 for known differences and for rounding in the paper."),
    ] = False,
    workers: Workers,
    as_json: AsJson = False,
    limits: Limits,
) -> None:
    """Reproduce the paper that Holdfast implements, and compare every published number with ours.

    Exits 1 if a number differs in its printed digits and is not on record as a known difference. If a limit
    stops it, it exits 3 and writes nothing.
    """
    from holdfast.apps.reproduce.folder import write
    from holdfast.apps.reproduce.outcome import outcome_text
    from holdfast.apps.reproduce.reproducing import reproduce as reproduced, reproduction_object
    from holdfast.running import prepare

    prepare(output)
    backend = workers.backend("", {"reproduce": True})
    with working(limits, workers.jobs, task="reproducing") as budget:
        reproduction = reproduced(quick=quick, budget=budget, backend=backend)
        page = write(reproduction, output, budget)
    emit(json.dumps(reproduction_object(reproduction)) if as_json else outcome_text(reproduction, page))
    passed = reproduction.summary.to_the_digit if strict else reproduction.summary.reproduced
    raise typer.Exit(DEFENSIBLE if passed else REFUSED)
