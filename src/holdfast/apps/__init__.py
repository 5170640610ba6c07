"""The programs: the command line, the studio, play in the terminal, and the paper's reproduction."""
