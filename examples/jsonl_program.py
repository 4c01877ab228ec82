"""A program without libraries that plays every game of boyi at random, through the line protocol of docs/engines.md.

boyi arena jiu:board_size=8 "jsonl:cmd='python3 examples/jsonl_program.py'" random --games 2
"""

import json
import random
import sys


def main() -> None:
    """Answer questions with one of their legal actions until told to quit."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "game":
            print("a game of", message["game"], message["parameters"], file=sys.stderr)
        elif message["type"] == "decide":
            print(json.dumps({"action": random.choice(message["legal"])}), flush=True)
        elif message["type"] == "quit":
            return


if __name__ == "__main__":
    main()
