"""The language: expressions and formulas, and their compilation to safety automata."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
