from .certifying import certify_composition as certify_composition
from .composing import compose as compose
from .proposal import communities as communities, zones_of as zones_of
from .result import (
    Composition as Composition,
    ZoneAnswer as ZoneAnswer,
    composition_object as composition_object,
)
