"""Scenario files: YAML in, configurations out (:mod:`holdfast.scenario.load`)."""
