"""DDR* between certified bounds, where positions are too many to list."""
