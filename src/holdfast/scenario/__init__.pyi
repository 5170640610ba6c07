from .edits import (
    checked as checked,
    edited as edited,
    editing_of as editing_of,
    free_name as free_name,
    operations_of as operations_of,
    patched_clause as patched_clause,
    with_variant as with_variant,
)
from .library import (
    Card as Card,
    library_card as library_card,
    library_cards as library_cards,
    library_folder as library_folder,
)
from .mentions import FilePlace as FilePlace, design_place as design_place, mention as mention
from .reading import (
    Scenario as Scenario,
    clause_data as clause_data,
    configuration as configuration,
    design_section as design_section,
    joined as joined,
    learning as learning,
    load as load,
    n_in_zones as n_in_zones,
    n_listed as n_listed,
    read_scenario as read_scenario,
    scenario_from_text as scenario_from_text,
)
from .registry import (
    Edit as Edit,
    Editing as Editing,
    Model as Model,
    Operation as Operation,
    all_models as all_models,
    model_keys as model_keys,
    model_of as model_of,
    register as register,
)
from .schema import BASE as BASE, json_schema as json_schema
from .settings import settings_of as settings_of
from .text.places import (
    Problem as Problem,
    Source as Source,
    is_one_line as is_one_line,
    placed as placed,
    reported as reported,
    shortened as shortened,
)
from .text.shape import (
    RESERVED as RESERVED,
    ExpressionText as ExpressionText,
    FileSection as FileSection,
    Name as Name,
    Probability as Probability,
    Text as Text,
    YesNo as YesNo,
    by_kind as by_kind,
    check_action_name as check_action_name,
    check_name as check_name,
    check_new as check_new,
    complaint as complaint,
    leaf as leaf,
    new_entries as new_entries,
    one_of as one_of,
    validate as validate,
)
from .text.spans import is_flow as is_flow, line_break as line_break, tree as tree
from .text.splices import Path as Path, append as append, drop as drop, put as put, respelled as respelled
from .text.yaml import (
    MAX_BYTES as MAX_BYTES,
    Node as Node,
    data as data,
    exact as exact,
    read_documents as read_documents,
    read_text as read_text,
    read_yaml as read_yaml,
)
