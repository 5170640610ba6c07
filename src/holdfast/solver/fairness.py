"""From where a player gets somewhere with probability one, chance being fair: on decision diagrams.

Somebody *seeks* a set T: the defender some positions, the adversary U. With chance fair, what is tried again
and again succeeds in the end. Those from where T is reached almost surely are

    νY. μX. T ∪ {v : a choice *fits*, if whoever seeks is to move; else there are choices, and all fit}

where a choice fits of which every outcome is in Y and some outcome in X. What is sought for certain is the
same without Y: there every outcome would have to be in X.

Reference: Chatterjee, Henzinger, *A survey of stochastic ω-regular games* (2012).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.logic import Diagram, Player
from holdfast.solver.diagram_positions import Blockwise, DiagramPositions, entering
from holdfast.solver.position_sets import out_of_moves
from holdfast.solver.product_diagrams import Gamble, ProductDiagrams, separated_choices, within_memory


def almost_sure_positions(
    seeker: Player, wanted: DiagramPositions, inside: DiagramPositions, budget: Budget = UNLIMITED
) -> DiagramPositions:
    """From where in a set a player gets to what is wanted, or the adversary to U, with probability one.

    Play stays in the set until then. Where the adversary is out of moves play rests, and gets nowhere.

    Raises:
        LimitError: past the budget, or where the diagrams outgrow the memory.
    """
    fair = _FairGame.of(wanted.product, seeker, partial(budget.tick, "with probability one"))
    tidied = wanted.product.diagrams.tidied
    resting = inside - inside if seeker is Player.ADVERSARY else out_of_moves(inside, budget)
    with within_memory("what is reached with probability one"):
        while True:
            reached = wanted & inside
            while more := tidied(partial(fair.entering, reached, inside, inside - reached - resting)):
                reached = reached | more
            if reached == inside:
                return inside
            inside = reached


def safely_before(
    targets: DiagramPositions, inside: DiagramPositions, among: DiagramPositions, budget: Budget = UNLIMITED
) -> DiagramPositions:
    """From where among some positions a move may lead into a set; one whose outcomes all stay inside another.

    What the adversary may do is not asked for more than that it is admissible.
    """
    fair = _FairGame.of(targets.product, Player.DEFENDER, budget.tick)
    return DiagramPositions(
        targets.product,
        fair.can(Player.DEFENDER, targets, inside, among.defender),
        targets.pre(among.at(Player.ADVERSARY), budget=budget).adversary,
    )


@dataclass(frozen=True)
class _FairGame:
    """The choices of both players, those with several outcomes by themselves."""

    product: ProductDiagrams
    seeker: Player
    gambles: dict[Player, tuple[Gamble, ...]]
    tick: Callable[[], None]

    @classmethod
    def of(cls, product: ProductDiagrams, seeker: Player, tick: Callable[[], None]) -> _FairGame:
        groups, gambles = separated_choices(product, tick)
        return cls(replace(product, groups=groups, gambles=()), seeker, gambles, tick)

    def entering(
        self, reached: DiagramPositions, inside: DiagramPositions, among: DiagramPositions
    ) -> DiagramPositions:
        """From where among some positions a choice fits or, of whoever does not seek, every choice."""
        defender, adversary = (
            (self.can if player is self.seeker else self._must)(player, reached, inside, among[player])
            for player in (Player.DEFENDER, Player.ADVERSARY)
        )
        return DiagramPositions(among.product, defender, adversary)

    def can(
        self, player: Player, reached: DiagramPositions, inside: DiagramPositions, among: Blockwise
    ) -> Blockwise:
        """In each block, from where some choice fits."""
        unsafe, other = self.seeker is Player.ADVERSARY, player.opponent
        sure = entering(self.product, player, reached[other], unsafe, among, self.tick)

        def fits(gamble: Gamble, block: int) -> Diagram:
            d, goal = self.product.diagrams, partial(self.product.goal, gamble.kind, block, unsafe=unsafe)
            may = gamble.risks(d, goal(reached[other]))
            return may & gamble.into(d, goal(inside[other])) if may.satisfiable() else may

        return self._with_gambles(player, sure, among, fits)

    def _must(
        self, player: Player, reached: DiagramPositions, inside: DiagramPositions, among: Blockwise
    ) -> Blockwise:
        """In each block, from where every choice fits."""
        unsafe, other = self.seeker is Player.DEFENDER, player.opponent
        beyond, outside = (~reached)[other], (~inside)[other]
        sure = entering(self.product, player, beyond, unsafe, among, self.tick)

        def fails(gamble: Gamble, block: int) -> Diagram:
            d, goal = self.product.diagrams, partial(self.product.goal, gamble.kind, block, unsafe=unsafe)
            return gamble.risks(d, goal(outside)) | gamble.into(d, goal(beyond))

        failing = self._with_gambles(player, sure, among, fails)
        return tuple(states & ~wrong for states, wrong in zip(among, failing, strict=True))

    def _with_gambles(
        self, player: Player, sets: Blockwise, among: Blockwise, which: Callable[[Gamble, int], Diagram]
    ) -> Blockwise:
        """The sets, and of other states those that some gamble of the player adds to them."""
        grown = list(sets)
        for block, states in enumerate(among):
            if player is Player.ADVERSARY and self.product.blocks.is_sink(block):
                continue
            for gamble in self.gambles[player] if states.satisfiable() else ():
                self.tick()
                grown[block] |= which(gamble, block) & states
        return tuple(grown)
