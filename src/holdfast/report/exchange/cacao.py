"""A playbook as CACAO 2.0 (OASIS), the form in which platforms for incident response take playbooks.

The workflow is the list of rules, read once after each move of the adversary::

    start ─▶ while the incident is open ──────────────────────────▶ end
                 └▶ observe ─▶ if rule 1 ─▶ end of the round
                                ├ true ▶ what it says ─▶ end
                                └ false ▶ if rule 2 ─▶ end … └ false ▶ the last resort ─▶ end

What the standard asks for is kept to: a branch ends at an end step of its own, whatever goes on does so by
``on_completion``, conditions are comparisons of the STIX patterning grammar, and a variable is named between
double underscores and read by ``:value``. Every command is ``manual``: Holdfast knows what is to be done and
not by which tool; whoever runs the playbook puts commands of their own in their place.

The variables are what the rules ask for and nothing else: places, counts, and what clauses remember. They are
filled in by the first step of each round. The certificate is an external reference, by its SHA-256.

Identifiers follow from the design and from what is asked of it, so that the same design gives the same
playbook, and a later file with the same identifier is a later version of it.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from holdfast.explanation import Condition, Playbook, Trait, observer
from holdfast.game import Configuration
from holdfast.logic import Defined, Player, Variable, action_target
from holdfast.report.documents.playbook import action_in_words, may_fail, reaches
from holdfast.running import sha256_of

SPECIFICATION = "cacao-2.0"
HOME = uuid.uuid5(uuid.NAMESPACE_DNS, "holdfast")
INCIDENT = "__incident__"
OPEN, CLOSED = "open", "closed"

MAX_NAME, MAX_TEXT, MAX_EDGES = 60, 400, 12
"""Characters of a variable's name and of a remark, and steps of a clause's memory that are told."""

ESCAPED = str.maketrans({"\\": "\\\\", "'": "\\'"})


def cacao(playbook: Playbook, certificate: str = "", created: str = "", now: datetime | None = None) -> str:
    """The text of a CACAO playbook.

    Args:
        playbook: one that has rules.
        certificate: the SHA-256 of its certificate; empty where there is none.
        created: when the first version was made, as that has it; now if it is empty.
        now: when this version is made.
    """
    return json.dumps(cacao_object(playbook, certificate, created, now), indent=2, ensure_ascii=False) + "\n"


def cacao_object(
    playbook: Playbook, certificate: str = "", created: str = "", now: datetime | None = None
) -> dict[str, Any]:
    """A playbook as a CACAO playbook object; the arguments are those of :func:`cacao`."""
    made = _timestamp(now or datetime.now(UTC))
    writer = _Workflow(playbook)
    start = writer.written()
    goal = playbook.wanted.goal
    types = ["mitigation", *(["remediation"] if goal else [])]
    activities = ["analyze-collected-data", "configure-systems", *(["restore-capabilities"] if goal else [])]
    kinds = {step["type"] for step in writer.steps.values()}
    features = {"manual_playbook": True, "if_logic": "if-condition" in kinds, "while_logic": True}
    return {
        "type": "playbook",
        "spec_version": SPECIFICATION,
        "id": playbook_id(playbook),
        "name": _title(playbook),
        "description": _description(playbook),
        "playbook_types": types,
        "playbook_activities": activities,
        "playbook_processing_summary": features,
        "created_by": f"identity--{uuid.uuid5(HOME, 'identity')}",
        "created": created or made,
        "modified": made,
        "revoked": False,
        "labels": ["holdfast", "proved" if certificate else "not certified"],
        "external_references": _references(playbook, certificate),
        "playbook_variables": writer.variables,
        "workflow_start": start,
        "workflow": writer.steps,
        "agent_definitions": {writer.agent: _agent()},
        **({"target_definitions": writer.targets} if writer.targets else {}),
    }


def playbook_id(playbook: Playbook) -> str:
    """The identifier of a playbook: the same for the same design and the same question."""
    return f"playbook--{_identity(playbook)}"


def _identity(playbook: Playbook) -> uuid.UUID:
    here = playbook.configuration
    about = (here.name, here.variant or "", playbook.style, playbook.wanted.name, sha256_of(here.text))
    return uuid.uuid5(HOME, "\n".join(about))


def _timestamp(moment: datetime) -> str:
    """A moment to the millisecond, as the standard has it."""
    at = moment.astimezone(UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def _title(playbook: Playbook) -> str:
    wanted = f": {playbook.wanted.goal}" if playbook.wanted.goal else ""
    return f"{playbook.configuration.title}{wanted}" or "Playbook"


def _description(playbook: Playbook) -> str:
    clauses = "; ".join(clause.label for clause in playbook.configuration.clauses(Player.DEFENDER))
    boundary = "; ".join(clause.label for clause in playbook.configuration.clauses(Player.ADVERSARY))
    reached = f", {reaches(playbook)}" if playbook.wanted.goal else ""
    return (
        f"Whoever follows these rules from the start keeps the requirement ({clauses}){reached}, whatever an "
        f"adversary does who keeps to the threat boundary ({boundary or 'none'}). After each move of the "
        "adversary the rules are read from the top, and the first that applies decides. It says nothing "
        "about situations that cannot come up under it, and nothing to those who began too late."
        + (f" {may_fail(playbook)}" if playbook.drawn else "")
    )


def _references(playbook: Playbook, certificate: str) -> list[dict[str, str]]:
    text = playbook.configuration.text
    about = "The scenario of Holdfast that the playbook is about, by its SHA-256."
    references = [{"name": "scenario", "description": about, "external_id": f"sha256:{sha256_of(text)}"}]
    if certificate:
        claim = "of the requirement alone" if playbook.wanted.goal else "that they keep the requirement"
        proof = (
            f"The proof of these rules, {claim}, by the SHA-256 of its file; holdfast verify checks it "
            "without the solver."
        )
        references.append(
            {"name": "certificate", "description": proof, "external_id": f"sha256:{certificate}"}
        )
    return references


def _agent() -> dict[str, str]:
    return {"type": "group", "name": "defenders", "description": "Those who run the system and defend it."}


# -- conditions -------------------------------------------------------------------------------------


def condition_text(condition: Condition, name: str) -> str:
    """A condition as a comparison of the STIX patterning grammar, about the variable of that name."""
    path, codes, n = f"{name}:value", condition.codes, condition.trait.n_values
    constants = [_constant(condition.trait, code) for code in range(n)]
    chosen = [constants[code] for code in sorted(codes)]
    others = [constants[code] for code in range(n) if code not in codes]
    if len(chosen) == 1:
        return f"{path} = {chosen[0]}"
    if len(others) == 1:
        return f"{path} != {others[0]}"
    if condition.trait.ordered and _ascending(condition.trait):
        if max(codes) == len(codes) - 1:
            return f"{path} <= {chosen[-1]}"
        if min(codes) == n - len(codes):
            return f"{path} >= {chosen[0]}"
    return f"{path} IN ({', '.join(chosen)})"


def _value(trait: Trait, code: int) -> str:
    """What a variable holds: a value of the game, or the number of a count or of a memory's state."""
    return str(trait.of.values[code]) if isinstance(trait.of, Variable) else str(code)


def _is_number(trait: Trait) -> bool:
    return not isinstance(trait.of, Variable) or trait.of.numeric


def _constant(trait: Trait, code: int) -> str:
    value = _value(trait, code)
    return value if _is_number(trait) else f"'{value.translate(ESCAPED)}'"


def _ascending(trait: Trait) -> bool:
    """Whether the numbers of the values are in the order of the values."""
    of = trait.of
    return not isinstance(of, Variable) or list(of.values) == sorted(
        of.values, key=lambda value: float(value)
    )


# -- the workflow -----------------------------------------------------------------------------------


@dataclass
class _Workflow:
    """The steps of a playbook while they are written, with what they refer to."""

    playbook: Playbook
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    variables: dict[str, dict[str, Any]] = field(default_factory=dict)
    targets: dict[str, dict[str, Any]] = field(default_factory=dict)
    names: dict[Trait, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Name what the rules ask for, and whoever acts."""
        self.agent = self._id("group", "defenders")
        self.variables[INCIDENT] = {
            "type": "string",
            "description": f"{OPEN} while the rules are to be followed, {CLOSED} to end",
            "value": OPEN,
            "constant": False,
            "external": False,
        }
        for instruction in self.playbook.instructions:
            for condition in instruction.conditions:
                if condition.trait not in self.names:
                    self._declare(condition.trait)

    def written(self) -> str:
        """Write all steps; the identifier of the first."""
        start, loop, end = self._id("start", ""), self._id("while-condition", ""), self._id("end", "")
        observe, over = self._id("action", "observe"), self._id("end", "round")
        self.steps[start] = {"type": "start", "name": "Start", "on_completion": loop}
        self.steps[loop] = {
            "type": "while-condition",
            "name": "While the incident is open",
            "condition": f"{INCIDENT}:value = '{OPEN}'",
            "on_true": observe,
            "on_completion": end,
        }
        self.steps[observe] = {
            "type": "action",
            "name": "Observe",
            "description": "Wait for a move of the adversary, and note what the rules ask for.",
            "commands": [{"type": "manual", "command": "Note the present value of each variable."}],
            "agent": self.agent,
            "out_args": list(self.variables),
        }
        first = self._rule(0)
        self.steps[observe]["on_completion"] = first
        self.steps[first]["on_completion"] = over
        self.steps[over] = {"type": "end", "name": "End of the round"}
        self.steps[end] = {"type": "end", "name": "End"}
        return start

    def _rule(self, place: int) -> str:
        """The step of a rule, or of the last resort, with all that is below it."""
        rules = self.playbook.instructions
        if place == len(rules):
            return self._action("otherwise", "Otherwise", self.playbook.default)
        rule, number = rules[place], place + 1
        step = self._id("if-condition", str(number))
        comparisons = [condition_text(one, self.names[one.trait]) for one in rule.conditions]
        self.steps[step] = {
            "type": "if-condition",
            "name": f"Rule {number}",
            "description": f"If {rule.condition}",
            "condition": " AND ".join(comparisons),
        }
        then = self._action(str(number), f"Rule {number}", rule.action)
        self.steps[then]["on_completion"] = self._end(f"{number} then")
        other = self._rule(number)
        self.steps[other]["on_completion"] = self._end(f"{number} else")
        self.steps[step] |= {"on_true": then, "on_false": other}
        return step

    def _end(self, role: str) -> str:
        step = self._id("end", role)
        self.steps[step] = {"type": "end", "name": "End of the branch"}
        return step

    def _action(self, role: str, name: str, action: int) -> str:
        words = action_in_words(self.playbook, action)
        step = self._id("action", role)
        self.steps[step] = {
            "type": "action",
            "name": f"{name}: {words}",
            "commands": [{"type": "manual", "command": words}],
            "agent": self.agent,
        }
        if action in self.playbook.drawn:
            self.steps[step]["description"] = "It may fail: the next round begins with what came of it."
        place = action_target(self.playbook.action(action))
        graph = self.playbook.configuration.system.graph
        if graph is not None and action not in self.playbook.idle and place in {n.name for n in graph.nodes}:
            target = self._id("net-address", place)
            self.targets[target] = {
                "type": "net-address",
                "name": place,
                "description": f"The {graph.noun} {place}; put its address here where that is not its name.",
                "address": {"dname": [place]},
            }
            self.steps[step]["targets"] = [target]
        return step

    def _id(self, kind: str, role: str) -> str:
        return f"{kind}--{uuid.uuid5(_identity(self.playbook), f'{kind} {role}')}"

    def _declare(self, trait: Trait) -> None:
        """A variable for a trait, with the value that it has at the start."""
        configuration = self.playbook.configuration
        kind = "memory" if trait.is_memory else trait.name
        name = variable_name(kind, self.variables)
        code = observer(configuration, trait)(configuration.initial)
        self.names[trait] = name
        self.variables[name] = {
            "type": "integer" if _is_number(trait) else "string",
            "description": _about(configuration, trait),
            "value": _value(trait, code),
            "constant": False,
            "external": False,
        }


def variable_name(name: str, taken: Mapping[str, Any]) -> str:
    """A name as the standard has them: lower case, from a letter on, between double underscores.

    >>> variable_name("Web-1", {}), variable_name("web_1", {"__web_1__": 0}), variable_name("2nd", {})
    ('__web_1__', '__web_1_2__', '__v2nd__')
    """
    plain = re.sub(r"_+", "_", re.sub(r"[^a-z0-9]", "_", name.lower())).strip("_")[:MAX_NAME]
    plain = plain if plain[:1].isalpha() else f"v{plain}"
    wanted, n = f"__{plain}__", 1
    while wanted in taken:
        n += 1
        wanted = f"__{plain}_{n}__"
    return wanted


def _about(configuration: Configuration, trait: Trait) -> str:
    """What somebody has to know to fill a variable in."""
    of = trait.of
    if isinstance(of, Variable):
        meanings = configuration.system.legend
        told = (f"{value} {meanings[str(value)]}" for value in of.values if str(value) in meanings)
        values = ", ".join(told) or ", ".join(str(value) for value in of.values)
        return _short(f"{trait.name}: {values}")
    if isinstance(of, tuple):
        return " ".join(_memory(configuration, *of))
    body = of.body if isinstance(of, Defined) else of
    return _short(f"{trait.name}: {body}")


def _memory(configuration: Configuration, side: Player, number: int) -> Iterator[str]:
    """How the number of a memory's state is kept up to date, step by step."""
    clause = configuration.clauses(side)[number]
    automaton = clause.automaton
    edges = [(q, t, guard) for q, t, guard in automaton.edges() if q != t and automaton.accepting[q]]
    yield f'What the clause "{clause.label}" remembers, as a number; it is kept up to date after every move.'
    for q, target, guard in edges[:MAX_EDGES]:
        yield _short(f"From {q} to {target} when {guard}.")
    if len(edges) > MAX_EDGES:
        yield f"And {len(edges) - MAX_EDGES} more steps: holdfast automata shows them."


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
