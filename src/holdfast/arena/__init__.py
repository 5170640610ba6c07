"""Safe play laid out as arrays: listed whole, as a quotient or on the way; and the shield for export."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
