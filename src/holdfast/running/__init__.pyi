from .files import prepare as prepare, sha256_of as sha256_of, write_whole as write_whole
from .plugins import load_plugin as load_plugin, plugins as plugins
from .processes import (
    LATE as LATE,
    SLACK as SLACK,
    end_with_parent as end_with_parent,
    memory_of as memory_of,
)
from .tasks import (
    PATIENCE as PATIENCE,
    Answer as Answer,
    Work as Work,
    Workplace as Workplace,
    answers as answers,
    whole as whole,
)
