"""Holdfast: is this design defensible, how defensible, and what would make it more so?

>>> import holdfast as hf
>>> game = hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW")
>>> solution = hf.solve(hf.configure(game, defender=["G (DB != Z)"]))
>>> solution.defensible
True
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"

# A public name is imported when it is first asked for, so that the command line starts fast;
# __init__.pyi says where it lives.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
