from . import play_kernels as play_kernels, sweep_loops as sweep_loops
from .compiled_rules import PlayRules as PlayRules, play_rules as play_rules
from .expansion import grown as grown
from .export.flat_shield import flatten_shield as flatten_shield
from .export.shields import export_shield as export_shield, render as render, size as size
from .form import ShieldedArena as ShieldedArena, distances as distances
from .play_kernels import (
    FORFEITED as FORFEITED,
    LEGAL as LEGAL,
    NONE as NONE,
    POSSIBLE as POSSIBLE,
    REFUSED as REFUSED,
    SHIELD as SHIELD,
    VIOLATED as VIOLATED,
)
from .play_rows import Flags as Flags, GameRows as GameRows, Memo as Memo, Met as Met
from .quotient.abstraction import Classes as Classes, value_classes as value_classes
from .quotient.lean_arena import (
    LeanArena as LeanArena,
    OutOfRoomError as OutOfRoomError,
    lean_arena as lean_arena,
    merged_solution as merged_solution,
)
from .quotient.symmetries import interchangeable as interchangeable, is_renamed as is_renamed
from .shielded_arenas import require_defensible as require_defensible, shielded_arena as shielded_arena
from .sweeps import (
    BOTH as BOTH,
    PARALLEL_FROM as PARALLEL_FROM,
    Chances as Chances,
    MergedArena as MergedArena,
    Share as Share,
    Vectors as Vectors,
    check_size as check_size,
    crew as crew,
    fresh_vectors as fresh_vectors,
    merged_arena as merged_arena,
    next_side as next_side,
    places as places,
    resting as resting,
    sweep as sweep,
    swept as swept,
)
