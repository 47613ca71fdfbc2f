"""Prepares a stronger network's labels (`teacher9.npz`, `teacher19.npz`).

    python training/teacher.py TEACHER.npz --out DIR [--komi 7.5]

writes `labels.npz`, with the game and the number of moves played before each
position, `select.txt` for `tengen net samples --select`, and, where the file
holds the games themselves, `games.txt` with a game a line.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm


def games(moves: np.ndarray, length: np.ndarray, komi: np.ndarray, side: int) -> list[str]:
    """A line for each game, Black first."""
    letters = [f"{chr(97 + at % side)}{chr(97 + at // side)}" for at in range(side * side)] + ["--"]
    lines = []
    start = 0
    for number, points in tqdm(zip(length, komi), total=len(length), desc="games"):
        played = moves[start : start + number]
        start += number
        text = "".join("bw"[i % 2] + letters[at] for i, at in enumerate(played))
        lines.append(f"teacher {side} {points:.2f} 0 ? {text}")
    return lines


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("teacher", type=Path)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--komi", type=float, default=7.5, help="of labels whose file has none")
    args = options.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with np.load(args.teacher) as file:
        stored = {name: file[name] for name in file.files}
    if "moves" in stored:
        length = stored["length"].astype(np.int64)
        side = round(stored["ownership"].shape[1] ** 0.5)
        lines = games(stored["moves"], length, stored["komi"], side)
        (args.out / "games.txt").write_text("\n".join(lines) + "\n")
        game = np.repeat(np.arange(len(length)), length)
        ply = np.arange(len(game)) - np.repeat(np.cumsum(length) - length, length)
        komi = stored["komi"][game]
    else:
        game, ply = stored["game"], stored["ply"]
        komi = np.full(len(game), args.komi, np.float32)
    np.savez(
        args.out / "labels.npz",
        game=game.astype(np.int32),
        ply=ply.astype(np.int16),
        komi=komi,
        **{name: stored[name] for name in ("ownership", "policy", "lead", "win")},
    )
    with (args.out / "select.txt").open("w") as file:
        file.writelines(f"{g} {p}\n" for g, p in zip(game, ply))


if __name__ == "__main__":
    main()
