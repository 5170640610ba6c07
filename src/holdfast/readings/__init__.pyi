from .alike import analysis_alike as analysis_alike, can_be_alike as can_be_alike
from .analysis import (
    HOLD_MOVES as HOLD_MOVES,
    UNCERTIFIED as UNCERTIFIED,
    analyse as analyse,
    iter_analysis as iter_analysis,
)
from .archive import (
    analysis_of as analysis_of,
    load_analysis as load_analysis,
    provenance_of as provenance_of,
    save_analysis as save_analysis,
)
from .compare.designs import (
    chosen_base as chosen_base,
    compare as compare,
    compare_subjects as compare_subjects,
    subjects_of as subjects_of,
)
from .compare.findings import (
    DEEP as DEEP,
    PARTS as PARTS,
    SPECIFICATIONS as SPECIFICATIONS,
    TIE as TIE,
    Channels as Channels,
    Comparison as Comparison,
    Delta as Delta,
    Entry as Entry,
    FullInversion as FullInversion,
    Inversion as Inversion,
    Movement as Movement,
    RankMatrix as RankMatrix,
    Refinement as Refinement,
    combined as combined,
    comparison_object as comparison_object,
    intervals_disjoint as intervals_disjoint,
)
from .compare.positions import Subject as Subject
from .compare.regressions import Regression as Regression, regressions as regressions
from .gates import Gate as Gate, asks_less as asks_less, gate_columns as gate_columns, gates_of as gates_of
from .goals import (
    CAN as CAN,
    CANNOT as CANNOT,
    EVICTED as EVICTED,
    RECOVERED as RECOVERED,
    again_in_words as again_in_words,
    goal_in_words as goal_in_words,
    goal_row as goal_row,
    reach_in_words as reach_in_words,
    stays_away as stays_away,
)
from .metrics import static_reading as static_reading
from .question import Asked as Asked
from .reading import AnalysisStep as AnalysisStep, Reading as Reading
from .results import (
    Analysis as Analysis,
    Provenance as Provenance,
    SightReading as SightReading,
    analysis_object as analysis_object,
    plain_of as plain_of,
)
from .table import (
    RadarSide as RadarSide,
    burden_readings as burden_readings,
    chance_readings as chance_readings,
    every_reading as every_reading,
    fingerprint_readings as fingerprint_readings,
    label_of as label_of,
    radar_sides as radar_sides,
    reading_of as reading_of,
    recovery_readings as recovery_readings,
    response_readings as response_readings,
    static_readings as static_readings,
    untrained_readings as untrained_readings,
    weighed_readings as weighed_readings,
)
from .vacuity import Caveat as Caveat, caveats as caveats, warnings as warnings
