"""A change request in Markdown: what is to be changed, why, what comes of it, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.logic import Player

if TYPE_CHECKING:
    from holdfast.models.network.artefacts import DesignChange

WORDED = {
    "cut": "Remove the connection from {0} to {1}: delete the rule that allows it, along the path or at {1}.",
    "filter": "Keep the connection from {0} to {1} for its purpose only, and let nothing else through: "
    "use a proxy or gateway that understands the protocol, an account with no other rights, or inspection.",
    "block": "Let the people on duty shut the connection from {0} to {1} at once: prepare a rule and "
    "switch it on when the playbook says so.",
    "close": "Make {0} unreachable from outside.",
}
"""What somebody has to do, for each kind of change."""


def change_request(change: DesignChange, notes: Sequence[str] = ()) -> str:
    """The text of a change request."""
    return "\n".join(_lines(change, notes)) + "\n"


def _lines(change: DesignChange, notes: Sequence[str]) -> Iterator[str]:
    yield f"# Change request: {_plain(change.before.title)}"
    yield ""
    yield f"**What:** {'; '.join(f'`{name}`' for name in change.changes)}"
    yield ""
    yield "**Why:** with these changes the design is proved to hold against every adversary within bounds."
    yield ""
    yield from (f"- keeps: {_plain(clause.label)}" for clause in change.after.clauses(Player.DEFENDER))
    yield from (f"- against: {_plain(clause.label)}" for clause in change.after.clauses(Player.ADVERSARY))
    yield ""
    yield "## To do"
    yield ""
    tasks = [WORDED["cut"].format(*arrow) for arrow in change.cut]
    tasks += [WORDED["filter"].format(*arrow) for arrow in change.filtered]
    tasks += [WORDED["block"].format(*arrow) for arrow in change.blockable]
    tasks += [WORDED["close"].format(host) for host in change.closed]
    told = ("cut ", "filter ", "block ", "close ")
    tasks += [f"{name}: {means}" for name, means in change.changes.items() if not name.startswith(told)]
    yield from (f"- [ ] {_plain(task)}" for task in tasks)
    if notes:
        yield ""
        yield "## Files"
        yield ""
        yield from (f"- {_plain(note)}" for note in notes)
    yield ""
    yield "## Check"
    yield ""
    yield "- [ ] Import the changed files again: the links are those of the changed design."
    yield "- [ ] `holdfast check` says DEFENSIBLE."


def _plain(text: str) -> str:
    """Text that is one line and no markup of its own."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line.replace("<", "&lt;").replace("|", "\\|")
