"""Where everything of a graph's picture stands, whatever draws it: a report's figure or the studio's page.

Units are inches, y upwards. :mod:`.layout` places the nodes: in layers (:mod:`.layering`) or in zones
(:mod:`.zoning`), in boxes as wide as names are (:mod:`.text`). :mod:`.routing` bends the arrows around them.
"""
