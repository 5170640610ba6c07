from .conformance import check_model as check_model
from .grid.net_file import grid_from_file as grid_from_file, is_net as is_net
from .network.artefacts import (
    DesignChange as DesignChange,
    PatchRefusedError as PatchRefusedError,
    patch_files as patch_files,
)
from .network.game import system_of as system_of
from .network.importers import (
    ImportedNetwork as ImportedNetwork,
    UpdatedNetwork as UpdatedNetwork,
    import_network as import_network,
    import_object as import_object,
    updated_network as updated_network,
)
from .network.segment import STATUSES as STATUSES, Link as Link, Segment as Segment
from .network.techniques import network_techniques as network_techniques
from .network.templates import TEMPLATES as TEMPLATES, RequirementTemplate as RequirementTemplate
from .patches import patched as patched
