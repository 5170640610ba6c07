"""A server of the Model Context Protocol for one folder, on standard input and output.

Each tool takes the seconds that it may work, and runs in a process of its own, which is ended when it is
past them or holds too much memory. Certificates are resources, named by their hash: an agent hands the name
on, and whoever doubts it has the proof checked.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from pydantic import Field

from holdfast import __version__
from holdfast.apps.agents.folder import SealedFolder
from holdfast.apps.agents.questions import AgentQuestion
from holdfast.budget import GIB
from holdfast.errors import InputError
from holdfast.running import family_of, kill, memory_of, patience_with, sha256_of

SCHEME = "holdfast://certificate/"

MAX_SECONDS = 3600.0
START_SECONDS = 20.0
"""What a process may take, past its budget, to begin and to write its answer, at most."""

AT_ONCE, KEPT = 2, 16
"""Questions that are worked on at a time, and certificates that are kept."""

LOOK, ROOM = 0.1, GIB // 2
"""Seconds between two looks at a process; bytes that it may hold past its budget."""

INSTRUCTIONS = (
    "Holdfast decides whether a design can be defended against every adversary within a threat boundary, "
    "with proof. Files are scenarios (YAML) in the folder of the server, named by relative paths. Every tool "
    "needs `seconds`, its budget. `outcome` is yes or no; undecided where the budget ended first (never a "
    "yes); error for bad input. check gives the URI of a certificate, and verify checks one without the "
    "solver. Summaries and lists are cut to a size."
)

BudgetSeconds = Annotated[
    float, Field(gt=0, le=MAX_SECONDS, description="the budget of this call, in seconds")
]
ScenarioFile = Annotated[str, Field(max_length=500, description="a scenario file, by its path in the folder")]
VariantChoice = Annotated[
    str | None, Field(max_length=200, description="a variant of it; the base if left out")
]
ChangeKinds = Annotated[
    list[str] | None, Field(max_length=20, description="only changes or additions of these kinds")
]
HostNames = Annotated[list[str] | None, Field(max_length=200)]


@dataclass
class Desk:
    """What the tools share: the folder, how much memory a question may hold, and certificates by hash."""

    folder: SealedFolder
    memory: float = 2.0
    certificates: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    free: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(AT_ONCE))

    async def ask(self, kind: str, seconds: float, files: dict[str, bytes], **options: Any) -> dict[str, Any]:
        """The answer to a question, in a process of its own."""
        async with self.free:
            answer = await _worked(AgentQuestion(kind, seconds, self.memory, options, files))
        raw = answer.pop("certificate", None)
        if raw is not None:
            answer["certificate"] = self._keep(base64.b64decode(raw))
        return answer

    def read(self, name: str) -> bytes:
        """A file of the folder; a certificate may be named by its URI."""
        if not name.startswith(SCHEME):
            with _refusing():
                return self.folder.read(name)
        digest = name.removeprefix(SCHEME)
        if digest not in self.certificates:
            raise ToolError(f"{name[:120]} is no longer available; run check again")
        return self.certificates[digest]

    def _keep(self, raw: bytes) -> dict[str, Any]:
        digest = sha256_of(raw)
        self.certificates[digest] = raw
        while len(self.certificates) > KEPT:
            self.certificates.popitem(last=False)
        return {"uri": f"{SCHEME}{digest}", "sha256": digest, "bytes": len(raw)}


@contextmanager
def _refusing() -> Iterator[None]:
    """Bad input is told to the agent and is no fault."""
    try:
        yield
    except InputError as error:
        raise ToolError(str(error)) from None


async def _worked(question: AgentQuestion) -> dict[str, Any]:
    """The answer of a process, which is ended when it is past its limits or nobody waits for it."""
    command = [sys.executable, "-m", "holdfast.apps.agents.questions"]
    quiet = subprocess.DEVNULL
    process = await anyio.open_process(command, stderr=quiet, env={**os.environ, "PYTHONSAFEPATH": "1"})
    over: list[str] = []

    async def watch() -> None:
        last = anyio.current_time() + patience_with(question.seconds) + START_SECONDS
        while process.returncode is None:
            await anyio.sleep(LOOK)
            held = sum(map(memory_of, family_of(process.pid)))
            if anyio.current_time() > last:
                over.append(f"stopped after {question.seconds:g} s, as the budget asks")
            elif held > question.memory * GIB + ROOM:
                over.append(f"stopped: it used more than {question.memory:g} GiB")
            if over:
                kill(family_of(process.pid))
                return

    chunks: list[bytes] = []
    try:
        assert process.stdin is not None and process.stdout is not None
        async with anyio.create_task_group() as together:
            together.start_soon(watch)
            await process.stdin.send(question.to_json())
            await process.stdin.aclose()
            async for chunk in process.stdout:
                chunks.append(chunk)
            await process.wait()
    except* (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        pass  # the process is gone; what it said decides
    finally:
        kill(family_of(process.pid) if process.returncode is None else [])
        with anyio.CancelScope(shield=True):
            await process.aclose()
    if over:
        return {"outcome": "undecided", "undecided": over[0]}
    try:
        answer: dict[str, Any] = json.loads(b"".join(chunks))
    except ValueError:
        raise ToolError(
            "an internal error of Holdfast ended the question; please report it with the file"
        ) from None
    return answer


def server_for(folder: Path, memory: float = 2.0) -> MCPServer[Any]:
    """The server of a folder, with its tools and resources."""
    desk = Desk(SealedFolder(folder.resolve()), memory)
    server: MCPServer[Any] = MCPServer(
        "holdfast", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    _add_questions(server, desk)
    _add_proofs(server, desk)
    return server


def _add_questions(server: MCPServer[Any], desk: Desk) -> None:
    @server.tool(structured_output=True)
    async def check(
        file: ScenarioFile, seconds: BudgetSeconds, variant: VariantChoice = None
    ) -> dict[str, Any]:
        """Is the design defensible? Verdict, readings, ladder, and the URI of its certificate."""
        return await desk.ask("check", seconds, {file: desk.read(file)}, variant=variant)

    @server.tool(structured_output=True)
    async def explain(
        file: ScenarioFile, seconds: BudgetSeconds, variant: VariantChoice = None
    ) -> dict[str, Any]:
        """Why is it so? The attack that cannot be stopped move by move, or where the defense is tight."""
        return await desk.ask("explain", seconds, {file: desk.read(file)}, variant=variant)

    @server.tool(structured_output=True)
    async def recommend(
        file: ScenarioFile,
        seconds: BudgetSeconds,
        variant: VariantChoice = None,
        goal: Annotated[str, Field(max_length=200, description="held, evict, recover, or a goal")] = "held",
        kinds: ChangeKinds = None,
        max_cost: Annotated[int | None, Field(ge=1, description="sets up to this cost")] = None,
    ) -> dict[str, Any]:
        """Find the cheapest changes that make a design hold, or that improve one that holds."""
        options = {"variant": variant, "goal": goal, "kinds": kinds, "max_cost": max_cost}
        return await desk.ask("recommend", seconds, {file: desk.read(file)}, **options)

    @server.tool(structured_output=True)
    async def fragile(
        file: ScenarioFile,
        seconds: BudgetSeconds,
        variant: VariantChoice = None,
        keep: Annotated[
            str, Field(max_length=200, description="held, evict, ladder:RUNG or a gate")
        ] = "held",
        kinds: ChangeKinds = None,
        max_cost: Annotated[int | None, Field(ge=1, description="sets up to this cost")] = None,
    ) -> dict[str, Any]:
        """Find what must never be added, because it would break the proof."""
        options = {"variant": variant, "keep": keep, "kinds": kinds, "max_cost": max_cost}
        return await desk.ask("fragile", seconds, {file: desk.read(file)}, **options)

    @server.tool(name="import", structured_output=True)
    async def import_(
        source: Annotated[str, Field(max_length=500, description="a file or a folder of another program")],
        output: Annotated[str, Field(max_length=500, description="the scenario to write; not there yet")],
        seconds: BudgetSeconds,
        format: Annotated[str | None, Field(max_length=40, description="recognised if left out")] = None,
        entry: HostNames = None,
        critical: HostNames = None,
        collapse: Annotated[str | None, Field(description="zone or group")] = None,
    ) -> dict[str, Any]:
        """Turn a network that exists as a file into a scenario, with what was left out and chosen."""
        with _refusing():
            files = desk.folder.gathered(source)
        options = {"format": format, "entry": entry, "critical": critical, "collapse": collapse}
        answer = await desk.ask("import", seconds, files, **options)
        text = answer.pop("scenario", None)
        if text is not None:
            with _refusing():
                desk.folder.write_new(output, text)
            answer["written"] = output
        return answer


def _add_proofs(server: MCPServer[Any], desk: Desk) -> None:
    @server.tool(structured_output=True)
    async def verify(
        certificate: Annotated[str, Field(max_length=500, description="its URI, or a file in the folder")],
        seconds: BudgetSeconds,
        scenario: Annotated[
            str | None, Field(max_length=500, description="insist that it is about this")
        ] = None,
    ) -> dict[str, Any]:
        """Check a certificate without trusting the solver."""
        files = {"certificate": desk.read(certificate)}
        files |= {} if scenario is None else {scenario: desk.read(scenario)}
        return await desk.ask("verify", seconds, files)

    @server.resource(f"{SCHEME}{{digest}}", name="certificate", mime_type="application/json")
    def proof(digest: str) -> str:
        """The certificate of a verdict, by its SHA-256; check named it."""
        if digest not in desk.certificates:
            raise ResourceError("no certificate with this hash is available; run check again")
        return desk.certificates[digest].decode()


def serve(folder: Path, memory: float = 2.0) -> None:
    """Serve a folder on standard input and output until the client goes."""
    server_for(folder, memory).run("stdio")
