"""The results of an analysis: frozen values of numbers and words, which need no game to be read.

An :class:`Analysis` is the whole. Its parts are the size of safe play
(:class:`~holdfast.solver.solution.Reach`), DDR
(:class:`~holdfast.operation.training.interval.DefenderDominance`), DDR*
(:class:`~holdfast.operation.result.OperatingPoint`), the protocol both were taken under, and where the
numbers come from (:class:`Provenance`). What a reading is, and how it is taken from an analysis, stands
in :mod:`holdfast.readings.table`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.game import Displayed, Premise, Protocol
from holdfast.readings.table import every_reading
from holdfast.solver import MoveCount, Reach, RecoveryProfile, ResponseCounts, ResponseProfile

if TYPE_CHECKING:  # numpy comes with it, and ``check`` does without
    import numpy as np
    import numpy.typing as npt

    from holdfast.operation import DefenderDominance, Hold, OperatingPoint
    from holdfast.readings.vacuity import Caveat

    Trajectories = npt.NDArray[np.float64]
    Caveats = tuple[Caveat, ...]
else:
    Trajectories = Caveats = Any


@dataclass(frozen=True)
class Provenance:
    """Where an analysis comes from: hashes, versions, and the key of all that decides its numbers."""

    key: str
    scenario_sha256: str
    holdfast: str
    program_sha256: str
    python: str
    numpy: str
    numba: str
    oxidd: str


@dataclass(frozen=True)
class SightReading:
    """What becomes of the verdict where the defender does not see everything.

    Attributes:
        sensors: where a compromise is seen, or whatever else the sensors of the model show.
        defensible: whether a defense exists that uses only what is seen; None where a limit came first.
        beliefs: how many beliefs were looked at to find out.
        stances: how many states the controller has that was found.
        needs: the sensors that it uses.
        latitude: where it is held, the mean share of the defender's actions that are safe whatever is the
            case, over all that it may hold possible; None where that is more than is listed.
        recovery: likewise, within how many moves each goal can be reached and known to be.
        response: likewise, effort, tempo and grace.
    """

    sensors: tuple[str, ...]
    defensible: bool | None = None
    beliefs: int | None = None
    stances: int | None = None
    needs: tuple[str, ...] = ()
    latitude: float | None = None
    recovery: dict[str, MoveCount] = field(default_factory=dict)
    response: ResponseProfile | None = None


@dataclass(frozen=True)
class Analysis(Displayed):
    """What Holdfast found out about one configuration.

    The fields up to ``warnings`` are those of ``check --json``; a reading that is not defined, not asked
    for or not reached is None. ``undecided`` says why one is missing although it was asked for, and
    ``interrupted`` whether a person ended the training before all seeds had finished.
    ``sight`` has the verdict for a defender who sees what its sensors show; None where it sees everything.
    ``recovery`` has how soon each goal can be forced, by its name, ``pace`` how many seconds a move takes.
    ``response`` has effort, tempo and grace, ``no_response`` says why they cannot be, ``layers`` counts the
    winning positions by them, and ``costs`` are what the scenario says that actions cost. ``assumptions`` are
    what the model takes for granted, each with the option that changes it. ``hold`` is how likely the
    requirement is kept, where outcomes are drawn or somebody asked; ``almost_surely`` says of goals that
    cannot be forced for sure then whether they are reached with probability one.
    ``counted`` names interchangeable things that were counted by themselves, such as "40 ws".
    ``trajectories`` holds the mean of μ in each episode, shape (n_seeds, episodes). ``caveats`` are the
    warnings with what they are about; only the words are saved, so that they are None where an analysis with
    warnings was read back.
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
    reachable: Reach | None
    warnings: tuple[str, ...]
    requirement: tuple[str, ...]
    boundary: tuple[str, ...]
    start: str
    defender_actions: int
    engine: str
    seconds: float
    undecided: str | None = None
    interrupted: bool = False
    sight: SightReading | None = None
    recovery: dict[str, RecoveryProfile] = field(default_factory=dict)
    pace: float | None = None
    response: ResponseProfile | None = None
    no_response: str = ""
    layers: ResponseCounts | None = None
    costs: dict[str, int] = field(default_factory=dict)
    assumptions: tuple[Premise, ...] = ()
    hold: Hold | None = None
    almost_surely: Mapping[str, bool] = field(default_factory=dict)
    ddr: DefenderDominance | None = None
    ddr_exact: OperatingPoint | None = None
    protocol: Protocol | None = None
    provenance: Provenance | None = None
    counted: tuple[str, ...] = ()
    trajectories: Trajectories | None = field(default=None, compare=False, repr=False)
    caveats: Caveats | None = field(default=None, compare=False, repr=False)


def plain_of(analysis: Analysis) -> dict[str, Any]:
    """The fields of an analysis as data that JSON can hold.

    The trajectories are None and ``caveats`` is left out: its words are the warnings.
    """
    plain = asdict(replace(analysis, trajectories=None, caveats=None))
    del plain["caveats"]
    return plain


def analysis_object(analysis: Analysis) -> dict[str, Any]:
    """The analysis as plain data for JSON, without the trajectories."""
    data = plain_of(analysis)
    if analysis.reachable is not None:
        data["reachable"] = {name.removeprefix("n_"): n for name, n in data["reachable"].items()}
    data["response"] = asdict(analysis.response or ResponseProfile(None, None, None))
    for only_where_some in ("almost_surely", "counted"):
        if not data[only_where_some]:
            del data[only_where_some]
    if analysis.hold is None:
        del data["hold"]
    else:
        data["hold"] |= {"moves": {str(moves): ends for moves, ends in data["hold"]["moves"].items()}}
    for reading in every_reading():
        place = data["response"] if reading.group == "response" else data
        if (
            reading.key not in place and reading.group != "recovery"
        ):  # one that is worked out from others, and has no field
            place |= reading.columns(analysis)
    return data | {"assumptions": list(data["assumptions"]), "provenance": data["provenance"] or {}}
