from . import axes as axes
from .analysis import UNCERTIFIED as UNCERTIFIED, analyse as analyse, growing as growing
from .archive import (
    analysis_of as analysis_of,
    load_analysis as load_analysis,
    provenance_of as provenance_of,
    save as save,
)
from .axes import (
    Axis as Axis,
    Gate as Gate,
    axis_of as axis_of,
    every_axis as every_axis,
    gate_columns as gate_columns,
    gates_of as gates_of,
    label_of as label_of,
    static_axes as static_axes,
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
from .metrics import static_reading as static_reading
from .results import (
    Analysis as Analysis,
    Provenance as Provenance,
    analysis_object as analysis_object,
    plain_of as plain_of,
)
from .vacuity import Caveat as Caveat, caveats as caveats, warnings as warnings
