"""What people see: documents made of blocks, figures, and the forms in which they are shown."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
