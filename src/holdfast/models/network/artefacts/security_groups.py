"""Cuts and closed ways in as changes of AWS security groups, in the text of a Terraform configuration.

Security groups only ever allow, so a cut takes away what allows it: the group, the range of addresses or
the ``self`` that means the other host, at the target or, where others there would lose something, at the
source. A range that means others, too, is written as the ranges that are left. Nothing is added for anybody,
and nothing else in the files is touched; the change is a diff of them.

What comes of it is read anew by :mod:`~holdfast.models.network.importers.terraform`, and compared with the
design.
"""

from __future__ import annotations

import difflib
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from holdfast.errors import InputError
from holdfast.game import Arrow
from holdfast.models.network.artefacts import DesignChange, PatchFormat
from holdfast.models.network.importers.cloud_hosts import (
    Cloud,
    CloudHost,
    CloudResource,
    Range,
    aws_hosts,
    parts_of,
    ranges_in,
)
from holdfast.models.network.importers.clouds import (
    INNER,
    RULE_KINDS,
    aws_rule,
    is_inner,
    is_inward,
    is_meant,
)
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.names import name_hosts
from holdfast.models.network.importers.terraform import read_configuration, written_resources

MAX_RANGES = 60
"""Ranges that one rule may be left with: what AWS allows a group without being asked for more."""

ENDS = (
    "security_groups",
    "source_security_group_id",
    "referenced_security_group_id",
    "cidr_blocks",
    "ipv6_cidr_blocks",
    "cidr_ipv4",
    "cidr_ipv6",
    "self",
)
"""The arguments of a rule that say who is at its other end."""

HEAD = """\
Security groups for: {changes}
In the folder of the configuration: patch -p1 < {name}, then terraform plan.
"""
_PLAIN = re.compile(r'"[^"$%\\\n]*"|[\w.*\[\]-]+')

Splice = tuple[int, int, str]
"""From where to where in a text, and what is to stand there."""


def written_groups(change: DesignChange, files: Sequence[ForeignFile]) -> dict[str, str]:
    """The files of a patch: what to apply now, and what to have ready for each link that can be shut.

    Raises:
        InputError: for plans and states, where the configuration does not have the hosts, or where its
            security groups cannot be changed so.
    """
    if any(file.start.startswith("{") for file in files):
        raise InputError(
            "a plan or a state of Terraform is not what people edit; give the configuration that it comes "
            "from as source: its .tf files, or their folder"
        )
    written: dict[str, str] = {}
    if change.cut or change.closed:
        words = "; ".join([f"cut {a} -> {b}" for a, b in change.cut] + [f"close {h}" for h in change.closed])
        new = narrowed(files, change.cut, change.closed)
        written["terraform.patch"] = _diff(files, new, "terraform.patch", words)
        files = new
    for source, target in change.blockable:
        name = f"block-{source}-to-{target}.patch"
        new = narrowed(files, [(source, target)], ())
        written[name] = _diff(files, new, name, f"shut {source} -> {target}, while it must be")
    return written


FORMAT = PatchFormat("terraform", "changes of security groups in Terraform", written_groups)


def narrowed(files: Sequence[ForeignFile], cut: Iterable[Arrow], closed: Iterable[str]) -> list[ForeignFile]:
    """A configuration whose security groups no longer allow some links and ways in; all else is as before."""
    draft = read_configuration(files)
    hosts = {name: host for host, name in name_hosts(draft).items()}
    links, shut = list(cut), list(closed)
    for host in dict.fromkeys([name for link in links for name in link] + shut):
        if host not in hosts:
            raise InputError(
                f'no resource of the configuration is "{host}" in the scenario; was it renamed, or imported '
                "with --collapse? Give the files that it was imported from, and the names that they gave"
            )
    gone = {(hosts[a], hosts[b]) for a, b in links}
    out = {hosts[host] for host in shut}
    now = list(files)
    for a, b in links:
        link = hosts[a], hosts[b]
        ways = [(link[1], link[0], True), (link[0], link[1], False)]
        now = _first(now, draft, gone, out, ways, f"cut {a} -> {b}")
    for name in shut:
        now = _first(now, draft, gone, out, [(hosts[name], None, True)], f"close {name}")
    return now


def _first(
    files: list[ForeignFile],
    before: Draft,
    gone: set[Arrow],
    out: set[str],
    ways: Sequence[tuple[str, str | None, bool]],
    words: str,
) -> list[ForeignFile]:
    """The files after one of the changes, made in the first way that leaves alone what is not to change."""
    reasons = []
    now = read_configuration(files)
    for host, other, inward in ways:
        link = None if other is None else ((other, host) if inward else (host, other))
        if link is not None and link not in now.links:
            return files
        try:
            new = _without(files, host, other, inward)
        except _UnsayableError as reason:
            reasons.append(str(reason))
            continue
        after = read_configuration(new)
        lost = _lost(before, after, gone, out)
        if lost is None and not (link in after.links if link is not None else host in after.exposed):
            return new
        reasons.append(lost or "something else still allows it")
    why = "; ".join(dict.fromkeys(reasons))
    raise InputError(f"security groups cannot express this: {words} ({why}); see the change request")


class _UnsayableError(Exception):
    """Why a change cannot be made in one way."""


def _lost(before: Draft, after: Draft, gone: set[Arrow], out: set[str]) -> str | None:
    """What else a change would change, in words; None for nothing."""
    names = name_hosts(before)
    if after.hosts != before.hosts or after.zones != before.zones:
        return "the hosts would be others"
    for link in before.links.keys() | after.links.keys():
        a, b = link
        if before.links.get(link) != after.links.get(link) and not (link in gone and link not in after.links):
            return f"the connection from {names[a]} to {names[b]} would change, too"
    for host in before.hosts:
        if (host in before.exposed) != (host in after.exposed) and host not in out:
            return f"{names[host]} would no longer be reached from outside"

    def kept(path: Sequence[str]) -> bool:
        return not any(step in gone for step in pairwise(path)) and not (len(path) == 1 and path[0] in out)

    used = [{path for _, path in draft.flows if kept(path)} for draft in (before, after)]
    return None if used[0] == used[1] else "what connections are used for would no longer be seen"


# -- rules and their places -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _RuleText:
    """A rule as it is written: its file, its block, its arguments and what they are when filled in."""

    file: int
    group: str
    block: Any
    values: dict[str, Any]
    resource: str = ""
    """The address of a rule that is a resource of its own."""
    around: Any = None
    """The block of the group that a rule stands in."""


def _without(files: Sequence[ForeignFile], host: str, other: str | None, inward: bool) -> list[ForeignFile]:
    """The files without what lets a host be reached by another one, or reach it; None is the internet."""
    resources = written_resources(files, {})
    cloud = Cloud(resources)
    known = {one.address: one for one in aws_hosts(cloud)}
    if host not in known or (other is not None and other not in known):
        raise _UnsayableError(f"{host} is not in AWS")
    end = None if other is None else known[other]
    edits: dict[int, list[Splice]] = {}
    whole: list[_RuleText] = []
    rules = list(_rules(files, resources, cloud, inward))
    for rule in (rule for rule in rules if rule.group in known[host].groups):
        text = files[rule.file].text
        changes = _narrow(cloud, rule, text, end, inward)
        if changes is None:
            whole.append(rule)
        else:
            edits.setdefault(rule.file, []).extend(changes)
    for rule in whole:
        text = files[rule.file].text
        edits.setdefault(rule.file, []).append(_line(text, rule.block))
        if rule.resource and sum(
            len(re.findall(rf"\b{re.escape(rule.resource)}\b", file.text)) for file in files
        ):
            raise _UnsayableError(f"{rule.resource} is referred to elsewhere")
    way = "ingress" if inward else "egress"
    for group in {rule.group for rule in whole if not rule.resource}:
        left = [rule for rule in rules if rule.group == group and rule not in whole]
        if any(rule.resource for rule in rules if rule.group == group):
            raise _UnsayableError(f"{group} has rules both inside and as resources of their own")
        if not left:
            first = next(rule for rule in whole if rule.group == group)
            if any(_kind(block) == "dynamic" for block in _blocks(first.around)):
                raise _UnsayableError(f"{group} has dynamic rules")
            # Without any block the provider leaves the rules that are there.
            at = edits[first.file].index(_line(files[first.file].text, first.block))
            start, stop, _ = edits[first.file][at]
            edits[first.file][at] = (start, stop, f"  {way} = []\n")
    if not edits or not any(edits.values()):
        raise _UnsayableError(
            f"no rule in the files that could be taken away at {host}"
            if known[host].groups
            else f"{host} has no security group"
        )
    return [
        replace(file, text=_edited(file.text, edits[i])) if edits.get(i) else file
        for i, file in enumerate(files)
    ]


def _rules(
    files: Sequence[ForeignFile], resources: Sequence[CloudResource], cloud: Cloud, inward: bool
) -> Iterator[_RuleText]:
    """The rules of one direction, in the order of the files."""
    way = "ingress" if inward else "egress"
    seen: set[str] = set()
    for i, file in enumerate(files):
        for block in _blocks(_tree(file.text)):
            labels = [_said(file.text, part).strip('"') for part in block.children[1:3]]
            address = ".".join(labels)
            if _kind(block) != "resource" or labels[0] not in ("aws_security_group", *RULE_KINDS):
                continue
            if address in seen:
                raise _UnsayableError(f"{address} is declared twice")
            seen.add(address)
            one = cloud.at[address]
            if one.kind in RULE_KINDS:
                if is_inward(one) == inward:
                    for group in cloud.meant(one.values.get("security_group_id"), "aws_security_group"):
                        yield _RuleText(i, group, block, dict(one.values), resource=address)
                continue
            inner = [part for part in _blocks(block) if _kind(part) == way]
            values = parts_of(one.values.get(way))
            if len(inner) != len(values):
                raise _UnsayableError(f"the rules of {address} are a list; write them as {way} blocks")
            for part, given in zip(inner, values, strict=True):
                yield _RuleText(i, address, part, given, around=block)


def _narrow(
    cloud: Cloud, rule: _RuleText, text: str, other: CloudHost | None, inward: bool
) -> list[Splice] | None:
    """How a rule no longer means a host, or the internet (None); None where nobody is left that it means."""
    edits: list[Splice] = []
    somebody = bool(rule.values.get("prefix_list_ids") or rule.values.get("prefix_list_id"))
    for node in _arguments(rule.block):
        key = _said(text, node.children[0])
        if key not in ENDS:
            continue
        given, whole = rule.values.get(key), _said(text, node.children[-1])
        elements = _elements(text, node.children[-1])
        listed = elements is not None and isinstance(given, list) and len(given) == len(elements)
        values = given if isinstance(given, list) else [given]
        if elements is None or not listed:
            elements = [f'"{value}"' for value in given] if isinstance(given, list) else [whole]
        left = [_left(cloud, rule.group, key, value, other, inward) for value in values]
        touched = any(new is not None for new in left)
        kept = [
            one
            for old, new in zip(elements, left, strict=True)
            for one in ([old] if new is None else [f'"{span}"' for span in new])
        ]
        somebody = somebody or (bool(kept) and not (key == "self" and kept == ["false"]))
        if not touched:
            continue
        if not listed and not _PLAIN.fullmatch(whole):
            raise _UnsayableError(f"{key} of a rule of {rule.group} is an expression")
        if len(kept) > MAX_RANGES:
            raise _UnsayableError(f"more than {MAX_RANGES} ranges would be left in a rule of {rule.group}")
        single = key in ("cidr_ipv4", "cidr_ipv6")
        if single and len(kept) > 1:
            raise _UnsayableError(f"one {key} would become {len(kept)}")
        if not kept:
            edits.append(_line(text, node))
        else:
            start, stop = _span(node.children[-1])
            edits.append((start, stop, kept[0] if single else f"[{', '.join(kept)}]"))
    return edits if somebody or not edits else None


def _left(
    cloud: Cloud, group: str, key: str, value: object, other: CloudHost | None, inward: bool
) -> list[Range] | None:
    """The ranges that are left of one value of an argument; None where it stays as it is."""
    alone = aws_rule(cloud, {key: value if key == "self" else [value]}, inward)
    if other is not None and not is_meant(alone, group, other):
        return None
    spans = ranges_in(value) if "cidr" in key else ()
    if other is None:
        if all(map(is_inner, spans)):
            return None
        return [
            own
            for span in spans
            for own in INNER
            if own.version == span.version
            and own.prefixlen >= span.prefixlen
            and own.overlaps(span)
            and not (own.is_loopback or own.is_link_local)
        ]
    kept: list[Range] = []
    for span in spans:
        pieces: list[Range] = [span]
        mine = [own for own in other.ranges if own.version == span.version]
        for own in mine:
            pieces = [part for piece in pieces for part in _apart(piece, own)]
        kept += pieces if mine else []
    return kept


def _apart(piece: Range, own: Range) -> Iterable[Range]:
    """A range without another one."""
    if not piece.overlaps(own):
        return [piece]
    if piece.prefixlen >= own.prefixlen:
        return []
    return [part for half in piece.subnets() for part in _apart(half, own)]


# -- the text -------------------------------------------------------------------------------------------


def _tree(text: str) -> Any:
    import hcl2

    return hcl2.parses_to_tree(text if text.endswith("\n") else text + "\n")


def _blocks(node: Any) -> list[Any]:
    return _parts(node, "block")


def _arguments(node: Any) -> list[Any]:
    return _parts(node, "attribute")


def _parts(node: Any, kind: str) -> list[Any]:
    """The blocks or arguments in a block, or in a file."""
    body = next(part for part in node.children if getattr(part, "data", "") == "body")
    return [part for part in body.children if getattr(part, "data", "") == kind]


def _kind(block: Any) -> str:
    return str(block.children[0].children[0])


def _span(node: Any) -> tuple[int, int]:
    return node.meta.start_pos, node.meta.end_pos


def _said(text: str, node: Any) -> str:
    if not hasattr(node, "meta"):
        return ""
    start, stop = _span(node)
    return text[start:stop]


def _elements(text: str, node: Any) -> list[str] | None:
    """The elements of a list as they are written; None for what is no list."""
    inside = [part for part in node.children if hasattr(part, "data")]
    if len(inside) != 1 or inside[0].data != "tuple":
        return None
    members = (part for part in inside[0].children if hasattr(part, "data"))
    return [_said(text, part) for part in members if part.data != "new_line_or_comment"]


def _line(text: str, node: Any) -> Splice:
    """A block or an argument taken out, with its lines where nothing else is on them."""
    start, stop = _span(node)
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", stop) + 1 or len(text)
    if text[first:start].strip() or text[stop:last].strip():
        return start, stop, ""
    return first, last, ""


def _edited(text: str, edits: Iterable[Splice]) -> str:
    for start, stop, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[stop:]
    return text


def _diff(before: Sequence[ForeignFile], after: Sequence[ForeignFile], name: str, words: str) -> str:
    """What changes in the files, as ``patch`` applies it."""
    folder = os.path.commonpath([os.path.abspath(file.path.parent) for file in before])
    lines = [HEAD.format(changes=" ".join(words.split()), name=name)]
    for old, new in zip(before, after, strict=True):
        path = os.path.relpath(os.path.abspath(old.path), folder).replace(os.sep, "/")
        was, is_now = (list(io.StringIO(file.text, newline="\n")) for file in (old, new))
        for line in difflib.unified_diff(was, is_now, f"a/{path}", f"b/{path}"):
            lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)
