"""Configurations varied: their numbers and parts, margins, and the smallest repairs.

Making φ_D smaller, φ_A larger, or a system richer in :class:`~holdfast.system.Part` values never helps the
defender (prop:refinement). Everything here rests on that order.
"""
