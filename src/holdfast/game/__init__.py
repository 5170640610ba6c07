"""The question: a game between defender and adversary, its clauses, and the configuration made of both."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
