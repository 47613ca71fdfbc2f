#!/usr/bin/env python3
"""Finds the 3x3 patterns that strong players answer the last move with.

    python3 training/patterns.py GAMES.txt.gz > src/playout/patterns.txt

GAMES: one game a line, `source size komi handicap result moves`; moves are a
letter (b, w, or a for a handicap stone of Black) and two SGF letters, or --.

For each move of a game every empty point among the eight around the opponent's
last move is a candidate. A candidate's pattern is its own eight neighbours as
the player to move sees them: 0 empty, 1 own, 2 the opponent's, 3 off the
board; of its eight rotations and mirror images the least stands for all. A
pattern is kept when its candidates were played at least RATE of the times
that they were there, over at least SEEN times.

Output: a line for each kept pattern, best first: the eight digits (left, right,
below, above, below left, above left, below right, above right), the share of
times played, the times seen.
"""
import gzip
import sys

SIDE = 19
STRIDE = SIDE + 2
GAMES = 4000
SEEN = 300
RATE = 0.15
AROUND = (-1, 1, -STRIDE, STRIDE, -STRIDE - 1, STRIDE - 1, -STRIDE + 1, STRIDE + 1)
CROSS = AROUND[:4]
PLACES = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetries():
    """The eight permutations of AROUND."""
    found = []
    for swap in (False, True):
        for sx in (1, -1):
            for sy in (1, -1):
                turn = lambda x, y: (y * sx, x * sy) if swap else (x * sx, y * sy)
                found.append([PLACES.index(turn(x, y)) for x, y in PLACES])
    return found


SYMMETRIES = symmetries()


def empty_board():
    board = [3] * (STRIDE * STRIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            board[(y + 1) * STRIDE + x + 1] = 0
    return board


def chain_if_dead(board, start):
    """The chain of the stone at `start`, if it has no liberty."""
    color, chain, todo = board[start], {start}, [start]
    while todo:
        point = todo.pop()
        for step in CROSS:
            near = point + step
            if board[near] == 0:
                return ()
            if board[near] == color and near not in chain:
                chain.add(near)
                todo.append(near)
    return chain


def play(board, point, color):
    board[point] = color
    for step in CROSS:
        if board[point + step] == 3 - color:
            for dead in chain_if_dead(board, point + step):
                board[dead] = 0


def moves(text):
    for at in range(0, len(text) - 2, 3):
        who, x, y = text[at], text[at + 1], text[at + 2]
        color = 2 if who == "w" else 1
        point = None if x == "-" else (ord(y) - 96) * STRIDE + ord(x) - 96
        yield who, color, point


def count(lines, seen, played):
    least = {}
    for line in lines:
        fields = line.split()
        if len(fields) < 6 or fields[1] != str(SIDE):
            continue
        board, last = empty_board(), None
        for who, color, point in moves("".join(fields[5:])):
            if point is not None and board[point] != 0:
                break
            if last is not None and point is not None and who != "a":
                for step in AROUND:
                    candidate = last + step
                    if board[candidate] != 0:
                        continue
                    code = tuple((0, color, 3 - color, 3).index(board[candidate + s]) if board[candidate + s] in (1, 2) else board[candidate + s] for s in AROUND)
                    code = least.get(code) or least.setdefault(code, min(tuple(code[i] for i in order) for order in SYMMETRIES))
                    seen[code] = seen.get(code, 0) + 1
                    if candidate == point:
                        played[code] = played.get(code, 0) + 1
            if point is not None:
                play(board, point, color)
            last = None if who == "a" else point


def main():
    seen, played = {}, {}
    with gzip.open(sys.argv[1], "rt") as games:
        lines = games.readlines()
    count(lines[:: max(1, len(lines) // GAMES)], seen, played)
    rates = [(played.get(code, 0) / times, times, code) for code, times in seen.items() if times >= SEEN]
    kept = sorted((rate, times, code) for rate, times, code in rates if rate >= RATE)
    for rate, times, code in reversed(kept):
        print("".join(map(str, code)), "%.3f" % rate, times)
    total = sum(seen.values())
    print(
        "%d patterns kept; %.1f%% of %d candidates, played %.3f of the times; all candidates %.3f"
        % (len(kept), 100 * sum(t for _, t, _ in kept) / total, total,
           sum(r * t for r, t, _ in kept) / max(1, sum(t for _, t, _ in kept)), sum(played.values()) / total),
        file=sys.stderr)


main()
