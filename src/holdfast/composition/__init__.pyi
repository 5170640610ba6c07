from .composing import compose as compose, heaviest as heaviest
from .division import (
    Division as Division,
    Partition as Partition,
    Zone as Zone,
    declared_zones as declared_zones,
    divide as divide,
)
from .result import Composition as Composition, Promise as Promise, ZoneAnswer as ZoneAnswer
from .zone_game import (
    Terms as Terms,
    exposures as exposures,
    guarded_game as guarded_game,
    is_still as is_still,
    open_game as open_game,
)
