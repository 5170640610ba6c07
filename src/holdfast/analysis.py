"""A whole analysis as one value: certificate, static reading, DDR and DDR*, with where they came from.

An :class:`Analysis` holds numbers and words only, so that it can be printed, compared, saved as JSON (with
the trajectories as npz beside it) and loaded again without the game. Its *key* is a hash of everything that
decides the numbers: scenario text, variant, protocol, what was asked for, and the program itself. A cache is
looked up by that key, so what it gives back is never stale.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines import solve
from holdfast.errors import InputError, LimitError
from holdfast.logic.expressions import Player
from holdfast.metrics import static_reading
from holdfast.product import Configuration, warnings
from holdfast.solution import Solution

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from holdfast.arena import ShieldedArena
    from holdfast.learn.minimax_q import Training as Trained
    from holdfast.protocol import Protocol

FORMAT = 1
LIBRARIES = ("numpy", "numba", "oxidd")


@dataclass(frozen=True)
class Analysis:
    """What Holdfast found out about one configuration.

    The fields up to ``warnings`` are those of ``check --json``; a reading that is not defined, not asked
    for or not reached is None. ``undecided`` says why one is missing although it was asked for, and
    ``interrupted`` whether a person ended the training before all seeds had finished.
    """

    name: str
    variant: str | None
    defensible: bool
    positions: int
    unsafe: int
    winning: int
    attractor: int
    shells: tuple[int, ...]
    initial_rank: int | None
    win: float | None
    stp: float
    slt: float | None
    reachable: dict[str, int] | None
    warnings: tuple[str, ...]
    requirement: tuple[str, ...]
    boundary: tuple[str, ...]
    start: str
    defender_actions: int
    engine: str
    seconds: float
    undecided: str | None = None
    interrupted: bool = False
    ddr: dict[str, Any] | None = None
    ddr_exact: dict[str, Any] | None = None
    protocol: dict[str, Any] | None = None
    provenance: dict[str, str] = field(default_factory=dict)
    trajectories: npt.NDArray[np.float64] | None = field(default=None, compare=False, repr=False)


def analyse(
    configuration: Configuration,
    protocol: Protocol | None = None,
    *,
    engine: str = "auto",
    latitude: bool = True,
    learning: bool = False,
    exact: bool = False,
    budget: Budget = UNLIMITED,
    provenance: dict[str, str] | None = None,
    solved: Callable[[Solution], object] | None = None,
) -> Analysis:
    """Solve a configuration and take the readings that are asked for.

    Args:
        configuration: what to analyse.
        protocol: of the adaptive layer; the paper's by default.
        engine: see :func:`holdfast.engines.solve`.
        latitude: whether to follow safe play, for SLT.
        learning: whether to train, for DDR.
        exact: whether to solve the operating point, for DDR*.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        provenance: see :func:`provenance_of`.
        solved: called with the solution before the readings are taken, for instance to certify it.

    Raises:
        LimitError: when a limit leaves the certificate undecided. A limit met later leaves the reading
            it concerned out, and ``undecided`` says so.
    """
    started = time.perf_counter()
    try:
        solution = solve(configuration, engine, budget)
    except LimitError as error:
        error.known |= {"name": configuration.name, "variant": configuration.variant}
        error.known |= {"positions": configuration.n_positions, "unsafe": configuration.n_unsafe}
        raise
    refused = None
    try:
        if solved is not None:
            solved(solution)
    except LimitError as error:
        refused = f"certificate: {error}"
    found = _static(solution, latitude, budget, provenance or {})
    if refused is not None:
        found = _also_undecided(found, refused)
    if solution.defensible and (learning or exact):
        found = _adaptive(found, solution, protocol, learning, exact, budget)
    return replace(found, seconds=time.perf_counter() - started)


def _static(solution: Solution, latitude: bool, budget: Budget, provenance: dict[str, str]) -> Analysis:
    configuration, undecided = solution.configuration, None
    try:
        reading = static_reading(solution, latitude, budget)
    except LimitError as error:
        reading, undecided = static_reading(solution, latitude=False), f"SLT: {error}"
    reach = reading.reach
    return Analysis(
        name=configuration.name,
        variant=configuration.variant,
        defensible=solution.defensible,
        positions=configuration.n_positions,
        unsafe=configuration.n_unsafe,
        winning=solution.n_winning,
        attractor=solution.n_attractor,
        shells=solution.shells,
        initial_rank=solution.regions.rank(configuration.initial),
        win=reading.winning_fraction,
        stp=reading.shell_steepness,
        slt=reading.shield_latitude,
        reachable=None
        if reach is None
        else {"positions": reach.n_positions, "defender": reach.n_defender, "permitted": reach.n_permitted},
        warnings=tuple(warnings(configuration)),
        requirement=tuple(c.label for c in configuration.clauses(Player.DEFENDER)),
        boundary=tuple(c.label for c in configuration.clauses(Player.ADVERSARY)),
        start=start_in_words(configuration),
        defender_actions=len(configuration.game.actions[Player.DEFENDER]),
        engine=solution.engine,
        seconds=0.0,
        undecided=undecided,
        provenance=provenance,
    )


def _adaptive(
    found: Analysis,
    solution: Solution,
    protocol: Protocol | None,
    learning: bool,
    exact: bool,
    budget: Budget,
) -> Analysis:
    """DDR* and DDR; what a limit stops is left out and named."""
    from holdfast.protocol import Protocol

    protocol = protocol or Protocol()
    found, arena = replace(found, protocol=asdict(protocol)), None
    if exact:
        try:
            arena = _enumerated(found, solution, budget)
            found = _exact(found, arena, protocol, budget)
        except LimitError as error:
            found = _also_undecided(found, f"DDR*: {error}")
    if learning:
        found = _learned(found, arena or solution, protocol, budget)
    return found


def _enumerated(found: Analysis, solution: Solution, budget: Budget) -> ShieldedArena:
    """The arena, whole; refused at once where the size of R shows that it is too large."""
    from holdfast.arena import MAX_WALKED, is_small, shielded_arena

    budget.tick("enumerating safe play")
    reach = found.reachable
    if reach is not None and reach["positions"] > MAX_WALKED and not is_small(solution.configuration):
        raise LimitError(
            f"safe play has {reach['positions']:,} positions, too many to enumerate "
            f"(at most {MAX_WALKED:,} in a game of this size)"
        )
    return shielded_arena(solution, budget)


def _exact(found: Analysis, arena: ShieldedArena, protocol: Protocol, budget: Budget) -> Analysis:
    from holdfast.exact import exact_dominance, long_run

    exact = exact_dominance(arena, protocol, budget=budget)
    run = long_run(arena, protocol, budget=budget)
    return replace(
        found,
        ddr_exact={
            "value": exact.value,
            "tremble": exact.tremble,
            "epsilon": exact.epsilon,
            "long_run": {"low": run.low, "high": run.high},
        },
    )


def _learned(
    found: Analysis,
    where: Solution | ShieldedArena,
    protocol: Protocol,
    budget: Budget,
) -> Analysis:
    from holdfast.learn.interval import defender_dominance
    from holdfast.learn.minimax_q import train

    budget.tick("training")
    exact = found.ddr_exact is not None
    try:
        trained = train(where, protocol, budget=budget, tables=exact)
    except LimitError as error:
        return _also_undecided(found, f"DDR: {error}")
    if trained.unfinished:
        left = ", ".join(map(str, trained.unfinished))
        found = _also_undecided(found, f"DDR: stopped before the seeds {left} had finished")
        found = replace(found, interrupted=True)
    if not trained.seeds:
        return found
    reading = defender_dominance(trained.means, protocol.window)
    ddr = {
        "mean": reading.mean,
        "low": reading.low,
        "high": reading.high,
        "per_seed": list(reading.per_seed),
        "seeds": list(trained.seeds),
        "bracket": _bracket(trained, protocol, budget) if exact else None,
    }
    return replace(found, ddr=ddr, trajectories=trained.means)


def _bracket(trained: Trained, protocol: Protocol, budget: Budget) -> dict[str, Any]:
    """What the greedy policies are worth against perfect opponents, averaged over the seeds."""
    from holdfast.exact import exploitability
    from holdfast.learn.policy import greedy_actions, greedy_policies

    found = [
        exploitability(
            trained.arena,
            greedy_actions(trained.arena, greedy_policies(trained, seed)),
            protocol,
            budget=budget,
        )
        for seed in trained.seeds
    ]
    guaranteed = math.fsum(e.guaranteed for e in found) / len(found)
    conceded = math.fsum(e.conceded for e in found) / len(found)
    gaps = found[0].value - guaranteed, conceded - found[0].value
    side = "neither" if max(gaps) < 1e-9 else "defender" if gaps[0] > gaps[1] else "adversary"
    return {"guaranteed": guaranteed, "conceded": conceded, "shortchanged": side}


def _also_undecided(found: Analysis, reason: str) -> Analysis:
    return replace(found, undecided=f"{found.undecided}; {reason}" if found.undecided else reason)


def start_in_words(configuration: Configuration) -> str:
    """The initial state and who moves first, values shared by many variables gathered."""
    by_value: dict[str, list[str]] = {}
    game = configuration.game
    for variable, code in zip(game.variables, game.initial, strict=True):
        by_value.setdefault(str(variable.values[code]), []).append(variable.name)
    usual = max(by_value, key=lambda value: len(by_value[value]))
    several = len(by_value) > 1 and len(by_value[usual]) > 3
    parts = [f"{', '.join(names)} = {v}" for v, names in by_value.items() if not (several and v == usual)]
    if several:
        parts.append(f"all others = {usual}")
    return "; ".join([*parts, f"{game.first} moves first"])


# -- saving -------------------------------------------------------------------------------------------


def to_object(analysis: Analysis) -> dict[str, Any]:
    """The analysis as plain data for JSON, without the trajectories."""
    return asdict(replace(analysis, trajectories=None)) | {"shells": list(analysis.shells)}


def save(analysis: Analysis, path: Path) -> None:
    """Write ``path`` (JSON), and ``path`` with the ending .npz if there are trajectories.

    Both are written beside their place and moved into it, so that an interruption leaves no half file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if analysis.trajectories is not None:
        import numpy as np

        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, trajectories=analysis.trajectories)
        part.replace(path.with_suffix(".npz"))
    part = path.with_suffix(".part")
    part.write_text(
        json.dumps({"holdfast_analysis": FORMAT, **to_object(analysis)}, indent=1) + "\n", "utf-8"
    )
    part.replace(path)


def load_analysis(path: Path) -> Analysis:
    """Read a saved analysis back.

    Raises:
        InputError: for a file that is not one.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        if not isinstance(data, dict) or data.pop("holdfast_analysis", None) != FORMAT:
            raise ValueError
        data.pop("trajectories", None)
        for name in ("shells", "warnings", "requirement", "boundary"):
            data[name] = tuple(data[name])
        beside, trajectories = path.with_suffix(".npz"), None
        if beside.exists() and data["ddr"] is not None:
            import numpy as np

            with np.load(beside, allow_pickle=False) as arrays:
                trajectories = arrays["trajectories"]
        return Analysis(**data, trajectories=trajectories)
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile):
        raise InputError(f"{path}: not an analysis saved by this version of Holdfast") from None


def provenance_of(text: str, variant: str | None, asked: dict[str, Any]) -> dict[str, str]:
    """Where an analysis comes from: hashes, versions, and the key of all that decides its numbers."""
    import hashlib
    import platform
    from importlib.metadata import version

    found = {
        "scenario_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "holdfast": version("holdfast"),
        "program_sha256": _program_hash(),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }
    decisive = json.dumps([found, variant, asked], sort_keys=True, default=str)
    return {"key": hashlib.sha256(decisive.encode()).hexdigest(), **found}


def _program_hash() -> str:
    """A hash of the package's own source: a changed program never reads an old answer."""
    import hashlib

    total = hashlib.sha256()
    root = Path(__file__).parent
    for file in sorted(root.rglob("*.py")):
        total.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return total.hexdigest()
