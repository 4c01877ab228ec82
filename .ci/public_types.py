"""Say which types are missing in the public interface, by what ``pyright --verifytypes --outputjson`` has written.

Public is what the packages name in ``__all__``, with all attributes. Pyright takes for public every module that has no
underscore before its name, kernels too, whose types are those of the arrays that they are called with.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

PACKAGES = ("boyi", "boyi.envs", "boyi.wrappers", "boyi.wrappers.vector", "boyi.baselines")
FOREIGN = ("Type of base class", "Type of metaclass", 'Parameter type is "AEC"', 'Return type is "AEC"')
"""What is said of classes whose base in PettingZoo or Gymnasium has no types."""


def public() -> set[str]:
    """Return the full names of what the packages hand out, where it is defined."""
    things = [getattr(import_module(package), name) for package in PACKAGES for name in import_module(package).__all__]
    return {f"{thing.__module__}.{thing.__qualname__}" for thing in things if hasattr(thing, "__qualname__")}


def main(path: str) -> int:
    """Print what is missing; return the exit code."""
    names = public()
    symbols = json.loads(Path(path).read_text(encoding="utf-8"))["typeCompleteness"]["symbols"]
    seen = [each for each in symbols if any(f"{each['name']}.".startswith(f"{name}.") for name in names)]
    unclear = [
        f"{each['name']}: {' '.join(said['message'].split())}"
        for each in seen
        if not each["isTypeKnown"] or each["isTypeAmbiguous"]
        for said in each["diagnostics"]
        if not any(words in said["message"] for words in FOREIGN)
    ]
    print(f"pyright: {len(seen)} public names", *unclear, sep="\n")
    return 1 if unclear or len(names & {each["name"] for each in seen}) < len(names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
