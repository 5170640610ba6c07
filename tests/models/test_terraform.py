"""Terraform: configurations, plans and states of AWS and Azure, and what their rules let pass."""

from __future__ import annotations

import json

import pytest

from holdfast.errors import InputError
from holdfast.models.network.importers import import_network
from imported import check_text, read

pytest.importorskip("hcl2")


def test_a_configuration_of_aws_should_be_read():
    found = read("shop.tf")
    network = found.network
    assert network.hosts == ("shop", "web", "bastion", "orders")
    assert dict(network.links) == {
        ("shop", "web"): ("TCP 8080",),
        ("web", "shop"): ("TCP 443",),
        ("web", "orders"): ("TCP 5432",),
    }
    assert network.exposed == ("shop", "bastion") and network.critical == ("orders",)
    assert dict(network.zones) == {"front": ("shop", "bastion"), "back": ("web",)}
    assert dict(network.stands_for) == {"web": 2}
    assert {path for _, path in network.flows} == {
        ("shop", "web"),
        ("web", "orders"),
        ("shop",),
        ("bastion",),
    }
    assert "values of var.monitoring" in network.unknown[0] and "whom 1 rule mean" in network.unknown[1]
    check_text(found)


def resource(kind, name, module="", index=None, **values):
    at = f"{module}{kind}.{name}" + ("" if index is None else f"[{index}]")
    return {"address": at, "mode": "managed", "type": kind, "name": name, "values": values}


def planned(*resources, configuration=None, key="planned_values"):
    found = {
        "format_version": "1.2",
        "terraform_version": "1.9.0",
        key: {"root_module": {"resources": list(resources)}},
    }
    return found | ({"configuration": {"root_module": configuration}} if configuration else {})


def imported(tmp_path, plan):
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    return import_network(tmp_path / "plan.json").network


OUT = {"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}


def test_references_of_a_plan_should_stand_for_what_is_not_known_yet(tmp_path):
    rule = {"from_port": 5432, "to_port": 5432, "protocol": "tcp", "self": False}
    plan = planned(
        resource("aws_security_group", "web", egress=[OUT], ingress=[]),
        resource("aws_security_group", "db", ingress=[rule], egress=[]),
        resource("aws_instance", "web", index=0),
        resource("aws_instance", "web", index=1),
        resource("aws_db_instance", "db"),
        configuration={
            "resources": [
                {
                    "address": "aws_instance.web",
                    "expressions": {
                        "vpc_security_group_ids": {
                            "references": ["aws_security_group.web.id", "aws_security_group.web"]
                        }
                    },
                },
                {
                    "address": "aws_db_instance.db",
                    "expressions": {"vpc_security_group_ids": {"references": ["aws_security_group.db.id"]}},
                },
                {
                    "address": "aws_security_group.db",
                    "expressions": {
                        "ingress": [
                            {
                                "from_port": {"constant_value": 5432},
                                "to_port": {"constant_value": 5432},
                                "protocol": {"constant_value": "tcp"},
                                "security_groups": {"references": ["aws_security_group.web.id"]},
                            }
                        ]
                    },
                },
            ]
        },
    )
    network = imported(tmp_path, plan)
    assert network.hosts == ("web-0", "web-1", "db")
    assert dict(network.links) == {("web-0", "db"): ("TCP 5432",), ("web-1", "db"): ("TCP 5432",)}


def test_identifiers_of_a_state_should_be_followed(tmp_path):
    inward = {"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ["10.0.1.0/24"]}
    state = planned(
        resource("aws_subnet", "a", id="subnet-a", cidr_block="10.0.1.0/24"),
        resource("aws_subnet", "b", id="subnet-b", cidr_block="10.0.2.0/24"),
        resource("aws_security_group", "any", id="sg-1", egress=[OUT], ingress=[inward]),
        resource("aws_instance", "one", id="i-1", subnet_id="subnet-a", vpc_security_group_ids=["sg-1"]),
        resource("aws_instance", "two", id="i-2", subnet_id="subnet-b", vpc_security_group_ids=["sg-1"]),
        resource("aws_instance", "old", id="i-3", subnet_id="subnet-b"),
        resource("aws_instance", "older", id="i-4", subnet_id="subnet-b"),
        key="values",
    )
    network = imported(tmp_path, state)
    assert set(network.links) == {("one", "two"), ("old", "older"), ("older", "old")}
    assert any("default group of the network" in told for told in network.assumed)


@pytest.mark.parametrize(
    ("rules", "links", "exposed"),
    {
        "nothing said": ([], {("web", "app"), ("app", "web")}, set()),
        "the internet": (
            [(100, "Inbound", "Allow", "443", "Internet")],
            {("web", "app"), ("app", "web")},
            {"web"},
        ),
        "denied first": (
            [(100, "Inbound", "Deny", "*", "*"), (200, "Inbound", "Allow", "443", "Internet")],
            {("web", "app")},
            set(),
        ),
        "denied after": (
            [(100, "Inbound", "Allow", "443", "Internet"), (200, "Inbound", "Deny", "*", "*")],
            {("web", "app")},
            {"web"},
        ),
        "denied for a part": (
            [(100, "Inbound", "Deny", "*", "10.0.2.0/25")],
            {("web", "app"), ("app", "web")},
            set(),
        ),
        "denied for all of it": ([(100, "Inbound", "Deny", "*", "10.0.2.0/24")], {("web", "app")}, set()),
        "no way out": ([(100, "Outbound", "Deny", "*", "*")], {("app", "web")}, set()),
    }.values(),
)
def test_rules_of_azure_should_count_by_priority(rules, links, exposed, tmp_path):
    blocks = [
        {
            "priority": priority,
            "direction": way,
            "access": access,
            "protocol": "*",
            "destination_port_range": port,
            "source_address_prefix": prefix,
            "destination_address_prefix": prefix,
        }
        for priority, way, access, port, prefix in rules
    ]
    plan = planned(
        resource("azurerm_subnet", "front", id="s1", address_prefixes=["10.0.1.0/24"]),
        resource("azurerm_subnet", "back", id="s2", address_prefixes=["10.0.2.0/24"]),
        resource("azurerm_public_ip", "web", id="p1"),
        resource(
            "azurerm_network_interface",
            "web",
            id="n1",
            ip_configuration=[{"subnet_id": "s1", "public_ip_address_id": "p1"}],
        ),
        resource("azurerm_network_interface", "app", id="n2", ip_configuration=[{"subnet_id": "s2"}]),
        resource("azurerm_linux_virtual_machine", "web", id="v1", network_interface_ids=["n1"]),
        resource("azurerm_linux_virtual_machine", "app", id="v2", network_interface_ids=["n2"]),
        resource("azurerm_network_security_group", "web", id="g1", security_rule=blocks),
        resource(
            "azurerm_network_interface_security_group_association",
            "web",
            network_interface_id="n1",
            network_security_group_id="g1",
        ),
    )
    network = imported(tmp_path, plan)
    assert set(network.links) == links and set(network.exposed) == exposed


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.tf", 'resource "aws_instance" "a" {\n  ami = \n}\n', "not a configuration of Terraform"),
        ("a.tf", 'resource "random_id" "a" {}\n', "no machine, database or load balancer of AWS or Azure"),
        ("a.tf", "# nothing\n", "no resource in these files"),
        ("a.json", '{"terraform_version": "1", "planned_values": {}}', "no root_module in this plan"),
        (
            "a.json",
            '{"terraform_version": "1", "values": {"root_module": {"resources": [1, {"address": "a"}]}}}',
            "no machine",
        ),
    ],
)
def test_what_cannot_be_read_should_be_refused_in_words(name, text, words, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=words):
        import_network(tmp_path / name)


PARTS = """
variable "ports" { default = [{ port = 443, who = ["0.0.0.0/0"] }] }
variable "later" {}
resource "aws_security_group" "web" {
  dynamic "ingress" {
    for_each = var.ports
    iterator = each_port
    content {
      from_port   = each_port.value.port
      to_port     = each_port.value["port"]
      protocol    = "tcp"
      cidr_blocks = each_port.value.who
    }
  }
  dynamic "egress" {
    for_each = var.later
    content {
      from_port = egress.value
    }
  }
}
resource "aws_instance" "web" {
  ami                         = "x"
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.web.id]
}
"""


def test_generated_blocks_and_overrides_should_be_read(tmp_path):
    """Should write out what has a list that is known, say what has none, and let an override replace."""
    (tmp_path / "main.tf").write_text(PARTS)
    network = import_network(tmp_path).network
    assert network.exposed == ("web",)
    assert "the dynamic egress of aws_security_group.web" in network.unknown[0]
    (tmp_path / "a_override.tf").write_text(
        """resource "aws_instance" "web" {
  associate_public_ip_address = false
}
resource "aws_security_group" "web" {
  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["10.0.0.0/8"]
  }
}
"""
    )
    assert import_network(tmp_path).network.exposed == ()
