"""Designs varied: numbers moved, parts taken away, margins, repairs, frontiers, and what to recommend."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
