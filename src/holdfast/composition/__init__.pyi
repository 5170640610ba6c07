from .certifying import certify_composition as certify_composition
from .composing import compose as compose
from .proposal import communities as communities, zones_of as zones_of
from .result import (
    Composition as Composition,
    Crossing as Crossing,
    ZoneAnswer as ZoneAnswer,
    composition_object as composition_object,
    crossings as crossings,
)
from .zone_readings import (
    Between as Between,
    ComposedReadings as ComposedReadings,
    ZoneReading as ZoneReading,
    composed_readings as composed_readings,
    readings_object as readings_object,
)
