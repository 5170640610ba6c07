"""``playbook``: what the defenders should do, as a short list of rules that is proved to hold."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question
from holdfast.apps.cli.reports import Form, refuse_place
from holdfast.apps.cli.supervisor import hear
from holdfast.apps.cli.verify import Certificate

if TYPE_CHECKING:
    from holdfast.apps.services.reasons import PlaybookPaper
    from holdfast.budget import Budget
    from holdfast.explanation import Playbook


@dataclass(frozen=True)
class Papers:
    """In which forms the playbook is handed to those who follow it."""

    cacao: Annotated[
        Path | None,
        typer.Option(
            "--cacao",
            metavar="FILE",
            help="Write the playbook to this file as CACAO 2.0, for response platforms.",
        ),
    ] = None
    runbook: Annotated[
        Path | None,
        typer.Option(
            "--runbook", metavar="FILE", help="Write a runbook with its proof to this file, as Markdown."
        ),
    ] = None
    sheet: Annotated[
        Path | None,
        typer.Option("--sheet", metavar="FILE", help="Write a one-page printout to this file, as HTML."),
    ] = None

    @property
    def wanted(self) -> dict[PlaybookPaper, Path]:
        """Where each form goes that was asked for."""
        every: dict[PlaybookPaper, Path | None] = {
            "cacao": self.cacao,
            "runbook": self.runbook,
            "sheet": self.sheet,
        }
        return {paper: path for paper, path in every.items() if path is not None}

    def refuse(self, *taken: Path | None) -> None:
        """Refuse, before the work, files where they cannot be."""
        for path in self.wanted.values():
            refuse_place(path, *taken)
            taken = (*taken, path)


def playbook(
    *,
    question: Question,
    style: Annotated[
        Literal["early", "late"],
        typer.Option(
            help="early: contain a compromise at the first sign, and lose as few hosts as possible; "
            "late: act only when necessary."
        ),
    ] = "early",
    wanted: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="GOAL",
            help="What the rules must also achieve: evict (the attacker is out), recover (everything is "
            "clean), or a goal from the file (recovery:); or sight, for rules that use only what the "
            "sensors show. --style is then ignored.",
        ),
    ] = "held",
    certificate: Certificate = None,
    papers: Papers,
    engine: Engine = "auto",
    form: Form,
    limits: Limits,
) -> None:
    """Write an incident playbook: a short list of rules that keeps the requirement, with a proof.

    By default the rules act at the first sign; with --style late, only when they must; with --for evict,
    they drive the attacker out within a stated number of moves; with --for sight, they use only what the
    sensors show. Exits 1 if no such rules exist.
    """
    from holdfast.apps.services.reasons import SIGHT, playbook as playbook_of
    from holdfast.explanation import Playbook

    form.refuse(question.file, certificate)
    refuse_place(certificate, question.file, form.html)
    papers.refuse(question.file, form.html, certificate)
    for option in ("--certificate" if certificate else "", *(f"--{paper}" for paper in papers.wanted)):
        if option and wanted == SIGHT:
            raise typer.BadParameter(
                f"{option} is for rules that see everything and does not go with "
                f"--for sight; drop one of the two"
            )
    with working(limits, about=question.called) as budget:
        _, chosen = question.read(budget)
        answer = playbook_of(chosen, style=style, wanted=wanted, engine=engine, solved=hear, budget=budget)
        if (certificate is not None or papers.wanted) and isinstance(answer.playbook, Playbook):
            _write(answer.playbook, certificate, papers, str(question.file), budget)
    form.answer(lambda: answer.document(str(question.file)), answer.to_object)
    raise typer.Exit(answer.exit_code)


def _write(found: Playbook, certificate: Path | None, papers: Papers, source: str, budget: Budget) -> None:
    """Write the certificate and what carries its hash, and say how it is checked; a lost design has none."""
    from holdfast.apps.services.reasons import handed_over
    from holdfast.explanation import certify_playbook
    from holdfast.running import sha256_of, write_whole

    if not found.possible:
        why = f"{found.wanted.goal} cannot be forced" if found.defensible else "not defensible"
        what = "certify" if certificate is not None else "hand over"
        print(f"{why}: there is no playbook to {what}", file=sys.stderr)
        return
    proof = certify_playbook(found, certificate, budget)
    if certificate is not None:
        check = f"holdfast verify {quote(str(certificate))}"
        print(f"wrote {certificate} ({len(proof):,} bytes); check it with: {check}", file=sys.stderr)
    for paper, path in papers.wanted.items():
        write_whole(path, handed_over(found, paper, path, source, sha256_of(proof)), f"the {paper}")
        print(f"wrote {path}", file=sys.stderr)
