"""How work is done: tasks on many cores, and files that are written whole or not at all."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
