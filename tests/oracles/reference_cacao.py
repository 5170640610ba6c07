"""CACAO 2.0: a validator written from public descriptions of the format, and an interpreter of workflows.

There is no package with the committee's own JSON schema. What is checked here comes from unofficial JSON schemas
that circulate and call themselves non-normative, and the vocabularies from memory; it was not held against the text
of the specification. It covers the parts that are used, and a few things that schemas cannot say (references,
branches, reachability).
"""

import re
from datetime import datetime

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
STEPS = (
    "start",
    "end",
    "action",
    "playbook-action",
    "parallel",
    "if-condition",
    "while-condition",
    "switch-condition",
)
TYPES = {
    "attack",
    "detection",
    "engagement",
    "investigation",
    "mitigation",
    "notification",
    "prevention",
    "remediation",
}
ACTIVITIES = {
    "compose-content", "deliver-content", "identify-audience", "identify-channel", "scan-system", "match-indicator",
    "analyze-collected-data", "identify-indicators", "scan-vulnerabilities", "configure-systems", "restrict-access",
    "disconnect-system", "eliminate-risk", "revert-system", "restore-data", "restore-capabilities", "map-network",
    "identify-steps", "step-sequence", "prepare-engagement", "execute-operation", "analyze-engagement-results",
}  # fmt: skip
VARIABLE_TYPES = {
    "bool", "dictionary", "float", "hexstring", "integer", "ipv4-addr", "ipv6-addr", "long", "mac-addr", "hash",
    "md5-hash", "sha256-hash", "string", "uri", "uuid",
}  # fmt: skip
PARTIES = {
    "group", "individual", "location", "organization", "sector", "http-api", "linux", "net-address",
    "security-category", "ssh",
}  # fmt: skip
ADDRESSES = {"dname", "ipv4", "ipv6", "l2mac", "vlan", "url"}
NAME = re.compile(r"__[a-zA-Z][a-zA-Z0-9_-]{0,245}__")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TEXTS = ("name", "description")


def problems(playbook):
    """Every rule that a playbook breaks."""
    return [*_playbook(playbook), *_variables(playbook), *_parties(playbook), *_workflow(playbook)]


def _is_id(text, *kinds):
    return isinstance(text, str) and any(re.fullmatch(f"{re.escape(kind)}--{UUID}", text) for kind in kinds)


def _playbook(pb):
    required = [
        "type",
        "spec_version",
        "id",
        "name",
        "created_by",
        "created",
        "modified",
        "workflow_start",
        "workflow",
    ]
    yield from (f"{key} is missing" for key in required if key not in pb)
    if pb.get("type") != "playbook" or pb.get("spec_version") != "cacao-2.0":
        yield "type and spec_version"
    if not _is_id(pb.get("id"), "playbook") or not _is_id(pb.get("created_by"), "identity"):
        yield "id and created_by"
    times = [pb.get("created", ""), pb.get("modified", "")]
    if not all(TIME.fullmatch(t) for t in times) or datetime.fromisoformat(times[0]) > datetime.fromisoformat(
        times[1]
    ):
        yield "times to the millisecond, the first version first"
    types, activities = pb.get("playbook_types", []), pb.get("playbook_activities", [])
    if not set(types) <= TYPES or not set(activities) <= ACTIVITIES or (types and not activities):
        yield "types and activities"
    for found in pb.get("external_references", [{"name": "none", "url": ""}]):
        if "name" not in found or not {"description", "source", "url", "external_id", "reference_id"} & set(
            found
        ):
            yield "an external reference has a name and something else"
        yield from (f"{key} of a reference" for key, value in found.items() if not isinstance(value, str))
    kinds = {step.get("type") for step in pb.get("workflow", {}).values()}
    manual = {c.get("type") for s in pb.get("workflow", {}).values() for c in s.get("commands", ())} == {
        "manual"
    }
    told = pb.get("playbook_processing_summary", {})
    logic = {
        "if_logic": "if-condition" in kinds,
        "while_logic": "while-condition" in kinds,
        "manual_playbook": manual,
    }
    yield from (f"the summary says {key}" for key in told if told[key] is not logic.get(key, False))
    if not isinstance(pb.get("revoked", False), bool) or not all(
        isinstance(x, str) for x in pb.get("labels", ["x"])
    ):
        yield "revoked and labels"


def _variables(pb):
    for name, variable in pb.get("playbook_variables", {}).items():
        if not NAME.fullmatch(name) or len(name) > 250 or not name.isascii():
            yield f"the name {name}"
        if variable.get("type") not in VARIABLE_TYPES:
            yield f"the type of {name}"
        if not isinstance(variable.get("value", ""), str) and variable["value"] is not None:
            yield f"the value of {name} is no text"
        if not all(isinstance(variable.get(key, False), bool) for key in ("constant", "external")):
            yield f"the marks of {name}"
        if variable.get("type") == "integer" and not re.fullmatch(r"-?\d+", str(variable.get("value", 0))):
            yield f"the value of {name} is no number"


def _parties(pb):
    for place in ("agent_definitions", "target_definitions"):
        for key, party in pb.get(place, {None: None}).items():
            if key is None:
                continue
            if party.get("type") not in PARTIES or not _is_id(key, party["type"]) or not party.get("name"):
                yield f"{place}: {key}"
            elif party["type"] == "net-address":
                address = party.get("address")
                if not isinstance(address, dict) or not address or not set(address) <= ADDRESSES:
                    yield f"the address of {key}"
                elif not all(isinstance(one, list) and one for one in address.values()):
                    yield f"the address of {key} is a list"


def _workflow(pb):
    steps, start = pb.get("workflow", {}), pb.get("workflow_start")
    kinds = [step.get("type") for step in steps.values()]
    if steps.get(start, {}).get("type") != "start" or kinds.count("start") != 1:
        yield "the workflow begins at its one start"
    if not {"start", "end"} <= set(kinds) or not {"action", "playbook-action"} & set(kinds):
        yield "a start, an action and an end"
    for key, step in steps.items():
        yield from (f"{key}: {told}" for told in _step(pb, key, step))
    yield from (f"{target} is no step" for target in _dangling(steps))
    if not list(_dangling(steps)):
        yield from (f"{key} is not reached" for key in set(steps) - _reached(steps, start))
        yield from _branches(steps)


def _step(pb, key, step):
    kind = step.get("type")
    if kind not in STEPS or not _is_id(key, kind):
        yield "the type is that of the identifier"
        return
    after = [on for on in ("on_completion", "on_success", "on_failure") if on in step]
    if (kind == "end") != (not after):
        yield "all steps but ends go on"
    if "on_completion" in after and len(after) > 1:
        yield "on_completion stands alone"
    yield from (f"{name} is text" for name in TEXTS if not isinstance(step.get(name, ""), str))
    if kind == "action":
        if step.get("agent") not in pb.get("agent_definitions", {}):
            yield "the agent is defined"
        if any(target not in pb.get("target_definitions", {}) for target in step.get("targets", ())):
            yield "the targets are defined"
        if not step.get("commands") or any(
            c.get("type") != "manual" or not ({"command", "command_b64"} & set(c)) for c in step["commands"]
        ):
            yield "commands"
        if any(name not in pb.get("playbook_variables", {}) for name in step.get("out_args", ())):
            yield "what comes out is a variable"
    if kind in ("if-condition", "while-condition"):
        if "on_true" not in step or not step.get("condition"):
            yield "a condition and what it decides"
        else:
            used = re.findall(r"(__\w+?__)(:value)?(?=[ )]|$)", step["condition"])
            if not used or any(name not in pb["playbook_variables"] or not value for name, value in used):
                yield "conditions read variables by :value"


def _targets(step):
    return [
        step[on] for on in ("on_completion", "on_success", "on_failure", "on_true", "on_false") if on in step
    ]


def _dangling(steps):
    return (t for step in steps.values() for t in _targets(step) if t not in steps)


def _reached(steps, start):
    seen, stack = set(), [start]
    while stack:
        here = stack.pop()
        if here in steps and here not in seen:
            seen.add(here)
            stack += _targets(steps[here])
    return seen


def _branches(steps):
    """A branch ends at an end of its own, to which no other branch comes."""
    ends = {}
    for key, step in steps.items():
        for on in ("on_true", "on_false"):
            if on not in step:
                continue
            here, n = step[on], 0
            while steps[here]["type"] != "end" and n <= len(steps):
                here, n = steps[here].get("on_completion", here), n + 1
            if n > len(steps):
                yield f"{key}: {on} does not end"
            ends.setdefault(here, []).append((key, on))
    yield from (f"{end} ends several branches" for end, of in ends.items() if len(of) > 1)


# -- the interpreter ----------------------------------------------------------------------------------

TOKEN = re.compile(
    r"\s*(__\w+?__:value|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|<=|>=|!=|=|<|>|\(|\)|,|AND\b|OR\b|IN\b)"
)


def holds(condition, values):
    """Whether a comparison expression holds: AND binds closer than OR, as in the STIX patterning grammar."""
    tokens, at = [], 0
    while at < len(condition):
        match = TOKEN.match(condition, at)
        assert match, f"not understood from {condition[at:]!r}"
        tokens.append(match[1])
        at = match.end()
    parts, one = [[]], []
    for token in [*tokens, "AND"]:
        if token in ("AND", "OR"):
            parts[-1].append(_compared(one, values))
            parts += [[]] if token == "OR" else []
            one = []
        else:
            one.append(token)
    return any(all(part) for part in parts)


def _compared(tokens, values):
    name, operator, *rest = tokens
    value = values[name.removesuffix(":value")]
    constants = [_constant(token) for token in rest if token not in "(),"]
    mine = value if isinstance(constants[0], str) else float(value)
    if operator == "IN":
        assert rest[0] == "(" and rest[-1] == ")"
        return mine in constants
    (other,) = constants
    return {
        "=": mine == other, "!=": mine != other, "<=": mine <= other, ">=": mine >= other, "<": mine < other,
        ">": mine > other,
    }[operator]  # fmt: skip


def _constant(token):
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith("'") else float(token)


def run(playbook, observe, act):
    """Execute a workflow as the format is described: ``observe`` fills variables in, ``act`` is told commands."""
    steps = playbook["workflow"]
    values = {name: variable["value"] for name, variable in playbook["playbook_variables"].items()}

    def branch(here):
        while steps[here]["type"] != "end":
            step = steps[here]
            if step["type"] == "action":
                if step.get("out_args"):
                    values.update(observe(tuple(step["out_args"])))
                else:
                    for command in step["commands"]:
                        act(command["command"])
            elif step["type"] == "if-condition":
                taken = "on_true" if holds(step["condition"], values) else "on_false"
                if taken in step:
                    branch(step[taken])
            elif step["type"] == "while-condition":
                while holds(step["condition"], values):
                    branch(step["on_true"])
            here = step["on_completion"]

    branch(playbook["workflow_start"])
