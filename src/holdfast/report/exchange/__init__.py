"""Results in the formats of other tools, for those who run them: playbooks as CACAO, attacks as layers."""
