"""Playbooks: a strategy that people can follow, as a short list of rules that is proved to hold."""
