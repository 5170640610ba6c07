"""The adaptive layer: two learners confined to the shield, and the operating quality they settle at (DDR)."""
