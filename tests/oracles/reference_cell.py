"""The rules of robot cells, played out literally from the text of a scenario.

Nothing of the model is used: squares are pairs of numbers, a state is a dict, and every sentence of the head
of ``holdfast.models.cell.game`` is one ``if`` below.
"""

import random
import re

WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}
ON = ("yes", True)


def square(point):
    return "abcdefghijklmnopqrstuvwxyz"[point[0]] + str(point[1] + 1)


def point(name):
    return "abcdefghijklmnopqrstuvwxyz".index(name[0]), int(name[1:]) - 1


class SlowCell:
    """A cell as its section of a file says it."""

    def __init__(self, section):
        self.section = section
        self.floor = {
            (x, y): c
            for y, line in enumerate(section["plan"].split("\n"))
            for x, c in enumerate(line)
            if c not in "# "
        }
        self.people = section.get("people", {})
        self.hazards = section.get("hazards", {})
        self.doors = section.get("doors", {})

    def points(self, given):
        """The squares that a name or list of names means."""
        names = given if isinstance(given, list) else [given]
        found = set()
        for name in names:
            character = "." if name == "floor" else self.section.get("places", {}).get(name)
            if character is not None:
                found |= {p for p, c in self.floor.items() if c == character}
            else:
                found.add(point(name))
        return found

    def within(self, person):
        given = self.people[person].get("within")
        return set(self.floor) if given is None else self.points(given)

    def of(self, kind, name):
        return self.points(getattr(self, kind)[name].get("at", name))

    def phases(self, name):
        return self.hazards[name].get("phases", ["open", "closed"])

    def timed(self, name):
        return "closed" in self.hazards[name]

    def start(self):
        (robot,) = self.points(self.section["robot"])
        state = {"robot": robot}
        for name in self.people:
            (state[name],) = self.points(self.people[name]["at"])
        for name in self.hazards:
            if not self.timed(name):
                state[name] = self.phases(name)[0]
        for name in self.doors:
            state[name] = "shut" if self.doors[name].get("shut") in ON else "open"
        if "battery" in self.section:
            state["battery"] = self.section["battery"]
        if "clock" in self.section:
            state["clock"] = 0
        return state

    def shut_squares(self, state):
        return {p for name in self.doors if state[name] == "shut" for p in self.of("doors", name)}

    def railed(self, one, other):
        for rail in self.section.get("rails", ()):
            a, b = (self.points(end) for end in rail.split(" - "))
            if (one in a and other in b) or (one in b and other in a):
                return True
        return False

    def step(self, state, who, way, allowed, person):
        x, y = state[who]
        target = (x + WAYS[way][0], y + WAYS[way][1])
        if target not in allowed or target in self.shut_squares(state):
            return
        if person and self.railed(state[who], target):
            return
        state[who] = target

    def crowd(self, state):
        return {state[who] for who in ("robot", *self.people)}

    def door(self, state, verb, name):
        if verb == "open":
            state[name] = "open"
        elif not self.of("doors", name) & self.crowd(state):
            state[name] = "shut"

    def defender(self, before, action):
        """The state after an action of the defender."""
        state = dict(before)
        if state.get("battery") == 0:
            return state
        verb, target = re.fullmatch(r"(\w+)(?:\(([\w-]+)\))?", action).groups()
        if verb == "go":
            self.step(state, "robot", target, set(self.floor), False)
        elif verb in ("open", "shut"):
            self.door(state, verb, target)
        elif verb == "stop":
            state[target] = self.phases(target)[0]
        if "battery" in state:
            charged = state["robot"] in self.points(self.section["chargers"])
            state["battery"] = self.section["battery"] if charged else state["battery"] - 1
        return state

    def adversary(self, before, action):
        """The state after an action of the adversary."""
        state = dict(before)
        verb, target = re.fullmatch(r"(\w+)(?:\(([\w-]+)\))?", action).groups()
        if verb == "walk":
            name, _, way = target.rpartition("-")
            self.step(state, name, way, self.within(name), True)
        elif verb == "trigger" and self.hazards[target].get("locked") not in ON:
            phases = self.phases(target)
            after = phases[(phases.index(state[target]) + 1) % len(phases)]
            danger = self.hazards[target].get("danger", phases[-1:])
            held = self.hazards[target].get("curtain") in ON and after in danger
            if not (held and self.of("hazards", target) & self.crowd(state)):
                state[target] = after
        elif verb in ("open", "shut") and self.doors[target].get("secured") not in ON:
            self.door(state, verb, target)
        if "clock" in state:
            state["clock"] = (state["clock"] + 1) % self.section["clock"]
        return state

    def after(self, player, state, action):
        return self.defender(state, action) if player == "defender" else self.adversary(state, action)

    # -- what specifications ask ------------------------------------------------------------------------

    def struck(self, state):
        for name in self.hazards:
            if self.timed(name):
                dangerous = state["clock"] in self.hazards[name]["closed"]
            else:
                dangerous = state[name] in self.hazards[name].get("danger", self.phases(name)[-1:])
            if dangerous and state["robot"] in self.of("hazards", name):
                return True
        return False

    def near(self, state, reach):
        x, y = state["robot"]
        return any(max(abs(state[n][0] - x), abs(state[n][1] - y)) <= reach for n in self.people)

    def asked(self, state):
        """The truth of every word that this cell has."""
        found = {}
        for place in (*self.section.get("places", {}), "floor"):
            if self.points(place):
                found[f"at-{place}"] = state["robot"] in self.points(place)
                found |= {f"{n}-at-{place}": state[n] in self.points(place) for n in self.people}
        if self.people:
            found["hit"] = self.near(state, 0)
            found["near"] = self.near(state, self.section.get("near", 1))
        if self.hazards:
            found["struck"] = self.struck(state)
        return found


def random_section(rng):
    """A small cell with anything on it."""
    while True:
        wide, tall = rng.randint(1, 4), rng.randint(1, 3)
        grid = [[rng.choice("..#.") for _ in range(wide)] for _ in range(tall)]
        free = [(x, y) for y in range(tall) for x in range(wide) if grid[y][x] != "#"]
        if len(free) >= 3:
            break
    rng.shuffle(free)
    places = {}
    for name, character in (("dock", "D"), ("press", "P"), ("aisle", "A")):
        some = [
            free[i] for i in range(len(free)) if rng.random() < 0.3 and grid[free[i][1]][free[i][0]] == "."
        ]
        for x, y in some:
            grid[y][x] = character
        if some:
            places[name] = character
    section = {"plan": "\n".join(map("".join, grid)), "places": places, "robot": square(rng.choice(free))}
    names = [*places, *map(square, free)]
    people = {}
    for name in ("ann", "bob-2")[: rng.randint(0, 2)]:
        at = square(rng.choice(free))
        people[name] = {"at": at}
        if rng.random() < 0.7:
            people[name]["within"] = [at, *rng.sample(names, rng.randint(0, 3))]
    hazards, doors = {}, {}
    if rng.random() < 0.7:
        phases = ["up", "armed", "down"][: rng.randint(2, 3)]
        hazards["mill"] = {"at": rng.sample(names, rng.randint(1, 2)), "phases": phases}
        if rng.random() < 0.3:
            hazards["mill"]["danger"] = rng.sample(phases, 1)
        for flag in ("curtain", "stop", "locked"):
            if rng.random() < 0.3:
                hazards["mill"][flag] = "yes"
    if "press" in places and rng.random() < 0.5:
        hazards["press"] = {}
    if rng.random() < 0.4:
        section["clock"] = rng.randint(2, 4)
        hazards["saw"] = {"at": rng.choice(names), "closed": [rng.randrange(section["clock"])]}
    taken = {section["robot"], *(own["at"] for own in people.values())}
    if rng.random() < 0.5:
        at = square(rng.choice(free))
        doors["gate"] = {"at": at, "by": rng.choice(["defender", "adversary", "both"])}
        doors["gate"] |= {"shut": "yes"} if at not in taken and rng.random() < 0.5 else {}
        doors["gate"] |= {"secured": "yes"} if rng.random() < 0.3 else {}
    if rng.random() < 0.5:
        section |= {"battery": rng.randint(1, 4), "chargers": rng.sample(names, 1)}
    rails = []
    for x, y in free:
        for dx, dy in ((1, 0), (0, 1)):
            if (x + dx, y + dy) in free and rng.random() < 0.25:
                rails.append(f"{square((x, y))} - {square((x + dx, y + dy))}")
    section |= {"people": people, "hazards": hazards, "doors": doors, "rails": rails}
    return section | {"near": rng.randint(0, 2)}


def rng_of(seed):
    return random.Random(f"cell {seed}")
