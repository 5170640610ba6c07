"""Terms on which the zones of one division are held: promises, demands taken over, allowances.

How they are looked for is told in :mod:`.composing`; :func:`agree` checks at the end that they prove what
they should, however they were found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from holdfast.composition.counting import highest
from holdfast.composition.division import Division
from holdfast.composition.questions import Answers
from holdfast.composition.zone_game import ZoneTerms, exposures, guarded_game, open_game
from holdfast.errors import LimitError
from holdfast.game import Configuration
from holdfast.logic import Expression, Player, variables_of

IT = "it "
"""How a reason begins that is about the zone that failed."""


@dataclass(frozen=True)
class Failure:
    """Why zones as they are do not decide: which one failed, in what, and what else it hangs on."""

    zone: int
    reason: str
    partners: tuple[int, ...] = ()
    lost: Configuration | None = None


@dataclass
class Negotiation:
    """The zones of a division with the terms that have been agreed so far."""

    division: Division
    answers: Answers
    terms: list[ZoneTerms]
    blocked: set[Expression] = field(default_factory=set)
    known: dict[tuple[int, ZoneTerms], bool] = field(default_factory=dict)

    def held(self, asked: Sequence[tuple[int, ZoneTerms]]) -> list[bool]:
        """Whether zones are held on some terms."""
        division, budget = self.division, self.answers.budget
        fresh = [each for each in dict.fromkeys(asked) if each not in self.known]
        games = []
        for zone, terms in fresh:
            budget.tick("dividing into zones")
            games.append(guarded_game(division, division.zones[zone], terms, budget))
        told, stopped = self.answers.told(games)
        self.known |= {each: good for each, good in zip(fresh, told, strict=True) if good is not None}
        if stopped:
            raise LimitError(stopped)
        return [self.known[each] for each in asked]

    def one(self, zone: int, terms: ZoneTerms) -> bool:
        """Whether a zone is held on some terms."""
        return self.held([(zone, terms)])[0]

    def owner(self, predicate: Expression) -> int:
        """The zone that a predicate is about."""
        return self.division.owner[next(iter(variables_of(predicate))).name]

    def exposed(self, zone: int) -> frozenset[Expression]:
        """What a zone is exposed to and could be promised."""
        return frozenset(exposures(self.division, self.division.zones[zone])) - self.blocked


def agree(asking: Negotiation) -> Failure | None:
    """Look for terms on which every zone is held; None if there are some."""
    division = asking.division
    for i, _ in enumerate(division.zones):
        limits = [(d, (t.limit,)) for d, t in division.tallies.items() if i in t.items]
        asking.terms[i] = ZoneTerms(allowances=tuple(limits))
    if any(tally.limit < 0 for tally in division.tallies.values()):
        return _fallen(asking, 0, "more is asked than can be counted", range(len(division.zones)))
    held = asking.held(list(enumerate(asking.terms)))
    failure = _settle(asking, [i for i, good in enumerate(held) if not good])
    for demand in division.shared:
        failure = failure or _take_over(asking, demand)
    agreed = list(asking.terms)
    failure = failure or _share_all(asking)
    if failure is not None and failure.lost is None and division.tallies:
        asking.terms = agreed
        if _promise_all(asking) and _share_all(asking) is None:
            failure = None
    return failure or _disagreement(asking)


def _share_all(asking: Negotiation) -> Failure | None:
    """Give each zone its allowances; None if they suffice."""
    for demand in asking.division.tallies:
        if (failure := _share(asking, demand)) is not None:
            return failure
    return None


def _promise_all(asking: Negotiation) -> bool:
    """Let zones promise each other all that they can keep: a zone that nothing reaches needs no allowance.

    What a zone cannot keep is dropped, and those that would have relied on it are asked again, until all are
    held; False if one is not even without promises of its own.
    """
    zones = range(len(asking.terms))
    exposed = [asking.exposed(zone) for zone in zones]
    kept = frozenset[Expression]().union(*exposed)
    while True:
        promises = _by_owner(asking, kept)
        asking.terms = [
            replace(own, relies=exposed[zone] & kept, promises=promises.get(zone, frozenset()))
            for zone, own in enumerate(asking.terms)
        ]
        held = asking.held(list(enumerate(asking.terms)))
        failing = [zone for zone in zones if not held[zone]]
        if not failing:
            return True
        broken = {zone: _unkept(asking, zone, asking.terms[zone].relies) for zone in failing}
        if not all(broken.values()):
            return False
        kept -= frozenset[Expression]().union(*broken.values())


def _disagreement(asking: Negotiation) -> Failure | None:
    """What is wrong with the terms, however they were found; None if they prove that the whole is held."""
    division = asking.division
    promised = frozenset(p for own in asking.terms for p in own.promises)
    for zone, good in enumerate(asking.held(list(enumerate(asking.terms)))):
        if not good or not asking.terms[zone].relies <= promised:
            return Failure(zone, "no terms were found on which zones agree")
    taken = {demand for own in asking.terms for demand in own.taken}
    for demand in division.shared:
        if demand not in taken:
            return Failure(division.demands[demand].zones[0], "a demand was not taken over")
    for demand, tally in division.tallies.items():
        profiles = [dict(asking.terms[zone].allowances)[demand] for zone in tally.items]
        spent = division.spending.most if division.spending is not None else 0
        if heaviest(profiles, spent) > tally.limit:
            return Failure(next(iter(tally.items)), "allowances add up to too much")
    return None


def _settle(asking: Negotiation, failing: Iterable[int]) -> Failure | None:
    """Find promises with which failing zones are held, and all that promise as well."""
    queue, steps = list(dict.fromkeys(failing)), 0
    if (failure := _hopeless(asking, queue)) is not None:
        return failure
    screen(asking, queue)
    limit = 20 * len(asking.terms) + 200
    while queue:
        zone = queue.pop(0)
        steps += 1
        if steps > limit:
            return Failure(zone, "no promises were found on which zones agree")
        terms = asking.terms[zone]
        every = asking.exposed(zone)
        if not asking.one(zone, replace(terms, relies=every)):
            broken = _unkept(asking, zone, every)
            if not broken:
                reason = "it is lost even if nothing reaches it from elsewhere"
                if asking.blocked.intersection(exposures(asking.division, asking.division.zones[zone])):
                    reason = "it is lost with all that its neighbours can promise"
                return _fallen(asking, zone, reason, ())
            asking.blocked |= broken
            asking.terms[zone] = replace(terms, promises=terms.promises - broken)
            for other, own in enumerate(asking.terms):
                if own.relies & broken:
                    asking.terms[other] = replace(own, relies=own.relies - broken)
                    queue.append(other)
            queue.append(zone)
            continue
        needed = _needed(asking, zone, every)
        asking.terms[zone] = replace(terms, relies=needed)
        for owner, predicates in _by_owner(asking, needed).items():
            own = asking.terms[owner]
            if not predicates <= own.promises:
                asking.terms[owner] = replace(own, promises=own.promises | predicates)
                if owner not in queue and not asking.one(owner, asking.terms[owner]):
                    queue.append(owner)
        queue = list(dict.fromkeys(queue))
    _forget_unneeded(asking)
    return None


def _hopeless(asking: Negotiation, failing: Sequence[int]) -> Failure | None:
    """The first of failing zones by whose loss the whole is lost, of those that no promise can save."""
    saved = asking.held(
        [(zone, replace(asking.terms[zone], relies=asking.exposed(zone))) for zone in failing]
    )
    for zone, good in zip(failing, saved, strict=True):
        if not good and (failure := _fallen(asking, zone, "", ())).lost is not None:
            return failure
    return None


def screen(asking: Negotiation, failing: Iterable[int]) -> None:
    """Block what no zone can promise to failing ones, even alone and with all that could be promised to it.

    What is left is the greatest set of which each predicate is kept if all others are, so it has all that
    zones could ever agree on; what is outside need not be tried in combinations. Small zones are asked
    first: what they cannot promise often settles what merged ones cannot, at a hundredth of the cost.
    """
    division = asking.division
    wanted, ahead = set[Expression](), [p for zone in failing for p in asking.exposed(zone)]
    while ahead:
        predicate = ahead.pop()
        if predicate not in wanted:
            wanted.add(predicate)
            ahead += asking.exposed(asking.owner(predicate))
    size = {predicate: len(division.zones[asking.owner(predicate)].nodes) for predicate in wanted}
    doubtful = set(wanted)
    while doubtful:
        most = 2 * min(map(size.__getitem__, doubtful))
        order = sorted((predicate for predicate in doubtful if size[predicate] <= most), key=str)
        owners = [asking.owner(predicate) for predicate in order]
        kept = asking.held([(z, _promising(asking, z, p)) for z, p in zip(owners, order, strict=True)])
        broken = {predicate for predicate, good in zip(order, kept, strict=True) if not good}
        asking.blocked |= broken
        wanted -= broken
        exposed = {z: exposures(division, division.zones[z]) for z in map(asking.owner, wanted)}
        again = {predicate for predicate in wanted if broken.intersection(exposed[asking.owner(predicate)])}
        doubtful = doubtful.difference(order) | again


def _promising(asking: Negotiation, zone: int, predicate: Expression) -> ZoneTerms:
    """The easiest terms on which a zone promises something."""
    return replace(asking.terms[zone], relies=asking.exposed(zone), promises=frozenset({predicate}))


def _by_owner(asking: Negotiation, predicates: Iterable[Expression]) -> dict[int, frozenset[Expression]]:
    found: dict[int, set[Expression]] = {}
    for predicate in predicates:
        found.setdefault(asking.owner(predicate), set()).add(predicate)
    return {owner: frozenset(of) for owner, of in found.items()}


def _unkept(asking: Negotiation, zone: int, relies: frozenset[Expression]) -> set[Expression]:
    """The promises that a zone cannot keep, whatever is promised to it; empty if they are not to blame."""
    terms = replace(asking.terms[zone], relies=relies)
    if not terms.promises or not asking.one(zone, replace(terms, promises=frozenset())):
        return set()
    kept = frozenset[Expression]()
    for predicate in sorted(terms.promises, key=str):
        if asking.one(zone, replace(terms, promises=kept | {predicate})):
            kept |= {predicate}
    return set(terms.promises - kept)


def _needed(asking: Negotiation, zone: int, every: frozenset[Expression]) -> frozenset[Expression]:
    """As few of the promises as will do, those that are made already kept before others."""
    terms = asking.terms[zone]
    made = frozenset(p for own in asking.terms for p in own.relies)
    needed = every
    if terms.relies < every and asking.one(zone, terms):
        return terms.relies
    if asking.one(zone, replace(terms, relies=every & made)):
        needed = every & made
    for predicate in sorted(needed, key=lambda p: (p in made, str(p))):
        if asking.one(zone, replace(terms, relies=needed - {predicate})):
            needed -= {predicate}
    return needed


def _forget_unneeded(asking: Negotiation) -> None:
    """Hold zones to those promises only on which somebody relies."""
    relied = frozenset(p for own in asking.terms for p in own.relies)
    asking.terms = [replace(own, promises=own.promises & relied) for own in asking.terms]


def _take_over(asking: Negotiation, demand: int) -> Failure | None:
    """Let one of the zones that a demand is about meet it alone."""
    zones = asking.division.demands[demand].zones
    for zone in zones:
        before, blocked = list(asking.terms), set(asking.blocked)
        own = asking.terms[zone]
        asking.terms[zone] = replace(own, taken=(*own.taken, demand))
        if asking.one(zone, asking.terms[zone]) or _settle(asking, [zone]) is None:
            return None
        asking.terms, asking.blocked = before, blocked
    reason = f"no zone can meet {_clause_with_place(asking.division, demand)} alone"
    return _fallen(asking, zones[0], reason, zones[1:])


def label_of(division: Division, demand: int) -> str:
    """The clause that a demand comes from."""
    return division.configuration.clauses(Player.DEFENDER)[division.demands[demand].clause].label


def _clause_with_place(division: Division, demand: int) -> str:
    clause = division.configuration.clauses(Player.DEFENDER)[division.demands[demand].clause]
    return f'"{clause.label}"{f" ({clause.place})" if clause.place else ""}'


# -- allowances -------------------------------------------------------------------------------------


def _share(asking: Negotiation, demand: int) -> Failure | None:
    """Give each zone an allowance of a count, as little as it can do with."""
    division = asking.division
    tally, spending = division.tallies[demand], division.spending
    least = _least(asking, demand)
    if sum(least.values()) <= tally.limit:
        _allow(asking, demand, {zone: (most,) for zone, most in least.items()})
        return None
    profiles: dict[int, tuple[int, ...]] = {zone: (most,) for zone, most in least.items()}
    if spending is not None and spending.most > 0:
        profiles = _profiles(asking, demand, least, spending.most)
        if heaviest(profiles.values(), spending.most) <= tally.limit:
            _allow(asking, demand, profiles)
            return None
    wanting = sorted(profiles, key=lambda zone: -profiles[zone][-1])
    reason = f"what zones need of {_clause_with_place(division, demand)} adds up to more than {tally.limit}"
    return _fallen(asking, wanting[0], reason, wanting[1:])


def _allow(asking: Negotiation, demand: int, profiles: dict[int, tuple[int, ...]]) -> None:
    for zone, profile in profiles.items():
        asking.terms[zone] = _allowed(asking.terms[zone], demand, profile)


def _allowed(terms: ZoneTerms, demand: int, profile: tuple[int, ...]) -> ZoneTerms:
    others = tuple(each for each in terms.allowances if each[0] != demand)
    return replace(terms, allowances=tuple(sorted((*others, (demand, profile)))))


def _least(asking: Negotiation, demand: int) -> dict[int, int]:
    """For each zone the least allowance with which it is held, whatever is spent in it."""
    tally, alike = asking.division.tallies[demand], asking.division.configuration.game.tallies
    most = {zone: min(tally.limit, highest(items, alike)) for zone, items in tally.items.items()}
    least, number = dict[int, int](), 0
    while len(least) < len(most):
        open_ = [zone for zone in most if zone not in least]
        for zone in open_:
            if number >= most[zone]:
                least[zone] = most[zone]
        asked = [zone for zone in open_ if zone not in least]
        held = asking.held([(zone, _allowed(asking.terms[zone], demand, (number,))) for zone in asked])
        least |= {zone: number for zone, good in zip(asked, held, strict=True) if good}
        number += 1
    return least


def _profiles(
    asking: Negotiation, demand: int, least: dict[int, int], budget: int
) -> dict[int, tuple[int, ...]]:
    """For each zone what it needs after 0, 1, … of the budget are spent in it; the first go lowest."""
    profiles = {zone: (most,) * (budget + 1) for zone, most in least.items()}
    for spent in range(budget):
        for zone, profile in profiles.items():
            floor = profile[spent - 1] if spent else 0
            for number in range(floor, profile[spent]):
                tried = (*profile[:spent], number, *profile[spent + 1 :])
                if asking.one(zone, _allowed(asking.terms[zone], demand, tried)):
                    profiles[zone] = tried
                    break
    return profiles


def heaviest(profiles: Iterable[tuple[int, ...]], budget: int) -> int:
    """The most that profiles add up to, over all ways to spend a budget among them.

    >>> heaviest([(0, 2, 2), (1, 2, 4)], 2)
    4
    """
    most = [0] * (budget + 1)
    for profile in profiles:
        most = [
            max(most[left - own] + profile[min(own, len(profile) - 1)] for own in range(left + 1))
            for left in range(budget + 1)
        ]
    return most[budget]


# -- what failed ------------------------------------------------------------------------------------


def _fallen(asking: Negotiation, zone: int, reason: str, partners: Iterable[int]) -> Failure:
    """A failure of a zone, with the game by which the whole is lost if it is."""
    division, budget = asking.division, asking.answers.budget
    for suspect in dict.fromkeys((zone, *partners)):
        game = open_game(division, division.zones[suspect], budget)
        if game is not None and not asking.answers.held([game])[0]:
            return Failure(suspect, "it is lost by itself", lost=game)
    return Failure(zone, reason, tuple(partners))
