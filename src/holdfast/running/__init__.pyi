from .compilation import find_place_for_compiled as find_place_for_compiled
from .files import prepare as prepare, sha256_of as sha256_of, write_whole as write_whole
from .interruptions import (
    interruption_answered as interruption_answered,
    interruption_arrived as interruption_arrived,
    is_interrupted as is_interrupted,
)
from .plugins import load_plugin as load_plugin, plugins_of as plugins_of
from .processes import (
    end_with_parent as end_with_parent,
    family_of as family_of,
    kill as kill,
    memory_of as memory_of,
    patience_with as patience_with,
    uninterrupted as uninterrupted,
)
from .tasks import (
    PATIENCE as PATIENCE,
    Backend as Backend,
    TaskResult as TaskResult,
    Work as Work,
    run_tasks as run_tasks,
    whole as whole,
)
