"""A configuration played move by move, by people and by strategies.

The rules are those of the adaptive protocol (:mod:`holdfast.game.protocol`), so that a play and DDR* are
about the same thing. A play has N moves, both players' counted. At the start of a move, where an engagement
reset can happen, it happens with probability p; then the mover chooses. μ of the position in which a move is
made is what the play averages. The adversary is bound to Λ. The defender may leave Safe(v), to see what the
shield is for: outside W the adversary forces a violation within rank(v) moves, and no reset comes to the
rescue, since resets belong to shielded play (sec:respawn). A play ends with the first violation of φ_D, after
N moves, or where the adversary has no moves left for good.

Chance is a function of the seed and of the number of the move. Taking moves back does not change the luck.

Modules: ``session`` the rules · ``trace`` plays as text, and a text checked against the model · ``perfect``
the N-move game solved · ``strategies`` who can sit on the other side, and what is made ready before the first
move · ``menu`` the moves as a person sees them · ``screen`` and ``dialogue`` the terminal.
"""
