"""A real studio server for tests: started as a person would, and asked over HTTP."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def object(self) -> Any:
        return json.loads(self.raw)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.raw.splitlines()]


class StudioServer:
    """A server process on loopback, in a folder of its own."""

    def __init__(
        self, *arguments: str, cwd: Path | None = None, port: str | None = "0", state: Path | None = None
    ) -> None:
        self.states = tempfile.TemporaryDirectory(prefix="holdfast-state-")
        command = [sys.executable, "-m", "holdfast", "studio", *arguments, "--no-browser"]
        command += ["--port", port] if port is not None else []
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env={**os.environ, "XDG_STATE_HOME": str(state or self.states.name)},
        )
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})", self.address)
        assert found, self.address + self.process.stderr.read()
        self.port, self.token = int(found[1]), found[2]

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request; a body that is not bytes becomes JSON; a header given as None is left out."""
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"X-Holdfast-Token": self.token, "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = self.connection()
        connection.request(method, path, raw, {name: v for name, v in sent.items() if v is not None})
        answer = connection.getresponse()
        found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        connection.close()
        return found

    def post(self, question: str, scenario: str, variant: str | None = None, **more: Any) -> Answer:
        return self.ask("POST", f"/api/{question}", {"scenario": scenario, "variant": variant, **more})

    def family(self) -> list[int]:
        """The processes below the server, its own included."""
        below, found = {}, [self.process.pid]
        for entry in os.listdir("/proc"):
            try:
                parent = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
                below.setdefault(int(parent), []).append(int(entry))
            except (OSError, ValueError, IndexError):
                continue
        for pid in found:
            found += below.get(pid, [])
        return found

    def end(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        finally:
            self.kill()

    def kill(self) -> None:
        """What cannot be asked for."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.states.cleanup()


def is_gone(pid: int, seconds: float = 30.0) -> bool:
    """Whether a process ends, waited for a while."""
    for _ in range(int(seconds / 0.05)):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
