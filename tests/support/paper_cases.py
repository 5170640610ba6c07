"""The paper's five cases: their variants, and what perfect players make of each."""

VARIANTS = {"1": None, "2": "fully-connected", "3": "unlimited-destroys", "4": "two-active", "5": "no-bypass"}
PERFECT = {"1": 0.2520, "2": 0.2514, "3": 0.2520, "4": 0.8169, "5": 0.8855}
