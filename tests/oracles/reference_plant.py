"""The rules of plants, played out literally from the text of a scenario: nothing of the model is used."""

import random
import re

PASSING = {"open", "jammed-open", "on", "jammed-on"}
OTHER = {"open": "shut", "shut": "open", "on": "off", "off": "on"}


class SlowPlant:
    """A plant as its section of a file says it."""

    def __init__(self, section):
        self.tanks, self.lines = section["tanks"], section["lines"]
        self.sensors = section.get("sensors", {})
        self.dominance = section.get("dominance")

    def start(self):
        state = {name: tank.get("level", 0) for name, tank in self.tanks.items()}
        for name, line in self.lines.items():
            for device in ("valve", "pump"):
                if device in line:
                    state[name] = line[device]
        for name, sensor in self.sensors.items():
            if sensor.get("sabotage"):
                state[name] = "ok"
        return state

    def passes(self, state, name):
        line = self.lines[name]
        if name in state and state[name] not in PASSING:
            return False
        if any(state[other] not in PASSING for other in line.get("behind", ())):
            return False
        for trip in line.get("trips", ()):
            sensor, op, bound = trip.split()
            level = state[self.sensors[sensor]["of"]]
            beyond = level >= int(bound) if op == ">=" else level <= int(bound)
            if beyond and state.get(sensor, "ok") == "ok":
                return False
        return True

    def flow(self, before, after, running):
        """One line after the other, all of them looking at the levels of before."""
        taken = dict.fromkeys(self.tanks, 0)
        filled = dict.fromkeys(self.tanks, 0)
        for name in running:
            line = self.lines[name]
            if not self.passes(before, name):
                continue
            rate, source, target = line.get("rate", 1), line["from"], line["to"]
            amount = rate
            if source != "source":
                amount = min(amount, before[source] - taken[source])
                taken[source] += rate
            if target != "drain":
                amount = min(amount, self.tanks[target]["holds"] - before[target] - filled[target])
                filled[target] += rate
            if amount > 0:
                if source != "source":
                    after[source] -= amount
                if target != "drain":
                    after[target] += amount

    def after(self, player, before, action):
        state = dict(before)
        verb, name = re.fullmatch(r"(\w+)(?:\(([\w-]+)\))?", action).groups()
        if player == "defender":
            if verb in ("open", "shut", "start", "stop") and not state[name].startswith("jammed"):
                state[name] = {"start": "on", "stop": "off"}.get(verb, verb)
            elif verb == "repair":
                state[name] = "ok" if name in self.sensors else state[name].removeprefix("jammed-")
            elif verb == "run":
                self.flow(before, state, [name])
            return state
        denied = (self.lines.get(name) or self.sensors.get(name) or {}).get("denied", ())
        running = [n for n, line in self.lines.items() if "dose" not in line]
        if verb not in denied:
            if verb == "blind":
                state[name] = "blind"
            elif verb == "jam" and not state[name].startswith("jammed"):
                state[name] = "jammed-" + state[name]
            elif verb == "flip" and not state[name].startswith("jammed"):
                state[name] = OTHER[state[name]]
            elif verb == "run":
                running.append(name)
        self.flow(before, state, running)
        return state


def random_plant(rng):
    """A small plant with anything in it."""
    tanks = {}
    for name in ("T1", "T2")[: rng.randint(1, 2)]:
        holds = rng.randint(1, 4)
        tanks[name] = {"holds": holds, "level": rng.randint(0, holds)}
    sensors = {}
    for name in ("L1", "L2")[: rng.randint(0, 2)]:
        sensors[name] = {"of": rng.choice(list(tanks))} | rng.choice([{}, {"sabotage": ["blind"]}])
        if "sabotage" in sensors[name] and rng.random() < 0.2:
            sensors[name]["denied"] = ["blind"]
    lines = {}
    for number in range(rng.randint(1, 5)):
        while True:
            source, target = rng.choice(["source", *tanks]), rng.choice(["drain", *tanks])
            if source != target and (source, target) != ("source", "drain"):
                break
        line = {"from": source, "to": target, "rate": rng.randint(1, 3)}
        kind = rng.choice(["valve", "pump", "pipe", "dose"])
        if kind in ("valve", "pump"):
            line[kind] = rng.choice({"valve": ["open", "shut"], "pump": ["on", "off"]}[kind])
            ways = [way for way in ("flip", "jam") if rng.random() < 0.5]
            line |= {"sabotage": ways} if ways else {}
            if ways and rng.random() < 0.2:
                line["denied"] = ways[:1]
        elif kind == "dose":
            line["dose"] = rng.choice(["defender", "adversary"])
        if sensors and rng.random() < 0.5:
            op, bound = rng.choice([">=", "<="]), rng.randint(0, 5)
            line["trips"] = [f"{rng.choice(list(sensors))} {op} {bound}"]
        devices = [name for name, own in lines.items() if "valve" in own or "pump" in own]
        if devices and rng.random() < 0.3:
            line["behind"] = [rng.choice(devices)]
        lines[f"x{number}"] = line
    return {"tanks": tanks, "lines": lines, "sensors": sensors, "repair": rng.choice(["yes", "no"])}


def rng_of(seed):
    return random.Random(f"plant {seed}")
