"""Answers that explain themselves: forced lines, tight spots, margins."""
