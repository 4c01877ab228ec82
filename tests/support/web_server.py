"""A server of the page in a thread, and pages at its tables."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engines import SOON
from websockets.sync.client import connect

from boyi.baselines.web.server import Server, Web, listen

NAME = "0123456789abcdef"


@contextmanager
def serving(folder: Path, **options: Any) -> Iterator[Web]:
    """Serve the tables of a folder."""
    made, up = Web(folder, **options), threading.Event()
    server = Server(made, listen(0), up.set)
    thread = threading.Thread(target=server.go)
    thread.start()
    assert up.wait(SOON)
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join(SOON)
    assert not thread.is_alive()


class Page:
    """A page at a table: says things, and hears the next message of a type."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []

    def ask(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def hear(self, kind: str, **fields: Any) -> dict[str, Any]:
        while True:
            message = json.loads(self.socket.recv(SOON))
            self.heard.append(message)
            if message["type"] == kind and fields.items() <= message.items():
                return message


@contextmanager
def page(web: Web, name: str = NAME, token: str = "", **options: Any) -> Iterator[Page]:
    address = f"ws://127.0.0.1:{web.port}/{token or web.token}/tables/{name}"
    with connect(address, proxy=None, max_size=None, **options) as socket:
        yield Page(socket)
