"""Sessions of pytest that tests start."""

import os
import subprocess
import sys
from pathlib import Path

from places import TESTS


def session(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the tests in a folder with our `conftest`, and with no setting of this session's but those given."""
    path = os.pathsep.join([str(TESTS), os.environ["PYTHONPATH"]])
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", *options, str(folder)],
        cwd=folder,
        env=clean | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
    )
