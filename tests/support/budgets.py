"""Budgets whose watcher is a function of a test."""

from holdfast.budget import Budget


def watched(progress, jobs=None):
    """A budget that tells a function what is being done; what the function raises ends the work."""
    return Budget(jobs=jobs, watch=lambda doing, done: progress(doing))
