"""What this runs on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version


def usable_cores() -> int:
    """Count the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """Name the processor, as precisely as the system does."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def machine(*packages: str) -> str:
    """Describe where this runs: processor, cores, load, and the versions that matter, those of `packages` included."""
    names = ("numpy", "numba", *packages)
    found = [f"{name} {_version(name)}" for name in names if _version(name)]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    where = f"{processor()}, {usable_cores()} cores, load {load:.1f}, Python {platform.python_version()}"
    return f"{where}, {', '.join(found)}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
