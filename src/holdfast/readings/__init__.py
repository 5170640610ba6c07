"""The readings of a design: what is measured, one row each, and the comparison of designs by them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
