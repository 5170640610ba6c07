"""Scenario files: text and places, shape, meaning, and edits that keep every other character."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
