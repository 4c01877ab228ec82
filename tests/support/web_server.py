"""A server of the page in a thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines import SOON

from boyi.baselines.web.server import Server, Web, listen


@contextmanager
def serving(folder: Path) -> Iterator[Web]:
    """Serve the tables of a folder."""
    made, up = Web(folder), threading.Event()
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
