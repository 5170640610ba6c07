"""The answer to it: who wins from where, by which engine, what is safe, and what it takes."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
