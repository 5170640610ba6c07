"""``playbook``: what the defenders should do, as a short list of rules that is proved to hold."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question
from holdfast.apps.cli.reports import Form, refuse_place
from holdfast.apps.cli.verify import Certificate
from holdfast.apps.services import exit_of

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.budget import Budget
    from holdfast.explanation import Playbook


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
    from holdfast.explanation import playbook as playbook_of, playbook_object
    from holdfast.report import playbook_document

    form.refuse(question.file, certificate)
    refuse_place(certificate, question.file, form.html)
    with working(limits, about=question.called) as budget:
        _, chosen = question.read(budget)
        found = playbook_of(chosen, engine=engine, budget=budget)
        if certificate is not None:
            _write(found, certificate, budget)
    form.answer(lambda: playbook_document(found, str(question.file)), lambda: playbook_object(found))
    raise typer.Exit(exit_of(found.defensible))


def _write(found: Playbook, path: Path, budget: Budget) -> None:
    """Write the certificate, and say how it is checked; a lost design has none."""
    from holdfast.explanation import certify_playbook

    if not found.defensible:
        print("not defensible: there is no playbook to certify", file=sys.stderr)
        return
    size = len(certify_playbook(found, path, budget))
    print(
        f"wrote {path} ({size:,} bytes); check it with: holdfast verify {quote(str(path))}", file=sys.stderr
    )
