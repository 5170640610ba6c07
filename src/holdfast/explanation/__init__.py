"""Reasons: the attack that cannot be stopped, where a defense is tight, and playbooks."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
