from .advising_zones import (
    BetterZone as BetterZone,
    ZoneAdvice as ZoneAdvice,
    zone_advice as zone_advice,
    zone_advice_object as zone_advice_object,
)
from .assumption import Removal as Removal, assumptions as assumptions
from .bound import Bound as Bound, Unmoved as Unmoved, bounds as bounds, missing_limits as missing_limits
from .flow_needs import BROKEN as BROKEN, FILTER as FILTER, WHOLE as WHOLE
from .fragile_zones import zone_fragility as zone_fragility
from .fragility import (
    Breaker as Breaker,
    Fragility as Fragility,
    fragility as fragility,
    fragility_object as fragility_object,
)
from .frontiers import (
    Contrast as Contrast,
    Frontier as Frontier,
    Scale as Scale,
    Staircase as Staircase,
    cell_readings as cell_readings,
    contrasts as contrasts,
    frontier as frontier,
    frontier_object as frontier_object,
    levels as levels,
    numbers_of as numbers_of,
    scales_of as scales_of,
)
from .guard import (
    Drift as Drift,
    DriftGuard as DriftGuard,
    guard_of as guard_of,
    guard_text as guard_text,
    held_against as held_against,
    read_guard as read_guard,
)
from .knobs import PLACE as PLACE, knobs_of as knobs_of, replaced as replaced
from .ladder import (
    EVICTABLE as EVICTABLE,
    Ladder as Ladder,
    RungVerdict as RungVerdict,
    fall_of as fall_of,
    ladder_object as ladder_object,
    ladder_of as ladder_of,
    rung_gates as rung_gates,
    rungs as rungs,
)
from .margin import Margin as Margin, margins as margins
from .probabilities import (
    LikelyCurve as LikelyCurve,
    LikelyFrontier as LikelyFrontier,
    ProbabilityScale as ProbabilityScale,
    likely_frontier as likely_frontier,
    likely_object as likely_object,
    probability_scale as probability_scale,
)
from .properties import HELD as HELD, Property as Property, property_named as property_named
from .recommend.burdens import (
    Burden as Burden,
    Shift as Shift,
    heaviest_first as heaviest_first,
    relieves as relieves,
    shifts as shifts,
)
from .recommend.changed_designs import IN_FULL as IN_FULL, ChangedDesign as ChangedDesign
from .recommend.improvements import Improvements as Improvements
from .recommend.likelier import Likelier as Likelier
from .recommend.recommending import (
    ASKED_FOR as ASKED_FOR,
    BURDENS as BURDENS,
    DROPPABLE as DROPPABLE,
    IMPROVEMENTS as IMPROVEMENTS,
    LIKELIER as LIKELIER,
    REMEDIES as REMEDIES,
    Recommendation as Recommendation,
    proposals as proposals,
    recommend as recommend,
    recommendation_object as recommendation_object,
)
from .recommend.remedies import Remedies as Remedies, Remedy as Remedy
from .recommend.robustness import UndoneBy as UndoneBy
from .recommend.space import NAMED as NAMED, DesignSpace as DesignSpace, design_space as design_space
from .recommend.variants import (
    slug as slug,
    with_variants as with_variants,
    written_variants as written_variants,
)
from .recommend.weighing import (
    gains as gains,
    losses as losses,
    merits as merits,
    order_of as order_of,
    ranked_readings as ranked_readings,
    ranking as ranking,
)
from .repairs import Repairs as Repairs, smallest_repairs as smallest_repairs
from .sensing import SensorSets as SensorSets, sensor_sets as sensor_sets, sensors_object as sensors_object
from .starts import StartVerdict as StartVerdict, start_verdicts as start_verdicts
from .trials import Trials as Trials
