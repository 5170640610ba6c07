"""The operating point solved, not learned: DDR* and what follows from it.

**Episode.** DDR estimates the mean of μ over an episode of T moves. Its minimax value is found backwards, by
the Bellman operator: DDR* = W_T(v₀)/T, with U and W as :mod:`holdfast.arena.bellman` defines them.

**Exploitability.** Fix one player's policy and let the other respond perfectly: the induction with one
chooser. A fixed defender guarantees at most DDR*, a fixed adversary concedes at least DDR*; the two distances
say how far each is from perfect play. Rounding is monotone, so they are never negative, not even in doubles.

**Long run.** The mean-payoff value can differ between positions, and sums of finitely many moves prove
nothing about it, so what is given are certified bounds. Let U be any potential, one number for each position,
and W to U as above. A function G such that some move of the defender, and every move of the adversary,
satisfies

    μ(v) + W(v') − U(v) ≥ G(v)        and        G'(v') ≥ G(v),        v' = Succ(v, a),

with G' to G as W is to U, proves that the defender can keep the long-run mean of μ at G'(v₀): along a play
the first sums up to Σ μ ≥ Σ G + U(start) − U(end), and by the second G does not fall in expectation. For a
given U the greatest such G is a greatest fixed point; it is approached from above on a grid, so that it is
reached. The upper bound is the same with the players exchanged. U comes from damped value iteration, which
replaces it by the mean of U and of what one move makes of it: the increments then approach the value of each
position.

**Size.** :func:`operating_point` solves a quotient: values that nothing tells apart are one, and values of
interchangeable variables are sorted (:mod:`holdfast.arena.quotient.lean_arena`). Its numbers are those of the
whole arena.

References: Shapley, *Stochastic games* (1953); Puterman, *Markov Decision Processes* (1994), ch. 6, 8 and 9.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
