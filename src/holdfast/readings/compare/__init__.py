"""Designs compared: which change strengthens one, where it acts, and where two orders disagree."""
