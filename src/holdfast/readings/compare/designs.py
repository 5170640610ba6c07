"""Comparison: which change strengthens a design, where it acts, where two orders disagree (sec:experiments).

The object is the signed vector ΔF = (ΔWIN, ΔSTP, ΔSLT, ΔDDR*, ΔDDR) against a base, with what it rests on:

- *depth* (sec:demo-structure): |Sh_k| rank by rank, and how many positions went from which rank to which;
- *inversions* (sec:demo-inversion): pairs that a static axis and an operating point, DDR* or DDR, order in
  opposite ways, and those of effort, tempo or grace with any of these; and *disagreements*, pairs that DDR*
  and DDR order differently. DDR* orders by its certain ends; a DDR that has not settled
  (:mod:`holdfast.operation.training.settling`) is shown and orders nothing;
- *attribution* (sec:demo-attribution): SLT is a mean of |Safe(v)|/|Act_D| over R ∩ V_D, so it moves by
  changed menus, by positions that leave or enter R, or by both. With S the positions shared,
  ΔSLT = (mean_S after − mean_S before) + rest, and the rest vanishes where none leaves or enters;
- *refinement* (prop:refinement): where only φ_A differs and one boundary admits no more than the other, W
  does not shrink under the narrower. Inclusion of boundaries is decided on their automata; W ⊆ W′ is then
  checked on the solved games and never assumed.

Positions of two games correspond, as (s, turn, q_D, q_A), over the same variables with automata of the same
shapes. Under a changed specification equal automaton states need not remember the same; whether they do is
decided too (:func:`~holdfast.readings.compare.parts.same_memory`). A larger coordinate under a changed
specification means more defensible under another contract; :func:`compare_subjects` says so whenever it
applies. What is not defined or cannot be had is None, with the reason.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from itertools import permutations

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError, did_you_mean
from holdfast.game import Configuration, Protocol, gathered
from holdfast.readings.analysis import iter_analysis
from holdfast.readings.archive import provenance_of
from holdfast.readings.compare import findings
from holdfast.readings.compare.findings import (
    Comparison,
    Delta,
    Entry,
    RankMatrix,
    Refinement,
    comparison_object,
)
from holdfast.readings.compare.parts import (
    accepting_tuples,
    changed_parts,
    includes,
    same_memory,
    unmatched,
)
from holdfast.readings.compare.positions import Positions, Subject, channels, positions_of, rank_matrix
from holdfast.readings.question import Asked
from holdfast.readings.results import Analysis
from holdfast.readings.table import every_reading
from holdfast.running import Backend
from holdfast.solver import Solution, solve

__all__ = [
    "Comparison",
    "Subject",
    "chosen_base",
    "compare",
    "compare_subjects",
    "comparison_object",
    "subjects_of",
]

SOLVING, READING = 0.3, 0.85
"""How far the work is when all is solved, for those who watch; the share of the time left for readings."""

Found = Callable[[str], Positions]
"""The positions of a subject by its label, solved when first asked for and then kept."""


def compare_subjects(
    subjects: Sequence[Subject], base: str | None = None, *, budget: Budget = UNLIMITED
) -> Comparison:
    """Compare analyses, all against a base and all pairs with each other.

    Args:
        subjects: two or more, with distinct labels.
        base: a label; the first by default.
        budget: memory, time and cores; see :mod:`holdfast.budget`.

    Raises:
        InputError: for fewer than two subjects, a label twice, or an unknown base.
    """
    named = {subject.label: subject for subject in subjects}
    chosen = named[chosen_base([subject.label for subject in subjects], base)]
    entries = tuple(Entry(subject.label, subject.analysis, chosen.analysis) for subject in subjects)
    positions = cache(lambda label: positions_of(named[label], budget))
    deltas = tuple(_delta(chosen, s, positions) for s in subjects if s is not chosen)
    inverted = tuple(findings.inversions(entries))
    return Comparison(
        base=chosen.label,
        entries=entries,
        deltas=deltas,
        inversions=inverted,
        full_inversions=findings.full_inversions(inverted),
        disagreements=tuple(findings.disagreements(entries)),
        dominances=tuple(findings.dominances(entries)),
        spread=findings.spread(entries),
        refinements=tuple(_refinements(subjects, positions)),
        warnings=tuple(_warnings(chosen, subjects, deltas)),
        response_inversions=tuple(findings.response_inversions(entries)),
    )


def compare(
    designs: Mapping[str, Configuration],
    base: str | None = None,
    *,
    protocol: Protocol | None = None,
    latitude: bool = True,
    response: bool = True,
    learning: bool = False,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> Comparison:
    """Analyse some designs, each solved once, and compare them.

    Args:
        designs: configurations by the labels that they are to have.
        base: a label; the first by default.
        protocol, latitude, response, learning, engine: as for :func:`~holdfast.readings.analysis.analyse`.
        budget: memory, time and cores for all of it.

    Raises:
        InputError, LimitError: as :func:`compare_subjects` and :func:`~holdfast.readings.analysis.analyse`.
    """
    chosen = chosen_base(list(designs), base)
    asked = {label: (configuration, protocol) for label, configuration in designs.items()}
    readings = Asked(latitude, response, layers=response, learning=learning, exact=True)
    return compare_subjects(subjects_of(asked, readings, engine, budget), chosen, budget=budget)


def subjects_of(
    designs: Mapping[str, tuple[Configuration, Protocol | None]],
    asked: Asked,
    engine: str,
    budget: Budget,
    backend: Backend | None = None,
    decided: Callable[[Mapping[str, bool]], object] = lambda verdicts: None,
) -> list[Subject]:
    """Designs by label, each with its protocol: all are solved first, then each is read in its share of time.

    Args:
        designs: what to analyse.
        asked: which readings to take.
        engine: how they are solved.
        budget: memory, time and cores; some of the time is kept for the comparison itself.
        backend: where seeds are trained.
        decided: called with the verdicts by label, whenever there is one more.

    Raises:
        LimitError: where a verdict stays undecided; it knows those of the designs before it.
        KeyboardInterrupt: when training was interrupted: a DDR of a few seeds stands beside no whole one.
    """
    n, place = len(designs), backend or Backend()
    solutions: dict[str, Solution] = {}
    verdicts: dict[str, bool] = {}
    seconds: dict[str, float] = {}
    for i, (label, (configuration, _)) in enumerate(designs.items()):
        part = budget.part(f"{label} ({i + 1} of {n})", i * SOLVING / n, (i + 1) * SOLVING / n)
        began = time.perf_counter()
        try:
            solutions[label] = solve(gathered(configuration, engine, part), engine, part)
        except LimitError as error:
            known = {"name": configuration.name, "variant": configuration.variant, "verdicts": verdicts}
            error.known = {**error.known, **known}
            raise
        seconds[label], verdicts[label] = time.perf_counter() - began, solutions[label].defensible
        decided(verdicts)
    readings, subjects = budget.share(READING), []
    for i, (label, (configuration, protocol)) in enumerate(designs.items()):
        low, high = (SOLVING + (1 - SOLVING) * j / n for j in (i, i + 1))
        part = readings.share(1 / (n - i)).part(f"{label} ({i + 1} of {n})", low, high)
        solution, own = solutions[label], place.with_scope(label)
        analysis = _read(solution, configuration, protocol, asked, part, own, seconds[label])
        if analysis.interrupted:
            raise KeyboardInterrupt
        subjects.append(Subject(label, analysis, configuration, solution))
    return subjects


def _read(
    solution: Solution,
    configuration: Configuration,
    protocol: Protocol | None,
    asked: Asked,
    budget: Budget,
    backend: Backend,
    seconds: float,
) -> Analysis:
    """The readings of a design that took so many seconds to solve."""
    inputs: dict[str, object] = {"protocol": asdict(protocol or Protocol()), "latitude": asked.latitude}
    inputs |= {"learning": asked.learning} | ({} if asked.response else {"response": False})
    inputs |= ({} if asked.recovery else {"recovery": False}) | ({} if asked.exact else {"exact": False})
    provenance = provenance_of(configuration.text, configuration.variant, inputs)
    stages = iter_analysis(
        solution,
        protocol,
        asked,
        budget=budget,
        backend=backend,
        provenance=provenance,
        started=time.perf_counter() - seconds,
        given=configuration,
    )
    return deque(stages, maxlen=1)[0]


def chosen_base(labels: Sequence[str], base: str | None) -> str:
    """The label of the base: the first, unless another is named.

    Raises:
        InputError: for fewer than two labels, a label twice, or an unknown base.
    """
    if len(labels) < 2:
        raise InputError("a comparison needs two designs or more; name another variant or file")
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError(f'two of the designs are called "{twice}"; give each a name of its own')
    if base is not None and base not in labels:
        hint = did_you_mean(base, labels) or f"; compared are {', '.join(labels[:12])}"
        raise InputError(f'there is no design "{base}" to compare with{hint}')
    return labels[0] if base is None else base


def _delta(base: Subject, subject: Subject, found: Found) -> Delta:
    before, after = base.analysis, subject.analysis
    depth = max(len(before.shells), len(after.shells))
    combined = partial(findings.combined, before.shells, after.shells)
    shells = tuple(combined(k, k) for k in range(1, depth + 1))
    changed, memory, unknown = None, None, "the games are not both at hand"
    games = base.configuration, subject.configuration
    if games[0] is not None and games[1] is not None:
        changed, unknown = changed_parts(games[0], games[1]), unmatched(games[0], games[1]) or ""
        memory = None if unknown else same_memory(games[0], games[1])
    sides = (base, subject)
    one, other = (Positions(unknown, unknown) if unknown else found(side.label) for side in sides)
    ranks, split = rank_matrix(one.ranks, other.ranks), channels(one, other)
    return Delta(
        label=subject.label,
        changed=changed,
        movements={a.key: findings.movement(a.firm(before), a.firm(after)) for a in every_reading()},
        shells=shells,
        changed_ranks=tuple(shell.first for shell in shells if shell.size.absolute),
        deep=combined(findings.DEEP, depth) if depth > findings.DEEP else None,
        same_memory=memory,
        ranks=None if isinstance(ranks, str) else ranks,
        ranks_unknown=ranks if isinstance(ranks, str) else None,
        channels=None if isinstance(split, str) else split,
        channels_unknown=split if isinstance(split, str) else None,
    )


# -- prop:refinement --------------------------------------------------------------------------------


def _refinements(subjects: Sequence[Subject], found: Found) -> Iterator[Refinement]:
    """Every ordered pair that differs in φ_A alone, the second boundary inside the first."""
    for free, restricted in permutations(subjects, 2):
        wider, narrower = free.configuration, restricted.configuration
        if wider is None or narrower is None or changed_parts(wider, narrower) != (findings.BOUNDARY,):
            continue
        one, other, gained = free.analysis, restricted.analysis, None
        matched = unmatched(wider, narrower) is None
        if matched and includes(wider, narrower, ((q, q) for q in accepting_tuples(wider.adversary))):
            matrix = rank_matrix(found(free.label).ranks, found(restricted.label).ranks)
            gained = other.winning - one.winning
            scope = "count" if isinstance(matrix, str) else "positions"
            holds = gained >= 0 if isinstance(matrix, str) else _no_rank_falls(matrix)
        elif includes(wider, narrower, [(narrower.initial.q_adversary, wider.initial.q_adversary)]):
            scope, holds = "certificate", other.defensible or not one.defensible
        else:
            continue
        yield Refinement(free.label, restricted.label, scope, holds, gained)


def _no_rank_falls(matrix: RankMatrix) -> bool:
    """Whether every position is at least as far from violation as before, W being farthest."""
    far = float("inf")
    return not any(
        count and (far if after is None else after) < (far if before is None else before)
        for before, row in zip(matrix.before, matrix.counts, strict=True)
        for after, count in zip(matrix.after, row, strict=True)
    )


# -- warnings ---------------------------------------------------------------------------------------


def _warnings(base: Subject, subjects: Sequence[Subject], deltas: Sequence[Delta]) -> Iterator[str]:
    """What a reader could take the numbers to say, and they do not."""
    for delta in deltas:
        changed = delta.changed or ()
        specs = [findings.PARTS[part] for part in changed if part in findings.SPECIFICATIONS]
        if specs:
            yield (
                f"{delta.label} changes the {' and the '.join(specs)}: its scores cannot be compared with "
                f"those of {base.label}, and a larger one is not by itself a better design"
            )
        if findings.DOMINANCE in changed:
            yield f"{delta.label} changes μ: its DDR and DDR* measure something different from {base.label}'s"
    for subject in subjects:
        ddr = subject.analysis.ddr
        if ddr is not None and not ddr.settled:
            yield f"DDR of {subject.label} is {ddr.standing} and ranks nothing: {ddr.reason}"
        if subject is base:
            continue
        if subject.analysis.positions != base.analysis.positions:
            yield (
                f"{subject.label} has {subject.analysis.positions:,} positions and {base.label} has "
                f"{base.analysis.positions:,}: compare shares, not counts"
            )
        protocols = base.analysis.protocol, subject.analysis.protocol
        if None not in protocols and protocols[0] != protocols[1]:
            yield f"{subject.label} was played under another protocol than {base.label}: DDR depends on it"
    yield from _steepness_warnings(base, subjects)


def _steepness_warnings(base: Subject, subjects: Sequence[Subject]) -> Iterator[str]:
    """STP is read where the shallowest shell is the largest, and compared at one k_max (sec:stp)."""
    shells = {subject.label: subject.analysis.shells for subject in subjects}
    depth = len(shells[base.label])
    other = [f"{label} {len(own)}" for label, own in shells.items() if len(own) != depth]
    if other:
        yield f"STP compares only designs of one depth k_max: {base.label} has {depth}, {', '.join(other)}"
    deep = [label for label, own in shells.items() if own and own[0] < max(own)]
    if deep:
        yield (
            "STP measures closeness to violation only where rank 1 is the largest shell, which is not so in "
            f"{', '.join(deep)}"
        )
