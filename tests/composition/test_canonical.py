"""Games up to renaming: equal keys for equal games in any order, and only for these."""

from random import Random

from cases import TIMES
from holdfast.certificates import verify
from holdfast.composition import certify_composition, compose
from holdfast.composition.canonical import canonical
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve


def _network(hosts, links, entry, clauses):
    listed = "".join(f"    - {clause}\n" for clause in clauses)
    return configuration(
        scenario_from_text(
            f"holdfast: 1\nnetwork:\n  hosts: [{', '.join(hosts)}]\n"
            f"  links: [{', '.join(f'{a} -> {b}' for a, b in links)}]\n  entry: {entry}\n  reset: none\n"
            f"specs:\n  defender:\n{listed}  adversary: [G (times(destroy) <= 1)]\n"
        )
    )


def _drawn(draw, n):
    hosts = [f"h{i}" for i in range(n)]
    links = [(hosts[draw.randrange(i)], hosts[i]) for i in range(1, n)]
    links += [(a, b) for a in hosts for b in hosts if a < b and draw.random() < 0.15]
    return hosts, list(dict.fromkeys(links))


def test_a_game_in_another_order_with_other_names_has_the_same_text():
    draw = Random(5)
    for _ in range(20 * TIMES):
        hosts, links = _drawn(draw, draw.randint(4, 9))
        names = dict(zip(hosts, draw.sample([f"n{i}" for i in range(20)], len(hosts))))
        order = draw.sample(hosts, len(hosts))
        last, few = hosts[-1], draw.sample(hosts, 3)

        def asked(name, few=few, last=last):
            return [f"G ({name(last)} != Z)", f"G (count({', '.join(map(name, few))} in {{I, Z}}) <= 1)"]

        one = _network(hosts, links, hosts[0], asked(str))
        few = draw.sample(few, 3)
        other_links = draw.sample([(names[a], names[b]) for a, b in links], len(links))
        other = _network([names[h] for h in order], other_links, names[hosts[0]], asked(names.get, few))
        first, second = canonical(one), canonical(other)
        assert first.text == second.text
        # Whoever is mapped to whom by the text is the same in both: their solutions are equal, too.
        assert solve(one).defensible is solve(other).defensible
        assert solve(one).n_winning == solve(other).n_winning


def test_different_games_have_different_texts():
    """A link more, a number more, another entry: each is another game."""
    draw, seen = Random(6), dict[str, tuple]()
    for _ in range(30 * TIMES):
        hosts, links = _drawn(draw, 5)
        limit = draw.choice((0, 1, 2))
        whole = _network(hosts, links, hosts[0], [f"G (count(* in {{I, Z}}) <= {limit})"])
        # A game that is told apart by less than everything would meet one with other figures.
        figures = (len(links), limit, solve(whole).n_winning, solve(whole).initial_rank)
        assert seen.setdefault(canonical(whole).text, figures) == figures
    assert len(seen) > 10


def test_zones_in_another_order_are_solved_once_and_their_certificate_holds():
    draw = Random(9)
    hosts, links = _drawn(draw, 6)
    zones, every, clauses = [], [], []
    for z in range(4):
        order = draw.sample(hosts, len(hosts))
        zones.append(f"z{z}: [{', '.join(f'z{z}{h}' for h in order)}]")
        every += draw.sample([(f"z{z}{a}", f"z{z}{b}") for a, b in links], len(links))
        every += [(f"z{z}h5", f"z{(z + 1) % 4}h0")]
        clauses.append(f"G !(z{z}h3 in {{X, D, Z}} & z{z}h5 in {{X, D, Z}})")
    listed = "".join(f"    - {clause}\n" for clause in clauses)
    named = [h for zone in zones for h in zone.partition("[")[2].rstrip("]").split(", ")]
    whole = configuration(
        scenario_from_text(
            f"holdfast: 1\nnetwork:\n  hosts: [{', '.join(named)}]\n  zones: {{{', '.join(zones)}}}\n"
            f"  links: [{', '.join(f'{a} -> {b}' for a, b in every)}]\n  exposed: [z0h0]\n  reset: none\n"
            f"specs:\n  defender:\n{listed}  adversary: [G (times(destroy) <= 1)]\n"
        )
    )
    found = compose(whole)
    assert found.defensible is not None and found.n_solved < found.n_asked
    assert found.n_solved <= 2
    assert verify(certify_composition(found)).valid
