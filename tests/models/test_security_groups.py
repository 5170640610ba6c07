"""Patches of Terraform: the security groups that are left allow the changed design, and nothing else changes."""

import random
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from itertools import permutations
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdfast as hf
from cases import TIMES
from holdfast.apps.cli import app
from holdfast.apps.services.changes import patch, recommend
from holdfast.design.recommend.space import design_space
from holdfast.errors import InputError
from holdfast.models.network.artefacts import DesignChange, patch_files
from holdfast.models.network.artefacts.security_groups import narrowed
from holdfast.models.network.importers import import_network
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.terraform import read_configuration

hcl2 = pytest.importorskip("hcl2")

PORTS, OUTSIDE = (22, 443, 5432), ("203.0.113.9", "198.51.100.7")
RANGES = ("0.0.0.0/0", "10.0.0.0/16", "10.0.1.0/24", "10.0.2.0/24", "10.0.1.1/32", "198.51.100.0/24")


def file(text, name="main.tf"):
    return ForeignFile(Path(name), text)


# -- a configuration of our own ---------------------------------------------------------------------------

FRONT = """\
# Machines and what is before them.
variable "office" {
  default = "198.51.100.0/24"
}

resource "aws_subnet" "front" {
  cidr_block              = "10.0.1.0/24"
  map_public_ip_on_launch = true
}

resource "aws_subnet" "back" {
  cidr_block = "10.0.2.0/24"
}

resource "aws_instance" "web" {
  subnet_id              = aws_subnet.front.id
  vpc_security_group_ids = [aws_security_group.web.id]
}

resource "aws_instance" "app" {
  subnet_id              = aws_subnet.back.id
  vpc_security_group_ids = [aws_security_group.app.id]
}

resource "aws_db_instance" "orders" {
  vpc_security_group_ids = [aws_security_group.db.id]
}
"""

GROUPS = """\
resource "aws_security_group" "web" {
  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"] # everywhere
  }
}

resource "aws_security_group" "app" {
  # The web servers ask for pages, the office logs in.
  ingress {
    from_port       = 8080
    to_port         = 8080
    protocol        = "tcp"
    security_groups = [aws_security_group.web.id]
  }
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = [var.office]
  }
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["10.0.0.0/8"]
  }
}

resource "aws_security_group" "db" {
  ingress {
    from_port       = 5432
    to_port         = 5432
    protocol        = "tcp"
    security_groups = [
      aws_security_group.app.id,
      aws_security_group.web.id, # reports, long gone
    ]
  }
}"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shop" / "network").mkdir(parents=True)
    (tmp_path / "shop" / "main.tf").write_text(FRONT)
    (tmp_path / "shop" / "network" / "groups.tf").write_text(GROUPS)
    return tmp_path / "shop"


def patched(folder, text):
    if shutil.which("patch") is None:
        pytest.skip("no patch on this machine")
    done = subprocess.run(["patch", "-p1"], cwd=folder, input=text, text=True, capture_output=True)
    assert done.returncode == 0 and "fuzz" not in done.stdout, done.stdout + done.stderr


def test_a_round_trip_should_give_the_recommended_design(folder):
    """Should lead from a configuration to a change, a patch, a configuration and the changed design."""
    scenario = hf.scenario_from_text(import_network(folder).text)
    assert not hf.solve(hf.configuration(scenario)).defensible
    answer = recommend(scenario, None, kinds=("cut", "close"), cut_flows=True)
    files = patch(answer, [folder])
    assert "changes of security groups in Terraform: terraform.patch" in files["change-request.md"]
    space, changes = answer.recommendation.space, answer.recommendation.remedies.sets[0].changes
    after = space.changed([i for i, one in enumerate(space.changes) if one.name in changes])
    patched(folder, files["terraform.patch"])
    found = hf.configuration(hf.scenario_from_text(import_network(folder).text))
    before = hf.configuration(scenario).system.graph
    assert set(found.system.graph.arrows) == set(after.system.graph.arrows)
    assert found.system.graph.marked("exposed") == after.system.graph.marked("exposed")
    assert (set(before.arrows), before.marked("exposed")) != (
        set(after.system.graph.arrows),
        after.system.graph.marked("exposed"),
    )


def test_the_command_should_write_the_patch(folder, tmp_path):
    (tmp_path / "shop.yaml").write_text(import_network(folder).text)
    arguments = ["recommend", tmp_path / "shop.yaml", "--kind", "cut", "--cut-flows"]
    arguments += ["--patch", tmp_path / "out", "--source", folder]
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exit_code == 0, done.output
    assert "+++ b/network/groups.tf" in (tmp_path / "out" / "terraform.patch").read_text()


def test_links_that_can_be_shut_should_have_patches_that_go_on_top(folder):
    scenario = hf.scenario_from_text(import_network(folder).text)
    space = design_space(scenario, None, kinds=("cut", "block"), cut_flows=True)
    names = ("cut web -> orders", "block app -> orders")
    chosen = [i for i, one in enumerate(space.changes) if one.name in names]
    change = DesignChange(space.configuration, space.changed(chosen), dict.fromkeys(names, ""))
    files = patch_files(change, [folder])
    assert set(files) == {"change-request.md", "terraform.patch", "block-app-to-orders.patch"}
    patched(folder, files["terraform.patch"])
    left = set(import_network(folder).network.links)
    patched(folder, files["block-app-to-orders.patch"])
    assert set(import_network(folder).network.links) == left - {("app", "orders")} != left


@pytest.mark.parametrize(
    ("cut", "closed", "gone", "new"),
    {
        "one of two groups": (
            [("web", "orders")],
            [],
            {("web", "orders")},
            ["security_groups = [aws_security_group.app.id]"],
        ),
        "the only rule": (
            [("web", "orders"), ("app", "orders")],
            [],
            {("web", "orders"), ("app", "orders")},
            ["  ingress = []"],
        ),
        "a range without a host": (
            [("app", "web")],
            [],
            {("app", "web")},
            ['"10.0.3.0/24"', '"128.0.0.0/1"'],
        ),
        "nobody outside": (
            [],
            ["web"],
            set(),
            ['["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]'],
        ),
    }.values(),
)
def test_rules_should_be_narrowed_to_what_is_left(cut, closed, gone, new):
    files = [file(FRONT), file(GROUPS, "groups.tf")]
    before, changed = read_configuration(files), narrowed(files, cut, closed)
    after = read_configuration(changed)
    names = {"web": "aws_instance.web", "app": "aws_instance.app", "orders": "aws_db_instance.orders"}
    assert set(after.links) == set(before.links) - {(names[a], names[b]) for a, b in gone}
    assert set(after.exposed) == {"aws_instance.web"} - {names[host] for host in closed}
    assert changed[0] == files[0] and all(text in changed[1].text for text in new)
    assert "# The web servers ask for pages" in changed[1].text


SHARED = """\
resource "aws_instance" "a" {
  vpc_security_group_ids = [aws_security_group.same.id]
}

resource "aws_instance" "b" {
  vpc_security_group_ids = [aws_security_group.same.id]
}

resource "aws_instance" "c" {
  vpc_security_group_ids = [aws_security_group.c.id]
}

resource "aws_security_group" "same" {
  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_security_group" "c" {
}

resource "aws_vpc_security_group_ingress_rule" "c" {
  security_group_id            = aws_security_group.c.id
  referenced_security_group_id = aws_security_group.same.id
  ip_protocol                  = "tcp"
  from_port                    = 22
  to_port                      = 22
}
"""


def test_a_rule_that_is_a_resource_should_go_as_a_whole():
    changed = narrowed([file(SHARED)], [("a", "c"), ("b", "c")], [])
    assert "aws_vpc_security_group_ingress_rule" not in changed[0].text
    assert not read_configuration(changed).links


@pytest.mark.parametrize(
    ("text", "cut", "words"),
    {
        "one of a group": (SHARED, ("a", "c"), "the connection from b to c would change, too"),
        "renamed": (SHARED, ("a", "other"), 'no resource of the configuration is "other"'),
        "referred to": (
            SHARED
            + 'output "x" {\n  value = aws_vpc_security_group_ingress_rule.c.id\n}\n'
            + SHARED.split("\n\n")[0].replace('"a"', '"d"').replace("same", "d")
            + '\nresource "aws_security_group" "d" {\n}\n',
            ("a", "c"),
            "is referred to elsewhere",
        ),
        "in the default group": (
            'resource "aws_instance" "a" {\n}\nresource "aws_instance" "c" {\n}\n',
            ("a", "c"),
            "no rule in the files that could be taken away",
        ),
    }.values(),
)
def test_what_groups_cannot_say_should_be_refused_in_words(text, cut, words):
    with pytest.raises(InputError, match=words):
        narrowed([file(text)], [cut], [])


def test_a_plan_should_be_refused_with_what_to_give_instead(folder, tmp_path):
    answer = recommend(
        hf.scenario_from_text(import_network(folder).text), None, kinds=("cut",), cut_flows=True
    )
    (tmp_path / "plan.json").write_text(
        '{"terraform_version": "1.9.0", "planned_values": {"root_module": {}}}'
    )
    with pytest.raises(InputError, match=r"give the configuration .* \.tf files"):
        patch(answer, [tmp_path / "plan.json"])


# -- random configurations, and a literal evaluator ---------------------------------------------------------


def random_configuration(rng):
    groups = [f"g{i}" for i in range(rng.randint(2, 4))]
    lines, machines = [], rng.randint(3, 4)
    for i in range(machines):
        own = rng.sample(groups, rng.choice((1, 1, 2)))
        listed = ", ".join(f"aws_security_group.{group}.id" for group in own)
        lines += [f'resource "aws_instance" "h{i}" {{', f'  private_ip = "10.0.{1 + i % 2}.{1 + i // 2}"']
        lines += [f"  vpc_security_group_ids = [{listed}]"]
        lines += [f"  associate_public_ip_address = {rng.choice(('true', 'false'))}", "}", ""]
    for group in groups:
        inside = rng.random() < 0.7
        rules = [("ingress", rng) for _ in range(rng.randint(1, 3))] + [("egress", rng)]
        lines += [f'resource "aws_security_group" "{group}" {{']
        after = []
        for number, (way, _) in enumerate(rules):
            ends = random_ends(rng, groups, inside, way)
            ports = rng.choice([("-1", 0, 0), ("tcp", 22, 443), *(("tcp", port, port) for port in PORTS)])
            ports = ("-1", 0, 0) if way == "egress" and rng.random() < 0.7 else ports
            said = [
                f'    protocol = "{ports[0]}"',
                f"    from_port = {ports[1]}",
                f"    to_port = {ports[2]}",
            ]
            if inside:
                lines += [f"  {way} {{", *said, *ends, "  }"]
            else:
                after += [f'resource "aws_security_group_rule" "{group}_{number}" {{', *said, *ends]
                after += [
                    f'    type = "{way}"',
                    f"    security_group_id = aws_security_group.{group}.id",
                    "}",
                    "",
                ]
        lines += ["}", "", *after]
    return "\n".join(lines)


def random_ends(rng, groups, inside, way):
    listed = ", ".join(f'"{span}"' for span in rng.sample(RANGES, rng.randint(1, 2)))
    cidr = [f"    cidr_blocks = [{listed}]"]
    if way == "egress" and rng.random() < 0.6:
        return ['    cidr_blocks = ["0.0.0.0/0"]']
    if not inside:
        other = f"    source_security_group_id = aws_security_group.{rng.choice(groups)}.id"
        return rng.choice([cidr, [other]])
    named = ", ".join(f"aws_security_group.{group}.id" for group in rng.sample(groups, rng.randint(1, 2)))
    parts = [cidr, [f"    security_groups = [{named}]"], ["    self = true"]]
    return [line for part in rng.sample(parts, rng.choice((1, 1, 2))) for line in part]


def literal(text):
    """Which host reaches which on which port, and which is reached from outside: address by address."""
    instances, rules = {}, []
    for item in hcl2.loads(text)["resource"]:
        for kind, named in item.items():
            for name, block in named.items():
                kind, name = kind.strip('"'), name.strip('"')
                if kind == "aws_instance":
                    instances[name] = block
                elif kind == "aws_security_group":
                    rules += [
                        (name, way, rule) for way in ("ingress", "egress") for rule in block.get(way, [])
                    ]
                else:
                    rules.append((group_in(block["security_group_id"]), block["type"].strip('"'), block))

    def lets(host, way, port, address, others):
        return any(
            covers(rule, port) and means(rule, group, address, others)
            for group, side, rule in rules
            if side == way and group in groups_of(instances[host])
        )

    def address(host):
        return instances[host]["private_ip"].strip('"')

    links = {
        (a, b, port)
        for a, b in permutations(instances, 2)
        for port in PORTS
        if lets(a, "egress", port, address(b), groups_of(instances[b]))
        and lets(b, "ingress", port, address(a), groups_of(instances[a]))
    }
    exposed = {
        host
        for host, block in instances.items()
        if block["associate_public_ip_address"] in (True, "true")
        and any(lets(host, "ingress", port, probe, set()) for port in PORTS for probe in OUTSIDE)
    }
    return links, exposed


def group_in(text):
    return text.split(".")[1]


def groups_of(block):
    return {group_in(text) for text in block["vpc_security_group_ids"]}


def covers(rule, port):
    return rule["protocol"] == '"-1"' or rule["from_port"] <= port <= rule["to_port"]


def means(rule, group, address, others):
    named = {group_in(text) for text in rule.get("security_groups", [])}
    named |= {group_in(rule["source_security_group_id"])} if "source_security_group_id" in rule else set()
    named |= {group} if rule.get("self") in (True, "true") else set()
    spans = (ip_network(text.strip('"')) for text in rule.get("cidr_blocks", []))
    return bool(named & others) or any(ip_address(address) in span for span in spans)


def test_random_configurations_should_lose_what_is_cut_and_nothing_else():
    rng, changed, refused = random.Random(34), 0, 0
    for _ in range(24 * TIMES):
        text = random_configuration(rng)
        links, exposed = literal(text)
        draft = read_configuration([file(text)])
        assert {(draft.label(a), draft.label(b)) for a, b in draft.links} == {(a, b) for a, b, _ in links}
        assert {draft.label(host) for host in draft.exposed} == exposed
        pairs = sorted({(a, b) for a, b, _ in links})
        cut = rng.sample(pairs, min(len(pairs), rng.randint(1, 2)))
        shut = rng.sample(sorted(exposed), 1) if exposed and rng.random() < 0.3 else []
        try:
            after = narrowed([file(text)], cut, shut)
        except InputError as error:
            assert "security groups cannot express this" in str(error)
            refused += 1
            continue
        left, open_ = literal(after[0].text)
        assert left == {link for link in links if link[:2] not in cut}
        assert open_ == exposed - set(shut)
        changed += bool(cut or shut)
    assert changed >= 5 * TIMES and refused, (changed, refused)
