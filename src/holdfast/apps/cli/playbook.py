"""``playbook``: what the defenders should do, as a short list of rules that is proved to hold."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question
from holdfast.apps.cli.reports import Form, refuse_place
from holdfast.apps.cli.verify import Certificate

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.budget import Budget
    from holdfast.explanation import Playbook


def playbook(
    *,
    question: Question,
    style: Annotated[
        Literal["early", "late"],
        typer.Option(
            help="early: contain what has fallen at the first sign, and let as little fall as can be; "
            "late: act only when it must be."
        ),
    ] = "early",
    wanted: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="GOAL",
            help="What they must reach besides: evict (the attacker is out), recover (all is clean), or a "
            "goal of the file (recovery:); or sight, for rules that ask only for what sensors show. Then "
            "--style does not matter.",
        ),
    ] = "held",
    certificate: Certificate = None,
    engine: Engine = "auto",
    form: Form,
    limits: Limits,
) -> None:
    """What should the defenders do when it happens? A short list of rules that keeps the requirement.

    Act at the first sign, or (--style late) only when you must; or (--for evict) get the attacker out, within
    a number of moves that is told; or (--for sight) hold with what is seen alone. Exit 1 if no rules are
    enough for that.
    """
    from holdfast.apps.services.reasons import SIGHT, playbook as playbook_of
    from holdfast.explanation import Playbook

    form.refuse(question.file, certificate)
    refuse_place(certificate, question.file, form.html)
    if certificate is not None and wanted == SIGHT:
        raise typer.BadParameter("--certificate is for rules that see everything; drop it with --for sight")
    with working(limits, about=question.called) as budget:
        _, chosen = question.read(budget)
        answer = playbook_of(chosen, style=style, wanted=wanted, engine=engine, budget=budget)
        if certificate is not None and isinstance(answer.playbook, Playbook):
            _write(answer.playbook, certificate, budget)
    form.answer(lambda: answer.document(str(question.file)), answer.to_object)
    raise typer.Exit(answer.exit_code)


def _write(found: Playbook, path: Path, budget: Budget) -> None:
    """Write the certificate, and say how it is checked; a lost design has none."""
    from holdfast.explanation import certify_playbook

    if not found.possible:
        why = f"{found.wanted.goal} cannot be forced" if found.defensible else "not defensible"
        print(f"{why}: there is no playbook to certify", file=sys.stderr)
        return
    size = len(certify_playbook(found, path, budget))
    print(
        f"wrote {path} ({size:,} bytes); check it with: holdfast verify {quote(str(path))}", file=sys.stderr
    )
