"""Who defends a network: profiles of a defender, another spelling of ``isolate``, ``tempo`` and ``cannot``.

- *automated*: it sees every compromise at once and acts in every turn, as in the paper's game;
- *staffed*: a compromise must be detected before it can be isolated, and it acts in every turn;
- *on-call*: a compromise must be detected before it can be isolated, and it acts in every second turn at
  most.

A profile may also be put together from its parts, of which those that are left out stay as ``isolate`` and
``tempo`` say. What a variant says goes before what the base says, whichever of the two spellings either uses.
Both spellings in one place must agree.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from pydantic import Field, PlainValidator, Tag, WithJsonSchema

from holdfast.models.network.segment import MAX_TEMPO
from holdfast.scenario import FileSection, Name, Node, by_kind, complaint, one_of


class DefenderProfile(NamedTuple):
    """What a profile says: whether detection comes first, and one act in how many turns; None for nothing."""

    detects_first: bool | None = None
    pace: int | None = None


PROFILES = {
    "automated": DefenderProfile(False, 1),
    "staffed": DefenderProfile(True, 1),
    "on-call": DefenderProfile(True, 2),
}
"""By their names in a file."""

FIRST, AT_ONCE = "first", "at once"
_ACTS = re.compile(r"every (?:(\d{1,2})(?:st|nd|rd|th) )?turn")


def _pace(acts: Any) -> int | None:
    """One act in how many turns; None for what says no such thing.

    >>> _pace("every turn"), _pace("every 2nd turn"), _pace("now and then")
    (1, 2, None)
    """
    match = _ACTS.fullmatch(acts) if isinstance(acts, str) else None
    pace = int(match[1] or 1) if match else 0
    return pace if 1 <= pace <= MAX_TEMPO else None


def _check_acts(value: Any) -> Any:
    if _pace(value) is None:
        raise complaint(f"expected every turn, every 2nd turn, and so on up to every {MAX_TEMPO}th turn")
    return value


_Detects = Annotated[str, PlainValidator(one_of(FIRST, AT_ONCE)), WithJsonSchema({"enum": [FIRST, AT_ONCE]})]
_Acts = Annotated[
    str, PlainValidator(_check_acts), WithJsonSchema({"type": "string", "pattern": "^every .*turn$"})
]
_Named = Annotated[str, PlainValidator(one_of(*PROFILES)), WithJsonSchema({"enum": list(PROFILES)})]


class DefenderSettings(FileSection):
    """A defender put together from its parts."""

    called = "defender"
    detects: _Detects = Field(
        default=AT_ONCE, description="first if a compromise must be detected before it can be isolated"
    )
    acts: _Acts = Field(
        default="every turn", description="how often it can act: every turn, every 2nd turn, …"
    )
    cannot_isolate: list[Name] = Field(
        default_factory=list, description="hosts, groups, sets or zones that it cannot isolate"
    )


Defender = Annotated[
    Annotated[_Named, Tag("~scalar")] | Annotated[DefenderSettings, Tag("~mapping")],
    by_kind(
        f"{', '.join(PROFILES)}, or {{detects: first, acts: every 2nd turn, cannot_isolate: [DB]}}",
        "~scalar",
        "~mapping",
    ),
]
DEFENDER_WORDS = (
    "automated (sees and acts at once, as in the paper), staffed (a compromise must be detected before it "
    "can be isolated) or on-call (that, and it acts in every second turn at most); or {detects: …, acts: …}"
)


class _Said(NamedTuple):
    """What stands under a key, and whether it is the variant that says it."""

    node: Node | None
    of_variant: bool


def profile_of(section: Node, change: Node | None) -> DefenderProfile:
    """How a network is defended: whether detection comes first, and at which pace; what is not said is None.

    Raises:
        ScenarioError: where the base, or the variant, says it twice and not alike.
    """
    isolate, tempo, defender = (_said(section, change, key) for key in ("isolate", "tempo", "defender"))
    pace = tempo._replace(node=None if tempo.node is None else tempo.node.get("defender"))
    profile = DefenderProfile() if defender.node is None else _read(defender.node)
    detected = None if isolate.node is None else isolate.node.text == "detected"
    turns = None if pace.node is None else int(pace.node.text)
    first = _agreed("isolate", detected, isolate, profile.detects_first, defender)
    return DefenderProfile(
        None if first is None else bool(first), _agreed("tempo", turns, pace, profile.pace, defender)
    )


def _said(section: Node, change: Node | None, key: str) -> _Said:
    """What the variant says under a key, be it nothing, else what the base says."""
    if change is not None and key in change.entries:
        return _Said(change.get(key), True)
    return _Said(section.get(key), False)


def _agreed(key: str, plain: int | None, option: _Said, profiled: int | None, defender: _Said) -> int | None:
    """What an option and a profile come to: the variant goes first, and in one place both must agree."""
    if plain is None or profiled is None or plain == profiled:
        return profiled if plain is None else plain
    if option.of_variant == defender.of_variant:
        assert option.node is not None and defender.node is not None
        line, _ = option.node.source.place(option.node.start)
        raise defender.node.problem(f"this defender contradicts {key} in line {line}; drop one of the two")
    return plain if option.of_variant else profiled


def unisolated(section: Node, change: Node | None) -> Node | None:
    """The list of hosts that the defender cannot isolate."""
    defender = _said(section, change, "defender").node
    return defender.get("cannot_isolate") if defender is not None and defender.kind == "mapping" else None


def _read(defender: Node) -> DefenderProfile:
    if defender.kind == "scalar":
        return PROFILES[defender.text]
    detects, acts = defender.get("detects"), defender.get("acts")
    return DefenderProfile(
        None if detects is None else detects.text == FIRST, None if acts is None else _pace(acts.text)
    )
