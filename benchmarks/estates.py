"""Estates of some hundred hosts as files of other programs: what a new user brings to ``holdfast import``.

``python -m benchmarks.estates FOLDER [HOSTS]`` writes one file for each of FORMATS, of about so many hosts
(300): teams with namespaces and network policies, subnets with security groups, sites with workstations.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

TEAM = 25
"""Hosts of a team, a subnet, a site."""

SEED = 5

POLICY = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"


def kubernetes(n_hosts: int) -> str:
    """Namespaces of services in three tiers; what each lets in is said, and most goes on inside."""
    draw, parts = Random(SEED), list[str]()
    for team in range(n_hosts // TEAM):
        space = f"team-{team}"
        parts.append(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {space}}}\n")
        web, app, data = range(4), range(4, 20), range(20, TEAM)
        parts.append(
            f"{POLICY}metadata: {{name: deny, namespace: {space}}}\n"
            "spec: {podSelector: {}, policyTypes: [Ingress]}\n"
        )
        for i in range(TEAM):
            kind, image = (
                ("StatefulSet", "postgres:16") if i in data else ("Deployment", f"example/{space}:1")
            )
            called = [draw.choice(app)] if i in web else []
            if i in app:
                called = sorted(set(draw.sample(range(i + 1, TEAM), min(2, TEAM - i - 1))))
            urls = [f"http://s{j}.{space}.svc.cluster.local:8080" for j in called]
            if i in app and draw.random() < 0.08:
                other = draw.randrange(n_hosts // TEAM)
                urls.append(f"http://s{draw.choice(app)}.team-{other}.svc.cluster.local:8080")
            env = ", ".join(f'{{name: URL{k}, value: "{url}"}}' for k, url in enumerate(urls))
            claims = "\n  volumeClaimTemplates: [{metadata: {name: data}}]" if i in data else ""
            tier = "web" if i in web else "app" if i in app else "data"
            parts.append(
                f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: s{i}, namespace: {space}}}\nspec:\n"
                f"  selector: {{matchLabels: {{app: s{i}}}}}\n  template:\n"
                f"    metadata: {{labels: {{app: s{i}, tier: {tier}}}}}\n    spec:\n      containers:\n"
                f"        - {{name: s{i}, image: '{image}', ports: [{{containerPort: 8080}}], "
                f"env: [{env}]}}{claims}\n"
            )
            parts.append(
                f"apiVersion: v1\nkind: Service\nmetadata: {{name: s{i}, namespace: {space}}}\n"
                f"spec: {{selector: {{app: s{i}}}, ports: [{{port: 8080}}]}}\n"
            )
            for url in urls:
                target, of = url.removeprefix("http://").split(".")[:2]
                parts.append(
                    f"{POLICY}metadata: {{name: {target}-from-{space}-s{i}, namespace: {of}}}\nspec:\n"
                    f"  podSelector: {{matchLabels: {{app: {target}}}}}\n  policyTypes: [Ingress]\n"
                    "  ingress:\n    - from: [{namespaceSelector: {matchLabels: "
                    f"{{kubernetes.io/metadata.name: {space}}}}}, "
                    f"podSelector: {{matchLabels: {{app: s{i}}}}}}}]\n"
                )
        if team < 2:
            parts.append(
                f"{POLICY}metadata: {{name: web, namespace: {space}}}\n"
                "spec: {podSelector: {matchLabels: {app: s0}}, policyTypes: [Ingress], ingress: [{}]}\n"
            )
            parts.append(
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\n"
                f"metadata: {{name: front, namespace: {space}}}\n"
                "spec: {rules: [{http: {paths: [{path: /, pathType: Prefix, "
                "backend: {service: {name: s0, port: {number: 8080}}}}]}}]}\n"
            )
    return "---\n".join(parts)


def netpol(n_hosts: int) -> str:
    """What netpol-analyzer would list of namespaces with chains of services and few ways between them."""
    draw, rows = Random(SEED), ["src,dst,conn", "{ingress-controller},team-0/s0[Deployment],TCP 443"]
    for team in range(n_hosts // TEAM):
        for i in range(1, TEAM):
            for j in sorted({draw.randrange(max(0, i - 3), i), draw.randrange(i)}):
                rows.append(f"team-{team}/s{j}[Deployment],team-{team}/s{i}[Deployment],TCP 8080")
        for _ in range(2):
            other = draw.randrange(n_hosts // TEAM)
            a, b = draw.randrange(TEAM), draw.randrange(TEAM)
            if other != team:
                rows.append(f"team-{team}/s{a}[Deployment],team-{other}/s{b}[Deployment],TCP 8443")
    return "\n".join(rows) + "\n"


def terraform(n_hosts: int) -> str:
    """A plan: in each subnet a bastion, machines in groups that reach each other along a chain, databases."""
    resources = list[dict[str, object]]()

    def add(kind: str, called: str, **values: object) -> None:
        resources.append({"address": f"{kind}.{called}", "mode": "managed", "type": kind, "name": called,
                          "values": {"id": f"{kind}-{called}", **values}})  # fmt: skip

    anywhere = {"from_port": 0, "to_port": 0, "protocol": "-1", "cidr_blocks": ["0.0.0.0/0"]}
    teams = n_hosts // TEAM
    for team in range(teams):
        add("aws_subnet", f"net{team}", cidr_block=f"10.0.{team}.0/24", map_public_ip_on_launch=team == 0)
        previous = f"aws_security_group-t{team - 1}g3" if team else ""
        for group in range(5):
            source = f"aws_security_group-t{team}g{group - 1}" if group else previous
            rule: dict[str, object] = {"from_port": 22, "to_port": 443, "protocol": "tcp"}
            rule |= {"security_groups": [source]} if source else {"cidr_blocks": ["0.0.0.0/0"]}
            add(
                "aws_security_group",
                f"t{team}g{group}",
                name=f"t{team}g{group}",
                ingress=[rule],
                egress=[anywhere],
            )
        sizes = (1, 6, 8, 6, 4)
        number = 10
        for group, size in enumerate(sizes):
            for i in range(size):
                number += 1
                kind = "aws_db_instance" if group == 4 else "aws_instance"
                add(kind, f"t{team}g{group}h{i}", subnet_id=f"aws_subnet-net{team}",
                    private_ip=f"10.0.{team}.{number}", associate_public_ip_address=not team and not group,
                    vpc_security_group_ids=[f"aws_security_group-t{team}g{group}"],
                    tags={"Name": f"t{team}g{group}h{i}"})  # fmt: skip
    return json.dumps({"format_version": "1.2", "terraform_version": "1.9.0",
                       "planned_values": {"root_module": {"resources": resources}}})  # fmt: skip


def drawio(n_hosts: int) -> str:
    """A drawing: sites as containers, each a tree of servers and stations; sites joined in a ring."""
    draw, cells, number = Random(SEED), ['<mxCell id="0"/><mxCell id="1" parent="0"/>'], 0
    sites = n_hosts // TEAM

    def shape(name: str, label: str, parent: str, style: str = "rounded=1;") -> None:
        cells.append(f'<mxCell id="{name}" value="{label}" style="{style}" vertex="1" parent="{parent}">'
                     '<mxGeometry x="10" y="10" width="90" height="30" as="geometry"/></mxCell>')  # fmt: skip

    def line(a: str, b: str) -> None:
        nonlocal number
        number += 1
        cells.append(f'<mxCell id="e{number}" style="endArrow=classic;" edge="1" parent="1" source="{a}" '
                     f'target="{b}"><mxGeometry relative="1" as="geometry"/></mxCell>')  # fmt: skip

    shape("net", "Internet", "1", "ellipse;shape=cloud;")
    for site in range(sites):
        shape(f"site{site}", f"Site {site}", "1", "swimlane;")
        for i in range(TEAM):
            kind = "FW" if i == 0 else "SRV" if i < 8 else "DB" if i > 22 else "WS"
            shape(f"s{site}h{i}", f"{kind}{site}-{i}", f"site{site}")
        for i in range(1, TEAM):
            line(f"s{site}h{draw.randrange(max(0, i - 5), i)}", f"s{site}h{i}")
        line(f"s{site}h{draw.randrange(TEAM)}", f"s{(site + 1) % sites}h0")
    line("net", "s0h0")
    return ('<mxfile host="app.diagrams.net"><diagram id="p" name="Page-1"><mxGraphModel><root>'
            + "".join(cells) + "</root></mxGraphModel></diagram></mxfile>")  # fmt: skip


def bloodhound(n_hosts: int) -> str:
    """Computers of one domain: help desks of sites administer stations, and server admins leave sessions."""
    draw, domain, data = Random(SEED), "S-1-5-21-1-2-3", list[dict[str, object]]()
    for i in range(n_hosts):
        site, place = divmod(i, TEAM)
        server = place < 4
        users = [f"{domain}-{20000 + i}"]
        if draw.random() < 0.15:
            users.append(f"{domain}-{30000 + site}")  # the help desk of the site is logged on
        if server and draw.random() < 0.1:
            users.append(f"{domain}-40000")  # an admin of all servers is
        admins = [f"{domain}-40000"] if server else [f"{domain}-{30000 + site}"]
        name = f"{'SRV' if server else 'WS'}{site}-{place}"
        unit = "OU=DOMAIN CONTROLLERS" if i == 0 else "OU=SERVERS" if server else f"OU=SITE{site},OU=STATIONS"
        data.append({
            "ObjectIdentifier": f"{domain}-{1000 + i}", "IsDeleted": False, "Aces": [],
            "PrimaryGroupSID": f"{domain}-{516 if i == 0 else 515}",
            "Properties": {"name": f"{name}.CORP.EXAMPLE", "domain": "CORP.EXAMPLE", "enabled": True,
                "distinguishedname": f"CN={name},{unit},DC=CORP,DC=EXAMPLE"},
            "Sessions": {"Collected": True, "Results": [
                {"UserSID": user, "ComputerSID": f"{domain}-{1000 + i}"} for user in users]},
            "LocalGroups": [{"ObjectIdentifier": f"{domain}-{1000 + i}-544", "Name": "ADMINISTRATORS",
                "Results": [{"ObjectIdentifier": admin, "ObjectType": "User"} for admin in admins]}],
        })  # fmt: skip
    return json.dumps(
        {"meta": {"methods": 0, "type": "computers", "count": n_hosts, "version": 6}, "data": data}
    )


def nessus(n_hosts: int) -> dict[str, str]:
    """Exports of scans from outside and from a station in each network, each of which reaches its own network
    and servers of the next.
    """
    draw, nets = Random(SEED), n_hosts // TEAM
    files = {}
    for net in range(-1, nets):
        scanner = f"10.0.{net}.10" if net >= 0 else "192.0.2.7"
        reached = [(0, 10)] if net < 0 else [(net, 10 + i) for i in range(1, TEAM)]
        if 0 <= net < nets - 1:
            reached += [(net + 1, 10)]
        rows = []
        for of, host in reached:
            port, name = (5432, "postgresql") if host > 32 else (445, "cifs") if host > 14 else (443, "www")
            score = draw.choice((0.02, 0.1, 0.4, 0.9))
            rows.append(
                f'<ReportHost name="10.0.{of}.{host}"><HostProperties>'
                f'<tag name="host-ip">10.0.{of}.{host}</tag>'
                f'<tag name="host-fqdn">h{host}.net{of}.example</tag></HostProperties>'
                '<ReportItem port="0" svc_name="general" protocol="tcp" severity="0" pluginID="19506" '
                'pluginName="Nessus Scan Information">'
                f"<plugin_output>Scanner IP : {scanner}\n</plugin_output></ReportItem>"
                f'<ReportItem port="{port}" svc_name="{name}" protocol="tcp" severity="3" pluginID="1" '
                'pluginName="Old">'
                f"<cve>CVE-2000-{1000 + host}</cve><epss_score>{score}</epss_score></ReportItem></ReportHost>"
            )
        files[f"scan{net}.nessus"] = (
            '<?xml version="1.0" ?>\n<NessusClientData_v2><Report name="estate">' + "\n".join(rows)
            + "</Report></NessusClientData_v2>\n"
        )  # fmt: skip
    return files


FORMATS: dict[str, Callable[[int], str | dict[str, str]]] = {
    "cluster.yaml": kubernetes,
    "connections.csv": netpol,
    "plan.json": terraform,
    "sites.drawio": drawio,
    "computers.json": bloodhound,
    "scans": nessus,
}


def main(folder: str, n_hosts: str = "300") -> None:
    """Write the files."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, make in FORMATS.items():
        text, path = make(int(n_hosts)), Path(folder) / name
        if isinstance(text, str):
            path.write_text(text, "utf-8")
            continue
        path.mkdir(exist_ok=True)
        for part, inside in text.items():
            (path / part).write_text(inside, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:3])
