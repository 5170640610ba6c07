from . import bellman_kernels as bellman_kernels, play_kernels as play_kernels
from .bellman import (
    BOTH as BOTH,
    PARALLEL_FROM as PARALLEL_FROM,
    BellmanOperator as BellmanOperator,
    Chances as Chances,
    Floats as Floats,
    MergedArena as MergedArena,
    Numbers as Numbers,
    backward as backward,
    bellman_operator as bellman_operator,
    check_size as check_size,
    final_stage_of_play as final_stage_of_play,
    merged_arena as merged_arena,
    move_values as move_values,
    places as places,
    reset_values as reset_values,
    spans_of as spans_of,
    stages as stages,
)
from .compiled_rules import PlayRules as PlayRules, play_rules as play_rules
from .draws import choice_arena as choice_arena, drawn_arena as drawn_arena
from .export.flat_controller import (
    controller_size as controller_size,
    flatten_controller as flatten_controller,
    render_controller as render_controller,
)
from .export.flat_shield import flatten_shield as flatten_shield
from .export.shields import export_shield as export_shield, render as render, size as size
from .form import (
    ShieldedArena as ShieldedArena,
    arena_distances as arena_distances,
    row_width as row_width,
)
from .lazy_arena import (
    LazyArena as LazyArena,
    rows_of as rows_of,
)
from .play_kernels import (
    ALL_MOVES as ALL_MOVES,
    FORFEITED as FORFEITED,
    LEGAL as LEGAL,
    NO_MOVE as NO_MOVE,
    NONE as NONE,
    POSSIBLE as POSSIBLE,
    REFUSED as REFUSED,
    SHIELD as SHIELD,
    VIOLATED as VIOLATED,
)
from .play_rows import (
    Flags as Flags,
    GameRows as GameRows,
    LearnerView as LearnerView,
    Memo as Memo,
    MoveDraws as MoveDraws,
)
from .quotient.abstraction import Classes as Classes, value_classes as value_classes
from .quotient.counted_arena import counted_arena as counted_arena
from .quotient.lean_arena import (
    OutOfRoomError as OutOfRoomError,
    lean_arena as lean_arena,
    merged_solution as merged_solution,
)
from .quotient.symmetries import interchangeable as interchangeable, is_renamed as is_renamed
from .shielded_arenas import require_defensible as require_defensible, shielded_arena as shielded_arena
