"""What to change: what makes a lost design hold at the least cost, or a held one hold better."""
