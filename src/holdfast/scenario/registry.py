"""The registry of models: what a system can be made of.

A model turns its section of a scenario file, and what a variant changes in it, into a
:class:`~holdfast.game.system.System`. Everything else goes over the registry below and knows of no model. To
add one, write a package with a :class:`Model` in it and name it by an entry point of the group
``holdfast.models``;
:func:`holdfast.models.conformance.check_model` holds it to the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from holdfast.budget import Budget
from holdfast.errors import InputError
from holdfast.game import System
from holdfast.running import load_plugin, plugins_of
from holdfast.scenario.text.shape import FileSection
from holdfast.scenario.text.yaml import Node

BuildSystem = Callable[[Node, Node | None, Budget], System]
"""The system of a section with a variant's change, if any; a mistake is a Problem at its node."""


class Operation(BaseModel):
    """Something to be done to the text of a scenario; its kind says what."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    kind: str


@dataclass(frozen=True)
class Edit:
    """What an operation made of a text.

    Attributes:
        text: of the scenario, changed.
        said: what was done, in a sentence.
        then: an operation on clauses or variants that belongs to it, as a request would have it.
        variant: the design that is at hand afterwards, where the operation leaves the one it was asked for.
        moved: whether it does.
    """

    text: str
    said: str
    then: Mapping[str, Any] | None = None
    variant: str | None = None
    moved: bool = False


@dataclass(frozen=True)
class Editing:
    """How the structure of a kind of system is edited in the text of a scenario.

    Attributes:
        operations: by its kind, the shape of what an operation says.
        edited: the text with an operation done, in a variant or, with None, in the base.
        change: the operation that makes a change of a design, given its verb and its part; None for a verb
            that it does not know.
        marks: what nodes can be marked with, by an operation ``mark``.
        far_reaching: operations on the base after which clauses of a variant may not load any more; the
            structure of variants is checked after every operation.
    """

    operations: Mapping[str, type[Operation]]
    edited: Callable[[str, str | None, Operation], Edit]
    change: Callable[[str, str], Mapping[str, Any] | None]
    marks: tuple[str, ...] = ()
    far_reaching: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """A kind of system.

    Attributes:
        key: the key of its section in a scenario file.
        called: what such a system is, in a few words, for messages: ``a network``.
        section, change: the shapes of its section and of what a variant may change in it.
        build: see :data:`BuildSystem`.
        gather: a quick check of a section with a change, without building the game.
        stub: a commented scenario to start from.
        flat: keys of the change that may also stand in the variant itself, for files written before models
            had sections of their own there.
        editing: how its structure is edited, where it can be; asked for when something is edited.
        locate: where a part of the system stands in a section with a change, by its name; None for what the
            model cannot find, and that is then looked for by its words.
    """

    key: str
    called: str
    section: type[FileSection]
    change: type[FileSection]
    build: BuildSystem
    stub: str
    gather: Callable[[Node, Node | None], object] | None = None
    flat: tuple[str, ...] = ()
    editing: Callable[[], Editing] | None = field(default=None, compare=False)
    locate: Callable[[Node, Node | None, str], Node | None] | None = None


GROUP = "models"
FIRST = ("network", "game")
"""The keys that messages name first; the others follow in alphabetical order."""

_registered: dict[str, Model] = {}


def register(model: Model) -> None:
    """Make a model known to this process; a package that is installed does it by an entry point instead.

    Raises:
        InputError: for a key that is taken.
    """
    if model.key in model_keys():
        raise InputError(f'a model with the key "{model.key}" is known already; choose another key')
    _registered[model.key] = model


def model_keys() -> tuple[str, ...]:
    """The keys of all models, those that Holdfast ships first; none of them is imported."""
    return (*plugins_of(GROUP, FIRST), *_registered)


def model_of(key: str) -> Model:
    """The model with a key, imported when it is first asked for.

    Raises:
        InputError: for a key that nobody registered, or a plug-in that cannot be imported or is no model.
    """
    if key in _registered:
        return _registered[key]
    model: Model = load_plugin(GROUP, key, Model)
    return model


def all_models() -> dict[str, Model]:
    """Every model by its key; a plug-in that does not work is left out, since nobody asked for it."""
    models: dict[str, Model] = {}
    for key in model_keys():
        with suppress(InputError):
            models[key] = model_of(key)
    return models
