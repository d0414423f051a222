"""A fake of the Hugging Face hub: the few answers that ``hf download`` and ``HfApi.model_info`` ask for."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class FakeHub:
    """Repositories by id: the commit that ``main`` is now, and files by name. ``asked`` lists the paths in order,
    ``sent`` the files whose content went out. What is in ``lost`` (acme/Tiny/weights.bin) is listed, and not there."""

    address: str
    commits: dict[str, str] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    gated: set[str] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://{self.address}:{self.port}"

    def publish(self, repository: str, **files: str | bytes) -> str:
        """A new commit of ``repository``; keyword ``config_json`` is the file config.json."""
        content = {
            name.replace("_json", ".json").replace("_bin", ".bin"): given.encode() if isinstance(given, str) else given
            for name, given in files.items()
        }
        self.files[repository] = content
        parts = (part for name, text in content.items() for part in (name.encode(), text))
        self.commits[repository] = hashlib.sha1(b"\0".join(parts)).hexdigest()
        return self.commits[repository]

    @contextmanager
    def serving(self) -> Iterator[FakeHub]:
        server = ThreadingHTTPServer((self.address, 0), type("Handler", (_Handler,), {"hub": self}))
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        self.hub.asked.append(path)
        self.hub.tokens.add((self.headers.get("Authorization") or "").removeprefix("Bearer "))
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            self._info("/".join(parts[2:4]), parts[4:], with_body)
        elif len(parts) >= 5 and parts[2] == "resolve":
            self._file("/".join(parts[:2]), parts[3], "/".join(parts[4:]), with_body)
        else:
            self._send(404, b"{}", {}, with_body)

    def _info(self, repository: str, rest: list[str], with_body: bool) -> None:
        commit = self.hub.commits.get(repository)
        if commit is None:
            self._send(404, b'{"error":"Repository not found"}', {"X-Error-Code": "RepoNotFound"}, with_body)
        elif repository in self.hub.gated:
            self._send(403, b'{"error":"Access is restricted"}', {"X-Error-Code": "GatedRepo"}, with_body)
        elif rest[:1] in (["tree"], ["revision"]) and rest[1] not in ("main", commit):
            self._send(404, b'{"error":"Invalid rev id"}', {"X-Error-Code": "RevisionNotFound"}, with_body)
        elif rest[:1] == ["tree"]:
            entries = [
                {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                for name, content in self.hub.files[repository].items()
            ]
            self._send(200, json.dumps(entries).encode(), {}, with_body)
        else:
            siblings = [{"rfilename": name} for name in self.hub.files[repository]]
            document = {"id": repository, "modelId": repository, "sha": commit, "siblings": siblings, "private": False}
            self._send(200, json.dumps(document).encode(), {}, with_body)

    def _file(self, repository: str, commit: str, name: str, with_body: bool) -> None:
        content = self.hub.files.get(repository, {}).get(name)
        if content is None or f"{repository}/{name}" in self.hub.lost or commit != self.hub.commits.get(repository):
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, with_body)
            return
        tag = hashlib.sha1(content).hexdigest()
        if with_body:
            self.hub.sent.append(f"{repository}/{name}")
        self._send(200, content, {"ETag": f'"{tag}"', "X-Repo-Commit": commit}, with_body)

    def _send(self, status: int, body: bytes, headers: dict[str, str], with_body: bool) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""
