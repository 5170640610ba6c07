"""The expression and specification language, and its compilation to safety automata."""
