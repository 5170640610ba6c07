"""The models that come with Holdfast, one package each; found by entry point as anybody else's are."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
