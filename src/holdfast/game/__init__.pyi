from .actions import (
    NO_SUCCESSOR as NO_SUCCESSOR,
    Action as Action,
    OutcomeGroups as OutcomeGroups,
    Reset as Reset,
    Rule as Rule,
    State as State,
)
from .admissibility import preimage as preimage
from .alike import (
    gathered as gathered,
    refuse_counted as refuse_counted,
    with_counters as with_counters,
    written_out as written_out,
)
from .array_games import from_arrays as from_arrays, from_functions as from_functions
from .chance import (
    FAILS as FAILS,
    DrawnRule as DrawnRule,
    drawn_actions as drawn_actions,
    refuse_chance as refuse_chance,
    with_failures as with_failures,
)
from .clauses import (
    Clause as Clause,
    clause as clause,
    clause_of as clause_of,
    one_line as one_line,
    zone_clause as zone_clause,
)
from .configuration import (
    Configuration as Configuration,
    Position as Position,
    admissible_moves as admissible_moves,
    broken_clauses as broken_clauses,
    configure as configure,
    drawn_graph as drawn_graph,
    is_admissible as is_admissible,
    is_unsafe as is_unsafe,
    move as move,
    on_system as on_system,
    used_definitions as used_definitions,
    without_reset as without_reset,
)
from .criticality import BAD as BAD, GOOD as GOOD, critical_nodes as critical_nodes
from .display import Displayed as Displayed
from .flows import (
    FLOW as FLOW,
    FLOWS_UP as FLOWS_UP,
    MAX_ROUTES as MAX_ROUTES,
    Arrow as Arrow,
    Flow as Flow,
    FlowRoute as FlowRoute,
    carried as carried,
    flow_name as flow_name,
    needed_arrows as needed_arrows,
    routes_between as routes_between,
)
from .interval import Interval as Interval
from .interventions import (
    Interventions as Interventions,
    LayerCounts as LayerCounts,
    ResponseLayers as ResponseLayers,
    idle_actions as idle_actions,
    interventions_of as interventions_of,
)
from .numerals import (
    MISSING as MISSING,
    NEVER as NEVER,
    UNBOUNDED as UNBOUNDED,
    apart as apart,
    bracket as bracket,
    count as count,
    counted as counted,
    listed as listed,
    number as number,
    percent as percent,
    power_of_ten as power_of_ten,
    relative as relative,
    signed as signed,
)
from .pace import lasting as lasting, seconds_of as seconds_of
from .premises import (
    IN_SIGHT as IN_SIGHT,
    IN_TURN as IN_TURN,
    NO_CHANCE as NO_CHANCE,
    USUAL_PREMISES as USUAL_PREMISES,
    Premise as Premise,
)
from .protocol import Protocol as Protocol, reset_chance as reset_chance, with_runs as with_runs
from .sight import (
    Recalled as Recalled,
    Seen as Seen,
    Sight as Sight,
    lasting_clause as lasting_clause,
    limited_sight as limited_sight,
    memories as memories,
    value_bits as value_bits,
    with_sensors as with_sensors,
)
from .structure import (
    GameStructure as GameStructure,
    after_reset as after_reset,
    choices as choices,
    has_chance as has_chance,
    mover_of as mover_of,
    movers as movers,
    n_choices as n_choices,
    successor as successor,
    tallied_in_words as tallied_in_words,
    valuation_grid as valuation_grid,
    weight_of as weight_of,
)
from .system import (
    CRITICAL as CRITICAL,
    ENTRY as ENTRY,
    EXPOSED as EXPOSED,
    HARDENED as HARDENED,
    SUPPLY as SUPPLY,
    WATCHED as WATCHED,
    Addition as Addition,
    Floor as Floor,
    Graph as Graph,
    GraphNode as GraphNode,
    Part as Part,
    System as System,
    Weakening as Weakening,
    distances as distances,
    extended as extended,
)
