"""``playbook``: what the defenders should do, as a short list of rules that is proved to hold."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING

import typer

from holdfast.cli.app import DEFENSIBLE, REFUSED, working
from holdfast.cli.options import Engine, Limits, Question
from holdfast.cli.reports import Form, refuse_place
from holdfast.cli.verify import Certificate

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.budget import Budget
    from holdfast.rulebook import Playbook


def playbook(
    *,
    question: Question,
    certificate: Certificate = None,
    engine: Engine = "auto",
    form: Form,
    limits: Limits,
) -> None:
    """What should the defenders do when it happens? A short list of rules that keeps the requirement.

    Intervene only when you must, and then keep most freedom. Exit 1 if the scenario is not defensible: then
    no rules are enough.
    """
    from holdfast import rulebook
    from holdfast.report.playbook_document import playbook_document

    form.refuse(question.file, certificate)
    refuse_place(certificate, question.file, form.html)
    with working(limits, about=question.called) as budget:
        _, chosen = question.read(budget)
        found = rulebook.playbook(chosen, engine=engine, budget=budget)
        if certificate is not None:
            _write(found, certificate, budget)
    form.answer(lambda: playbook_document(found, str(question.file)), lambda: rulebook.playbook_object(found))
    raise typer.Exit(DEFENSIBLE if found.defensible else REFUSED)


def _write(found: Playbook, path: Path, budget: Budget) -> None:
    """Write the certificate, and say how it is checked; a lost design has none."""
    from holdfast.rulebook.proof import certify_playbook

    if not found.defensible:
        print("not defensible: there is no playbook to certify", file=sys.stderr)
        return
    size = len(certify_playbook(found, path, budget))
    print(
        f"wrote {path} ({size:,} bytes); check it with: holdfast verify {quote(str(path))}", file=sys.stderr
    )
