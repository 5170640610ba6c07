"""One example of each command, and what its exit code 1 means.

They stand at the end of a command's help and on its page in the documentation, where they are also run:
``segment.yaml`` is then the named scenario of the library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """How a command is called.

    Attributes:
        lines: what is typed.
        like: the scenario of the library that stands for ``segment.yaml``.
        refused: what exit code 1 means; empty where it does not occur.
    """

    lines: tuple[str, ...]
    like: str = "paper"
    refused: str = ""


LOST = "the design is not defensible"
MISSED = f"{LOST}, or misses a gate"

EXAMPLES: Mapping[str, Example] = {
    "check": Example(("holdfast check segment.yaml --min-slt 0.7",), refused=MISSED),
    "fingerprint": Example(("holdfast fingerprint segment.yaml --no-learning",), "water-tank", MISSED),
    "compare": Example(
        ("holdfast compare segment.yaml --no-learning",),
        "water-tank",
        "a design is not defensible; with --fail-on regression, also if one is worse than the base",
    ),
    "explain": Example(("holdfast explain segment.yaml",), "indefensible", LOST),
    "recommend": Example(
        ("holdfast recommend segment.yaml",), "indefensible", "no set of changes makes the design hold"
    ),
    "frontier": Example(("holdfast frontier segment.yaml",)),
    "fragile": Example(
        ("holdfast fragile segment.yaml --kind link",),
        refused="the design does not have the property to begin with",
    ),
    "guard": Example(
        (
            "holdfast fragile segment.yaml --kind link --write guard.json",
            "holdfast guard guard.json segment.yaml",
        ),
        refused="the change breaks the guarded property, or claims less than what was proved",
    ),
    "sensors": Example(
        ("holdfast sensors segment.yaml",), refused="even all sensors together are not enough"
    ),
    "ladder": Example(
        ("holdfast ladder segment.yaml", "holdfast ladder segment.yaml --require ladder:detect-first"),
        refused=f"{LOST}, or does not hold on a rung that is required",
    ),
    "playbook": Example(("holdfast playbook segment.yaml",), "two-lines", LOST),
    "report": Example(("holdfast report segment.yaml --html report.html",), "indefensible", LOST),
    "automata": Example(("holdfast automata segment.yaml",), "water-tank"),
    "verify": Example(
        ("holdfast check segment.yaml --certificate proof.json", "holdfast verify proof.json"),
        refused="the certificate does not prove its verdict",
    ),
    "studio": Example(("holdfast studio segment.yaml",)),
    "mcp": Example(("holdfast mcp designs/",)),
    "play": Example(
        ("holdfast play segment.yaml --as defender",), refused="a replayed play differs from the model"
    ),
    "reproduce": Example(
        ("holdfast reproduce --quick",),
        refused="a number differs in its printed digits and is not on record as a known difference",
    ),
    "export-shield": Example(
        ("holdfast export-shield segment.yaml --format c --output shield.c",), refused=LOST
    ),
    "export-game": Example(("holdfast export-game segment.yaml --output segment.prism",)),
    "import": Example(
        (
            "holdfast import links.csv --entry GW --critical DB --output segment.yaml",
            "holdfast import links.csv --update segment.yaml",
        )
    ),
    "engines": Example(("holdfast engines",)),
    "schema": Example(("holdfast schema > scenario.schema.json",)),
    "init": Example(("holdfast init --like office segment.yaml",)),
}
"""By the name of the command."""


def epilogue(name: str) -> str:
    """What stands below the options in the help of a command; nothing for one of another package."""
    if name not in EXAMPLES:
        return ""
    example = EXAMPLES[name]
    word = "Example" if len(example.lines) == 1 else "Examples"
    # The sign keeps the lines as they are.
    return "\n".join(("\b", f"{word}:", *(f"  {line}" for line in example.lines)))
