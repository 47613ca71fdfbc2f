"""Measures a master on held-out samples, and draws a run's learning curve.

    python training/report.py MASTER --records DIR --teacher DIR LABELS [--curve RUN/curve.csv --plot curve.svg]

Moves are ranked among the legal ones, as in play.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

import data
from data import Table
from model import Net, load

OCCUPIED, ILLEGAL = slice(1, 9), 19
"""Planes of stones, and of empty points where play is illegal."""
TOPS = (1, 5, 10)


class Sums:
    """Means of named values."""

    def __init__(self) -> None:
        self.totals: dict[str, float] = defaultdict(float)
        self.counts: dict[str, int] = defaultdict(int)

    def add(self, name: str, values: Tensor) -> None:
        self.totals[name] += values.double().sum().item()
        self.counts[name] += len(values)

    def mean(self, name: str) -> float:
        return self.totals[name] / max(1, self.counts[name])


def legal(logits: Tensor, planes: Tensor) -> Tensor:
    """Logits without the moves that cannot be played."""
    barred = planes[:, OCCUPIED].any(1) | (planes[:, ILLEGAL] > 0)
    barred = F.pad(barred.flatten(1), (0, 1))
    return logits.masked_fill(barred, -1e9)


def phase(ply: np.ndarray, points: int) -> np.ndarray:
    """0 for the opening, 1 for the middle game, 2 for the endgame."""
    return np.digitize(ply, [points * 60 // 361, points * 150 // 361])


def groups(table: Table, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Which rows belong to a source or a phase."""
    names = {"all": np.ones(len(rows), bool)}
    for at, source in enumerate(table.sources):
        names[source] = table.columns["source"][rows] == at
    part = phase(table.columns["ply"][rows], table.points)
    for at, name in enumerate(("opening", "middle", "end")):
        names[name] = part == at
    return {name: mask for name, mask in names.items() if mask.any()}


@torch.no_grad()
def measure(net: Net, table: Table, count: int) -> dict[str, Sums]:
    """Everything that can be said, by group."""
    found: dict[str, Sums] = defaultdict(Sums)
    rows = np.linspace(0, len(table) - 1, min(count, len(table))).astype(int)
    for part in tqdm(np.array_split(rows, max(1, len(rows) // 256)), desc=f"{table.width}x{table.height}"):
        batch = data.batch(table, part)
        out = net(batch.planes.to(memory_format=torch.channels_last))
        logits = legal(out.policy, batch.planes)
        played = batch.move
        values: dict[str, Tensor] = {}
        if table.labels is None:
            values["cross-entropy"] = F.cross_entropy(logits, played.clamp(min=0), reduction="none")
        else:
            logs = F.log_softmax(logits, 1).clamp(min=-50)
            values["cross-entropy"] = -(batch.policy * logs).sum(1)
            played = batch.policy.argmax(1)
            values["ownership"] = (out.ownership - batch.ownership).abs().mean((1, 2))
            values["lead"] = (out.score - batch.lead).abs()
            win = torch.sigmoid(out.win_logit(batch.own_komi))
            values["win"] = (win - batch.win).abs()
            values["win squared"] = (win - batch.win) ** 2
        mine = logits.gather(1, played.clamp(min=0)[:, None])
        rank = (logits > mine).sum(1)
        for top in TOPS:
            values[f"top {top}"] = (rank < top).float()
        for name, mask in groups(table, part).items():
            for what, value in values.items():
                found[name].add(what, value[torch.from_numpy(mask)])
    return found


def show(title: str, found: dict[str, Sums]) -> None:
    names = list(next(iter(found.values())).totals)
    print(f"\n{title}\n\n| rows | number | " + " | ".join(names) + " |")
    print("| --- " * (len(names) + 2) + "|")
    for group, sums in found.items():
        cells = [f"{100 * sums.mean(n):.1f}%" if n.startswith("top") else f"{sums.mean(n):.3f}" for n in names]
        print(f"| {group} | {sums.counts[names[0]]} | " + " | ".join(cells) + " |")


def plot(curve: Path, path: Path) -> None:
    """The held-out figures of a run, as they went."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with curve.open() as file:
        rows = [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(file)]
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for axis, what, title in zip(axes, ("top1", "policy", "win"), ("first choice, %", "cross-entropy", "win-rate error")):
        factor = 100 if what == "top1" else 1
        for name in [name for name in rows[0] if name.endswith(f".{what}")]:
            axis.plot([row["positions"] / 1000 for row in rows], [factor * row[name] for row in rows],
                      label=name.split(".")[0])
        axis.set_xlabel("thousand positions, all sources")
        axis.set_title(f"held out: {title}")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.savefig(path)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("master")
    options.add_argument("--records", type=Path)
    options.add_argument("--teacher", nargs=2, action="append", default=[], metavar=("DIR", "LABELS"))
    options.add_argument("--count", type=int, default=30_000, help="rows of each table")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--curve", type=Path)
    options.add_argument("--plot", type=Path)
    args = options.parse_args()
    torch.set_num_threads(args.threads)
    net = load(args.master).to(memory_format=torch.channels_last).eval()
    if args.records:
        show("Moves of records", measure(net, Table(args.records, "held"), args.count))
    for folder, labels in args.teacher:
        table = Table(Path(folder), "held")
        table.label(Path(labels))
        show(f"The teacher on {table.width}x{table.height}", measure(net, table, args.count))
    if args.curve and args.plot:
        plot(args.curve, args.plot)


if __name__ == "__main__":
    main()
