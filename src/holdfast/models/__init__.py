"""Models that Holdfast ships; the core never imports them."""
