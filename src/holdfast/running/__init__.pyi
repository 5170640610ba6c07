from .files import prepare as prepare, sha256_of as sha256_of, write_whole as write_whole
from .plugins import load_plugin as load_plugin, plugins as plugins
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
    Answer as Answer,
    Work as Work,
    Workplace as Workplace,
    answers as answers,
    whole as whole,
)
