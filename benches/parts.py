"""Says which parts of a light playout the instructions go to.

usage: python3 benches/parts.py PROGRAM CALLGRIND_OUT

PROGRAM must be linked at a fixed address and have line tables, and
CALLGRIND_OUT be made with --dump-instr=yes: benches/README.md has the commands.
Every instruction counts for the innermost function around it, inlined ones
included, that is named below.
"""

import collections
import re
import subprocess
import sys

# By source file and functions in it.
PARTS = [
    ("random numbers", "rng.rs", "new next_u64 below scale"),
    ("look at a candidate", "light.rs", "at"),
    ("closer look: eyes, captures", "light.rs", "judge"),
    ("dead eyes leave the list", "light.rs", "bury"),
    ("place the stone", "play.rs", "occupy"),
    ("join a chain", "chain.rs", "join"),
    ("merge chains", "play.rs", "merge_sides"),
    ("find what to merge", "play.rs", "connect"),
    ("take chains", "play.rs", "take_chain"),
    ("ko, atari, eyes come alive", "play.rs", "resolve"),
    ("score", "contact.rs", "score"),
    ("copy of the board", "board.rs", "copy_from"),
    ("choice, turns, the rest of a move", "light.rs", "step move_to turn play_out_with play_out"),
]
# Outside the program itself: nearly all of it is the copy of the board, of which
# callgrind counts every byte as an instruction.
LIBRARY = "system library"
PART_OF = {(file, name): part for part, file, names in PARTS for name in names.split()}


def costs(path):
    """Instructions by address."""
    total = collections.Counter()
    address, inclusive = 0, False
    for line in open(path):
        if line.startswith("calls="):
            inclusive = True  # The next line is what the called function took.
            continue
        match = re.match(r"(0x[0-9a-f]+|\+\d+|-\d+|\*) \S+ (\d+)$", line)
        if not match:
            continue
        where, count = match.group(1), int(match.group(2))
        if where.startswith("0x"):
            address = int(where, 16)
        elif where != "*":
            address += int(where)
        if not inclusive:
            total[address] += count
        inclusive = False
    return total


def part_of(frames):
    """The part of the innermost frame that has one; frames are names and places."""
    if frames[0] == "??":
        return LIBRARY
    for name, place in zip(frames[::2], frames[1::2]):
        plain = re.sub(r"<.*>", "", name).rsplit("::", 1)[-1]
        file = place.rsplit("/", 1)[-1].rsplit(":", 1)[0]
        if (file, plain) in PART_OF:
            return PART_OF[file, plain]
    return "program start and the rest"


def main():
    program, out = sys.argv[1:]
    total = costs(out)
    addresses = sorted(total)
    told = subprocess.run(
        ["addr2line", "-a", "-i", "-f", "-C", "-e", program],
        input="\n".join(map(hex, addresses)), capture_output=True, text=True, check=True,
    ).stdout
    sums = collections.Counter()
    for block in re.split(r"^(?=0x)", told, flags=re.M)[1:]:
        lines = block.splitlines()
        sums[part_of(lines[1:])] += total[int(lines[0], 16)]
    library = sums.pop(LIBRARY, 0)
    whole = sum(sums.values())
    for part, count in sums.most_common():
        print(f"{part:<36}{count:>14}{100 * count / whole:>7.1f}%")
    print(f"{'all':<36}{whole:>14}")
    print(f"{LIBRARY + ', left out':<36}{library:>14}")


main()
