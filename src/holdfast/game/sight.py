"""What the defender sees: of a state, and of the adversary's moves.

The adversary sees everything. The defender sees whose turn it is, what it does itself, and of every state the
truth of some predicates. States in which all of these are alike look alike.

Some predicates are always seen. Others are what a *sensor* shows, and a design has some of the sensors that it
could have: more of them never hurt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from holdfast.errors import ModelError, did_you_mean
from holdfast.logic import Expression

Seen = tuple[Expression, ...]
"""Predicates over states whose truth the defender sees."""


@dataclass(frozen=True)
class Sight:
    """What the defender of a system sees.

    Attributes:
        always: what is seen without any sensor.
        sensors: for each sensor that there is or could be, what it shows.
        placed: the sensors that there are, in the order of ``sensors``; None if everything is seen, as in the
            paper, whatever sensors could show.
        noticed: actions of the adversary, by name, that the defender notices as such.
        costs: what a sensor costs; 1 where none is given.
    """

    always: Seen
    sensors: Mapping[str, Seen] = field(default_factory=dict)
    placed: tuple[str, ...] | None = None
    noticed: frozenset[str] = frozenset()
    costs: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a sensor that nobody has heard of.

        Raises:
            ModelError: for one.
        """
        for name in self.placed or ():
            if name not in self.sensors:
                raise ModelError(f'there is no sensor "{name}"' + did_you_mean(name, self.sensors))

    @property
    def seen(self) -> Seen:
        """The predicates that are seen with the sensors that there are, each once."""
        assert self.placed is not None, "whoever sees everything needs no predicates"
        shown = (predicate for name in self.placed for predicate in self.sensors[name])
        return tuple(dict.fromkeys((*self.always, *shown)))


def with_sensors(sight: Sight, names: Iterable[str]) -> Sight:
    """The sight of a design that has just these sensors.

    >>> with_sensors(Sight((), {"DB": (), "GW": ()}), ["GW"]).placed
    ('GW',)
    """
    chosen = frozenset(names)
    unknown = sorted(chosen - set(sight.sensors))
    if unknown:
        raise ModelError(f'there is no sensor "{unknown[0]}"' + did_you_mean(unknown[0], sight.sensors))
    return replace(sight, placed=tuple(name for name in sight.sensors if name in chosen))
