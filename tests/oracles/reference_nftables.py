"""What a firewall of nftables does with one packet, rule by rule, on the JSON that nft writes."""

import ipaddress


def forwarded(ruleset, source, target, port):
    """Whether the first packet of a new TCP connection is let through; addresses as text."""
    packet = {"saddr": source, "daddr": target, "dport": port}
    objects = ruleset["nftables"]
    chains = [o["chain"] for o in objects if "chain" in o]
    for chain in sorted((c for c in chains if c.get("hook") == "forward"), key=lambda c: c["prio"]):
        verdict = walk(objects, chain, packet)
        if (verdict or chain["policy"]) != "accept":
            return False
    return True


def walk(objects, chain, packet):
    """The verdict of a chain; None where its end is reached, or it returns."""
    home = chain["family"], chain["table"]
    rules = (o["rule"] for o in objects if "rule" in o)
    for rule in rules:
        if (rule["family"], rule["table"], rule["chain"]) != (*home, chain["name"]):
            continue
        for statement in rule["expr"]:
            (kind,) = statement
            if kind == "match":
                if not matches(objects, home, statement["match"], packet):
                    break
            elif kind in ("accept", "drop"):
                return kind
            elif kind == "return":
                return None
            elif kind in ("jump", "goto"):
                name = statement[kind]["target"]
                inner = next(o["chain"] for o in objects if "chain" in o and o["chain"]["name"] == name)
                verdict = walk(objects, inner, packet)
                if verdict is not None or kind == "goto":
                    return verdict
    return None


def matches(objects, home, match, packet):
    left, right = match["left"], match["right"]
    if "ct" in left:
        found = "new" in (right if isinstance(right, list) else [right])
    else:
        found = contains(objects, home, right, packet[left["payload"]["field"]])
    return found != (match["op"] == "!=")


def contains(objects, home, value, item):
    if isinstance(value, str) and value.startswith("@"):
        sets = (o["set"] for o in objects if "set" in o)
        (own,) = [s for s in sets if (s["family"], s["table"], s["name"]) == (*home, value[1:])]
        return any(contains(objects, home, one, item) for one in own["elem"])
    if isinstance(value, dict) and "set" in value:
        return any(contains(objects, home, one, item) for one in value["set"])
    if isinstance(value, dict) and "prefix" in value:
        block = f"{value['prefix']['addr']}/{value['prefix']['len']}"
        return ipaddress.ip_address(item) in ipaddress.ip_network(block)
    return value == item
