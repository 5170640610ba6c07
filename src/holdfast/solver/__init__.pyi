from .array_positions import ArrayPositions as ArrayPositions
from .beliefs import (
    NOBODY as NOBODY,
    BeliefSolution as BeliefSolution,
    LostBelief as LostBelief,
    SeenMoves as SeenMoves,
    initial_beliefs as initial_beliefs,
    solve_beliefs as solve_beliefs,
)
from .chaining import reachable_sets as reachable_sets
from .controllers import (
    Controller as Controller,
    Decision as Decision,
    Round as Round,
    controller as controller,
    looker as looker,
)
from .diagram_positions import DiagramPositions as DiagramPositions, attractor as attractor
from .engines import (
    AUTO as AUTO,
    Solver as Solver,
    SolverQuestion as SolverQuestion,
    solve as solve,
    solver_of as solver_of,
    solvers as solvers,
)
from .explicit import ArrayRegions as ArrayRegions
from .fairness import (
    almost_sure_positions as almost_sure_positions,
    safely_before as safely_before,
)
from .forcing import forced as forced
from .mdd import (
    NEITHER as NEITHER,
    MultiValuedDiagrams as MultiValuedDiagrams,
    NodeReference as NodeReference,
    Test as Test,
)
from .ordering import variable_orders as variable_orders
from .pieces import Piece as Piece, image as image, one_piece as one_piece
from .position_sets import (
    PositionSet as PositionSet,
    out_of_moves as out_of_moves,
)
from .product_diagrams import (
    Gamble as Gamble,
    MoveGroup as MoveGroup,
    ProductDiagrams as ProductDiagrams,
    group_moves as group_moves,
    mask_sets as mask_sets,
    separated_choices as separated_choices,
    within_memory as within_memory,
)
from .product_tables import TURNS as TURNS, ProductTables as ProductTables
from .quotient import (
    Blocks as Blocks,
    ClauseAtoms as ClauseAtoms,
    Side as Side,
    classify_moves as classify_moves,
)
from .recovery import (
    AgainProof as AgainProof,
    MoveCount as MoveCount,
    RecoveryProfile as RecoveryProfile,
    RecoveryProof as RecoveryProof,
    recovery_layers as recovery_layers,
    recovery_profile as recovery_profile,
)
from .resets import Resets as Resets
from .response import (
    Extent as Extent,
    ResponseCounts as ResponseCounts,
    ResponseProfile as ResponseProfile,
    as_number as as_number,
    extent as extent,
    no_response as no_response,
    response_counts as response_counts,
    response_layers as response_layers,
    response_profile as response_profile,
)
from .restrictions import (
    Restriction as Restriction,
    claims as claims,
    restricted as restricted,
    steps_past as steps_past,
)
from .seen_profile import seen_profile as seen_profile
from .shield import reachable as reachable, safe_actions as safe_actions
from .solution import (
    Reach as Reach,
    Regions as Regions,
    Solution as Solution,
    arrays as arrays,
    belief_witness as belief_witness,
    diagrams as diagrams,
    is_listable as is_listable,
    is_winning as is_winning,
    rank as rank,
    recovery_witness as recovery_witness,
    winning_positions as winning_positions,
    witness as witness,
    work_on_sets as work_on_sets,
)
from .solved_game import SolvedGame as SolvedGame
from .steadying import steadied as steadied
from .stepper import Outcomes as Outcomes, Stepper as Stepper
from .strategy import (
    MAX_FOLLOWED as MAX_FOLLOWED,
    Strategy as Strategy,
    holding_strategy as holding_strategy,
    winning_strategy as winning_strategy,
)
from .symbolic import (
    BYTES_PER_NODE as BYTES_PER_NODE,
    MAX_NODES as MAX_NODES,
    DiagramRegions as DiagramRegions,
    empty_diagrams as empty_diagrams,
)
from .variations import (
    KnownPlay as KnownPlay,
    is_solved_like as is_solved_like,
    safe_play_of as safe_play_of,
    solve_like as solve_like,
)
from .weakening import (
    Opened as Opened,
    can_be_weakened as can_be_weakened,
    holds_weakened as holds_weakened,
)
from .witnesses import (
    WitnessPlane as WitnessPlane,
    dddmp as dddmp,
    listed_planes as listed_planes,
    packed as packed,
)
from .words import (
    MoveInWords as MoveInWords,
    MoveVerdict as MoveVerdict,
    change_in_words as change_in_words,
    move_in_words as move_in_words,
    names_of as names_of,
    outcome_in_words as outcome_in_words,
    start_in_words as start_in_words,
    state_in_words as state_in_words,
    verdicts as verdicts,
)
