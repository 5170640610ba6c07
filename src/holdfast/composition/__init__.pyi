from .certifying import certify_composition as certify_composition
from .composing import compose as compose
from .division import Partition as Partition, refuse_indivisible as refuse_indivisible
from .proposal import communities as communities, zones_of as zones_of
from .questions import Answers as Answers, question_key as question_key
from .result import (
    Composition as Composition,
    Crossing as Crossing,
    ZoneAnswer as ZoneAnswer,
    composition_object as composition_object,
    crossings as crossings,
)
from .zone_designs import (
    concerned_zones as concerned_zones,
    decisive_zone as decisive_zone,
    remade as remade,
    remade_zones as remade_zones,
    zone_design as zone_design,
)
from .zone_readings import (
    Between as Between,
    ComposedReadings as ComposedReadings,
    ZoneReading as ZoneReading,
    composed_readings as composed_readings,
    read_zone as read_zone,
    readings_object as readings_object,
)
