"""What a variant changes in a section of a file, entry by entry.

A change is written as the section is. A scalar or a list takes the place of the section's own; a mapping is
merged into it, key by key as deep as it goes; null takes an entry out; and a list under ``add_<key>`` is
appended to the list of that key.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.errors import did_you_mean
from holdfast.scenario import Node, shortened

ADD = "add_"


def patched(section: Node, change: Node | None) -> Node:
    """The section with a change put in place; every entry keeps the node that it comes from.

    Raises:
        Problem: for an entry to take out that is not there.
    """
    if change is None:
        return section
    entries, keys = dict(section.entries), dict(section.keys)
    for name, new in change.entries.items():
        target, old = name.removeprefix(ADD), entries.get(name)
        if target != name and new.kind == "list":
            before = entries.get(target)
            items = before.items if before is not None else ()
            entries[target] = replace(new, items=(*items, *new.items))
            keys.setdefault(target, change.keys[name])
        elif new.is_null:
            if old is None:
                hint = did_you_mean(name, entries)
                raise change.keys[name].problem(f'there is no "{shortened(name)}" here to remove{hint}')
            del entries[name], keys[name]
        else:
            merges = old is not None and old.kind == new.kind == "mapping"
            entries[name] = patched(old, new) if merges and old is not None else new
            keys[name] = change.keys[name]
    return replace(section, entries=entries, keys=keys)
