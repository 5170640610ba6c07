from . import expressions as expressions
from .arrays import holds_array as holds_array, number_array as number_array
from .automata import SafetyAutomaton as SafetyAutomaton
from .compile import (
    Edge as Edge,
    build_automaton as build_automaton,
    compile_formula as compile_formula,
    compile_tree as compile_tree,
)
from .diagrams import (
    Assignments as Assignments,
    Computed as Computed,
    Diagram as Diagram,
    Diagrams as Diagrams,
    OutOfNodes as OutOfNodes,
    children_first as children_first,
)
from .evaluate import Reader as Reader, code_reader as code_reader, reader as reader
from .expressions import (
    BINARY as BINARY,
    FALSE as FALSE,
    MIRRORED as MIRRORED,
    TRUE as TRUE,
    UNARY as UNARY,
    And as And,
    Arithmetic as Arithmetic,
    Compare as Compare,
    Count as Count,
    Defined as Defined,
    Did as Did,
    Expression as Expression,
    Iff as Iff,
    Implies as Implies,
    Label as Label,
    Lookup as Lookup,
    Member as Member,
    Move as Move,
    Not as Not,
    Number as Number,
    Or as Or,
    Player as Player,
    Read as Read,
    Symbol as Symbol,
    Temporal as Temporal,
    Truth as Truth,
    Value as Value,
    Variable as Variable,
    after_move as after_move,
    children as children,
    conjunction as conjunction,
    disjunction as disjunction,
    is_local as is_local,
    is_static as is_static,
    rebuild as rebuild,
    redefined as redefined,
    term_range as term_range,
    variables_of as variables_of,
    walk as walk,
    with_moves as with_moves,
)
from .inclusion import (
    Automata as Automata,
    Pair as Pair,
    ProductState as ProductState,
    accepts as accepts,
    is_empty as is_empty,
    is_included as is_included,
    joint_states as joint_states,
    languages as languages,
)
from .parser import (
    parse_formula as parse_formula,
    parse_predicate as parse_predicate,
    parse_term as parse_term,
    parse_value as parse_value,
)
from .tallies import (
    Tally as Tally,
    added as added,
    at_most as at_most,
    counted_range as counted_range,
    shift_of as shift_of,
    spelled_short as spelled_short,
)
from .vocabulary import (
    Vocabulary as Vocabulary,
    action_name as action_name,
    action_target as action_target,
    action_type as action_type,
    with_group as with_group,
)
