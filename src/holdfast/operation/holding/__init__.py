"""HOLD: how likely a defense holds, for so many moves and for ever, where outcomes are drawn."""
