"""Answers for agents, over the Model Context Protocol: each with a budget, bounded, and about one folder."""
