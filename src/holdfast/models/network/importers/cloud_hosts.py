"""The resources of a cloud, found by what refers to them, and the hosts among them: AWS and Azure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

AWS_HOSTS = {
    "aws_instance": "machine",
    "aws_db_instance": "store",
    "aws_rds_cluster": "store",
    "aws_elasticache_cluster": "store",
    "aws_elasticache_replication_group": "store",
    "aws_redshift_cluster": "store",
    "aws_opensearch_domain": "store",
    "aws_docdb_cluster": "store",
    "aws_lb": "balancer",
    "aws_alb": "balancer",
    "aws_elb": "balancer",
    "aws_lambda_function": "machine",
    "aws_ecs_service": "machine",
    "aws_autoscaling_group": "machine",
}
AZURE_HOSTS = {
    "azurerm_linux_virtual_machine": "machine",
    "azurerm_windows_virtual_machine": "machine",
    "azurerm_virtual_machine": "machine",
    "azurerm_mssql_server": "store",
    "azurerm_postgresql_server": "store",
    "azurerm_postgresql_flexible_server": "store",
    "azurerm_mysql_server": "store",
    "azurerm_mysql_flexible_server": "store",
}
GROUP_KEYS = (
    "vpc_security_group_ids",
    "security_groups",
    "security_group_ids",
    "vpc_config",
    "network_configuration",
)
SUBNET_KEYS = (
    "subnet_id",
    "subnets",
    "subnet_ids",
    "vpc_config",
    "network_configuration",
    "vpc_zone_identifier",
)
DEFAULT_GROUP = "default group"
_REFERENCE = re.compile(r"(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:aws|azurerm)_\w+\.[\w-]+(?:\[[^\]]*\])?")
_INDEX = re.compile(r"\[[^\]]*\]")

Range = IPv4Network | IPv6Network


@dataclass(frozen=True)
class CloudResource:
    """A resource: where it is declared, its type and name, and its values; references stand as ``${…}``."""

    address: str
    kind: str
    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class TrafficRule:
    """Traffic that a group lets pass, or denies: ports, and the groups and addresses at the other end."""

    inward: bool
    ports: int
    groups: frozenset[str] = frozenset()
    ranges: tuple[Range, ...] = ()
    itself: bool = False
    words: frozenset[str] = frozenset()
    allows: bool = True
    priority: int = 0


@dataclass
class CloudHost:
    """A host with the groups that guard it and where it stands."""

    address: str
    label: str
    kind: str
    groups: tuple[str, ...] = ()
    """In AWS, groups that add up."""
    guards: tuple[str, ...] = ()
    """In Azure, groups that must all let traffic pass."""
    subnets: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()
    public: bool | None = None
    copies: int = 1


@dataclass
class Cloud:
    """All resources, to be found by what refers to them."""

    resources: Sequence[CloudResource]
    rules: dict[str, list[TrafficRule]] = field(default_factory=dict)

    @cached_property
    def by_base(self) -> dict[str, list[str]]:
        """The resources of each declaration, which may be several copies."""
        found: dict[str, list[str]] = {}
        for one in self.resources:
            found.setdefault(_INDEX.sub("", one.address), []).append(one.address)
        return found

    @cached_property
    def by_id(self) -> dict[str, str]:
        """Resources by the identifiers that a state knows."""
        keys = ("id", "arn")
        return {
            str(one.values[key]): one.address
            for one in self.resources
            for key in keys
            if isinstance(one.values.get(key), str) and one.values[key]
        }

    @cached_property
    def at(self) -> dict[str, CloudResource]:
        """The resources by their addresses."""
        return {one.address: one for one in self.resources}

    def of(self, *kinds: str) -> list[CloudResource]:
        """The resources of some types."""
        return [one for one in self.resources if one.kind in kinds]

    def meant(self, value: object, kind: str = "", depth: int = 0) -> list[str]:
        """The resources that a value refers to, of a type that begins so."""
        found: dict[str, None] = {}
        if depth > 20:
            return []
        if isinstance(value, dict):
            parts: Iterable[object] = value.values()
            found |= dict.fromkeys(one for part in parts for one in self.meant(part, kind, depth + 1))
        elif isinstance(value, list):
            found |= dict.fromkeys(one for part in value for one in self.meant(part, kind, depth + 1))
        elif isinstance(value, str):
            if value in self.by_id:
                found[self.by_id[value]] = None
            elif "${" in value:
                for name in _REFERENCE.findall(value):
                    exact = [name] if name in self.at else self.by_base.get(_INDEX.sub("", name), [])
                    found |= dict.fromkeys(exact)
        return [one for one in found if self.at[one].kind.startswith(kind)]


def _label(one: CloudResource) -> str:
    tags = one.values.get("tags")
    name = tags.get("Name") if isinstance(tags, dict) else None
    index = re.search(r"\[\"?([^\]\"]*)\"?\]$", one.address)
    plain = name if isinstance(name, str) and "${" not in name else one.name
    return f"{plain}-{index[1]}" if index else plain


def _copies(one: CloudResource) -> int:
    count = one.values.get("count") or one.values.get("desired_capacity") or one.values.get("desired_count")
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 < count < 10_000 else 1


def aws_hosts(cloud: Cloud) -> Iterator[CloudHost]:
    """The hosts of AWS."""
    owned = set(cloud.meant([one.values.get("instance") for one in cloud.of("aws_eip")], "aws_instance"))
    owned |= set(cloud.meant([one.values.get("instance_id") for one in cloud.of("aws_eip_association")]))
    for one in cloud.of(*AWS_HOSTS):
        given = one.values
        origin = cloud.meant([given.get("launch_template"), given.get("launch_configuration")])
        through = [given, *(cloud.at[name].values for name in origin)]
        through += [
            cloud.at[n].values for n in cloud.meant(given.get("network_interface"), "aws_network_interface")
        ]
        groups = [
            g for v in through for key in GROUP_KEYS for g in cloud.meant(v.get(key), "aws_security_group")
        ]
        subnets = [s for v in through for key in SUBNET_KEYS for s in cloud.meant(v.get(key), "aws_subnet")]
        named = cloud.meant(given.get("db_subnet_group_name"), "aws_db_subnet_group")
        subnets += [s for n in named for s in cloud.meant(cloud.at[n].values.get("subnet_ids"), "aws_subnet")]
        yield CloudHost(
            one.address,
            _label(one),
            AWS_HOSTS[one.kind],
            groups=tuple(dict.fromkeys(groups)) or (DEFAULT_GROUP,),
            subnets=tuple(dict.fromkeys(subnets)),
            ranges=_ranges_of(cloud, given.get("private_ip"), subnets),
            public=_is_public(cloud, one, subnets, owned),
            copies=_copies(one),
        )


def _is_public(cloud: Cloud, one: CloudResource, subnets: Sequence[str], owned: set[str]) -> bool | None:
    """Whether a host of AWS has a public address; None where nothing says it."""
    given = one.values
    if AWS_HOSTS[one.kind] == "balancer":
        return given.get("internal") is not True
    if AWS_HOSTS[one.kind] == "store":
        return given.get("publicly_accessible") is True
    if one.address in owned or given.get("associate_public_ip_address") is True or given.get("public_ip"):
        return True
    if given.get("associate_public_ip_address") is False or one.kind != "aws_instance":
        return False
    if not subnets:
        return None
    return any(cloud.at[subnet].values.get("map_public_ip_on_launch") is True for subnet in subnets)


def _ranges_of(cloud: Cloud, address: object, subnets: Sequence[str]) -> tuple[Range, ...]:
    """The addresses that a host may have: its own, or those of its subnets."""
    own = ranges_in(address)
    if own:
        return own
    keys = ("cidr_block", "address_prefixes", "address_prefix")
    return tuple(r for subnet in subnets for key in keys for r in ranges_in(cloud.at[subnet].values.get(key)))


def ranges_in(value: object) -> tuple[Range, ...]:
    """Ranges of addresses in a text, or in a list of texts."""
    found: list[Range] = []
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str):
            try:
                found.append(ip_network(text, strict=False))
            except ValueError:
                continue
    return tuple(found)


def azure_hosts(cloud: Cloud) -> Iterator[CloudHost]:
    """The hosts of Azure."""
    on_card = _associated(
        cloud, "azurerm_network_interface_security_group_association", "network_interface_id"
    )
    on_subnet = _associated(cloud, "azurerm_subnet_network_security_group_association", "subnet_id")
    pools = cloud.of("azurerm_network_interface_backend_address_pool_association")
    behind = {
        card
        for one in pools
        for pool in cloud.meant(one.values.get("backend_address_pool_id"), "azurerm_lb_backend_address_pool")
        for lb in cloud.meant(cloud.at[pool].values.get("loadbalancer_id"), "azurerm_lb")
        if cloud.meant(cloud.at[lb].values.get("frontend_ip_configuration"), "azurerm_public_ip")
        for card in cloud.meant(one.values.get("network_interface_id"), "azurerm_network_interface")
    }
    for one in cloud.of(*AZURE_HOSTS):
        cards = cloud.meant(one.values.get("network_interface_ids"), "azurerm_network_interface")
        settings = [cloud.at[card].values.get("ip_configuration") for card in cards]
        subnets = cloud.meant(settings, "azurerm_subnet")
        if AZURE_HOSTS[one.kind] == "store":
            subnets = cloud.meant(one.values.get("delegated_subnet_id"), "azurerm_subnet")
        private = [part.get("private_ip_address") for part in parts_of(settings)]
        guards = [group for card in cards for group in on_card.get(card, ())]
        guards += [group for subnet in subnets for group in on_subnet.get(subnet, ())]
        open_store = AZURE_HOSTS[one.kind] == "store" and not subnets and _let_in_by_rule(cloud, one)
        yield CloudHost(
            one.address,
            _label(one),
            AZURE_HOSTS[one.kind],
            guards=tuple(dict.fromkeys(guards)),
            subnets=tuple(subnets),
            ranges=_ranges_of(cloud, private, subnets),
            public=bool(cloud.meant(settings, "azurerm_public_ip"))
            or bool(behind & set(cards))
            or open_store,
            copies=_copies(one),
        )


def _let_in_by_rule(cloud: Cloud, store: CloudResource) -> bool:
    """Whether a rule of a database's own firewall lets addresses beyond Azure itself in."""
    for rule in cloud.resources:
        if rule.kind.startswith("azurerm_") and rule.kind.endswith("_firewall_rule"):
            last = rule.values.get("end_ip_address")
            keys = ("server_id", "server_name")
            ours = any(store.address in cloud.meant(rule.values.get(key)) for key in keys)
            if ours and last not in (None, "0.0.0.0"):
                return True
    return False


def _associated(cloud: Cloud, kind: str, key: str) -> dict[str, list[str]]:
    """The groups on interfaces or subnets."""
    found: dict[str, list[str]] = {}
    for one in cloud.of(kind):
        for place in cloud.meant(one.values.get(key)):
            groups = cloud.meant(
                one.values.get("network_security_group_id"), "azurerm_network_security_group"
            )
            found.setdefault(place, []).extend(groups)
    return found


def parts_of(value: object) -> list[dict[str, Any]]:
    """A block, or the blocks of a list."""
    if isinstance(value, dict):
        return [value]
    return [part for item in value for part in parts_of(item)] if isinstance(value, list) else []
