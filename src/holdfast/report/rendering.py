"""What Holdfast shows people; reads results, computes nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from holdfast.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from holdfast.report.blocks import Document

FORMS = {"text": "terminal", "markdown": "markdown", "html": "page", "notebook": "notebook"}
"""The module for each form, with a function of the same name; imported when the form is asked for."""


def rendered(document: Document, form: str) -> str:
    """A document in one of the :data:`FORMS`.

    Raises:
        InputError: for an unknown form.
    """
    if form not in FORMS:
        raise InputError(f'unknown form "{form}"; known: {", ".join(FORMS)}' + did_you_mean(form, FORMS))
    renderer = FORMS[form]
    return str(getattr(import_module(f"holdfast.report.renderers.{renderer}"), renderer)(document))
