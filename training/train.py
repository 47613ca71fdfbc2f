"""Trains the network of knowledge.

    python training/train.py --records DIR --teacher DIR LABELS --teacher DIR LABELS --run DIR --steps N

Folders are those that `tengen net samples` and `teacher.py` wrote. A run keeps
a checkpoint, which `--resume` goes on from; Ctrl-C or SIGTERM writes one too.
The learning rate is constant and falls to nothing over the last
`--anneal-steps`, or, with an end by the clock, over the last
`--anneal-minutes`. The same command with the same seed repeats a run.
"""

from __future__ import annotations

import argparse
import csv
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

import data
from data import Batch, Table
from model import Net, export, load, revive
from muon import Muon

REPLY, OWNERSHIP, LEAD, WIN, RECORD_WIN = 0.15, 1.5, 2.0, 0.7, 0.1
"""Weights of the losses beside the policy's."""
WARM_UP = 100


@dataclass
class Stream:
    """A table, and how much of the time goes into it."""

    name: str
    table: Table
    share: float
    size: int
    record_part: float
    """How much of the policy's target is the move played, not the teacher's."""
    order: np.ndarray | None = None
    next: int = 0
    passes: int = 0
    spent: float = 0.0

    def rows(self, seed: int) -> np.ndarray:
        """The rows of the next batch: every row once before any twice."""
        if self.order is None or self.next + self.size > len(self.order):
            if self.order is not None:
                self.passes += 1
            rng = np.random.default_rng([seed, self.passes, crc32(self.name.encode())])
            self.order = rng.permutation(len(self.table))
            self.next = 0
        rows = self.order[self.next : self.next + self.size]
        self.next += self.size
        self.spent += self.size * self.table.points
        return np.sort(rows)

    def state(self) -> dict:
        return {"next": self.next, "passes": self.passes, "spent": self.spent}

    def restore(self, state: dict, seed: int) -> None:
        self.passes, self.spent = state["passes"], state["spent"]
        rng = np.random.default_rng([seed, self.passes, crc32(self.name.encode())])
        self.order, self.next = rng.permutation(len(self.table)), state["next"]


def policy_target(batch: Batch, record_part: float) -> tuple[Tensor, Tensor]:
    """Probabilities, and which rows have any."""
    points = batch.planes.shape[2] * batch.planes.shape[3] + 1
    known = batch.move >= 0
    played = F.one_hot(batch.move.clamp(min=0), points).float()
    if batch.policy is None:
        return played, known
    part = record_part * known.float()[:, None]
    return part * played + (1 - part) * batch.policy, torch.ones_like(known)


def mean(values: Tensor, known: Tensor) -> Tensor:
    """The mean of what is known, 0 if nothing is."""
    weight = known.float()
    return (torch.where(known, values, 0.0) * weight).sum() / weight.sum().clamp(min=1.0)


def losses(net: Net, batch: Batch, record_part: float, half: bool) -> dict[str, Tensor]:
    """All losses, weighted; their sum is what falls. With `half`, the trunk
    computes in bfloat16."""
    with torch.autocast(batch.planes.device.type, torch.bfloat16, enabled=half):
        out = net(batch.planes)
    target, known = policy_target(batch, record_part)
    found = {"policy": mean(-(target * F.log_softmax(out.policy, 1)).sum(1), known)}
    points = out.reply.shape[1]
    replied = (batch.reply >= 0) & (batch.reply < points)
    reply = F.cross_entropy(out.reply, batch.reply.clamp(0, points - 1), reduction="none")
    found["reply"] = REPLY * mean(reply, replied)
    has_teacher = batch.ownership is not None
    if has_teacher:
        owner = ((1 + out.ownership) / 2).clamp(1e-4, 1 - 1e-4)
        found["ownership"] = OWNERSHIP * F.binary_cross_entropy(owner, (1 + batch.ownership) / 2)
        side = points**0.5
        found["lead"] = LEAD * F.huber_loss(out.score / side, batch.lead / side, delta=0.5)
    known = ~torch.isnan(batch.win)
    logit = out.win_logit(torch.nan_to_num(batch.own_komi))
    win = F.binary_cross_entropy_with_logits(logit, torch.nan_to_num(batch.win), reduction="none")
    found["win"] = (WIN if has_teacher else RECORD_WIN) * mean(win, known)
    return found


@torch.no_grad()
def held_out(net: Net, table: Table, record: bool, count: int) -> dict[str, float]:
    """A quick look at rows never trained on."""
    net.eval()
    rows = np.linspace(0, len(table) - 1, min(count, len(table))).astype(int)
    sums = {"policy": 0.0, "top1": 0.0}
    for part in np.array_split(rows, max(1, len(rows) // 256)):
        batch = data.batch(table, part)
        out = net(batch.planes.to(memory_format=torch.channels_last))
        target, _ = policy_target(batch, 1.0 if record else 0.0)
        sums["policy"] += -(target * F.log_softmax(out.policy, 1)).sum().item()
        sums["top1"] += (out.policy.argmax(1) == target.argmax(1)).sum().item()
        if batch.ownership is not None:
            sums["own"] = sums.get("own", 0.0) + (out.ownership - batch.ownership).abs().mean((1, 2)).sum().item()
            sums["lead"] = sums.get("lead", 0.0) + (out.score - batch.lead).abs().sum().item()
            win = torch.sigmoid(out.win_logit(batch.own_komi))
            sums["win"] = sums.get("win", 0.0) + (win - batch.win).abs().sum().item()
    net.train()
    return {name: total / len(rows) for name, total in sums.items()}


class Run:
    """A training run: network, optimisers, where it stands, and its folder."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.folder: Path = args.run
        self.folder.mkdir(parents=True, exist_ok=True)
        self.streams, self.held = tables(args)
        torch.manual_seed(args.seed)
        self.net = load(args.start) if args.start else Net(args.channels, args.blocks)
        self.net.to(args.device, memory_format=torch.channels_last)
        hidden = [p for n, p in self.net.named_parameters() if p.ndim == 4 and p.shape[0] > 1]
        others = [p for p in self.net.parameters() if not any(p is h for h in hidden)]
        self.optimisers = [
            Muon(hidden, lr=args.muon, weight_decay=args.decay),
            torch.optim.AdamW(others, lr=args.adam, betas=(0.9, 0.98), weight_decay=0.0),
        ]
        self.rates = [args.muon, args.adam]
        self.step = 0
        self.positions = 0
        self.cpu = 0.0
        self.began = time.monotonic()
        if args.start:
            planes = data.batch(self.streams[0].table, np.arange(min(256, len(self.streams[0].table)))).planes
            for block in revive(self.net, planes.to(args.device)):
                print(f"block {block} was never active and begins anew", file=sys.stderr)
        if args.resume:
            self.restore()

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    def save(self) -> None:
        state = {
            "net": self.net.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "streams": {stream.name: stream.state() for stream in self.streams},
            "step": self.step,
            "positions": self.positions,
            "cpu": self.cpu,
        }
        fresh = self.checkpoint.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.checkpoint)

    def restore(self) -> None:
        state = torch.load(self.checkpoint, map_location=self.args.device)
        self.net.load_state_dict(state["net"])
        for optimiser, stored in zip(self.optimisers, state["optimisers"]):
            optimiser.load_state_dict(stored)
        for stream in self.streams:
            if stream.name in state["streams"]:
                stream.restore(state["streams"][stream.name], self.args.seed)
        self.step, self.positions, self.cpu = state["step"], state["positions"], state["cpu"]

    def rate(self) -> float:
        """The learning rate's part at this step."""
        left = (self.args.steps - self.step) / max(1, self.args.anneal_steps)
        if self.args.minutes is not None:
            left = (self.args.minutes - self.minutes()) / max(1e-9, self.args.anneal_minutes)
        return min(1.0, (self.step + 1) / WARM_UP, max(left, 0.0))

    def minutes(self) -> float:
        """Since this process began to train."""
        return (time.monotonic() - self.began) / 60

    def finished(self) -> bool:
        late = self.args.minutes is not None and self.minutes() >= self.args.minutes
        return late or self.step >= self.args.steps

    def advance(self) -> dict[str, float]:
        """One step of training; gives the losses."""
        stream = min(self.streams, key=lambda stream: stream.spent / stream.share)
        symmetries = 8 if stream.table.width == stream.table.height else 4
        rng = np.random.default_rng([self.args.seed, self.step])
        rows = stream.rows(self.args.seed)
        batch = data.batch(stream.table, rows, int(rng.integers(symmetries)))
        # Positions that were set up have no last moves: play must not lean on them alone.
        batch.planes[torch.from_numpy(rng.random(len(rows)) < self.args.forget), data.LAST_MOVES] = 0
        batch = Batch(*(to_device(value, self.args.device) for value in vars(batch).values()))
        found = losses(self.net, batch, stream.record_part, self.args.bf16)
        sum(found.values()).backward()
        for optimiser, rate in zip(self.optimisers, self.rates):
            optimiser.param_groups[0]["lr"] = rate * self.rate()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.step += 1
        self.positions += stream.size
        return {f"{stream.name}.{name}": loss.item() for name, loss in found.items()}

    def look(self) -> str:
        """Measures on rows held out, into the log; gives a short line."""
        row = {"step": self.step, "positions": self.positions, "cpu": round(self.cpu, 1)}
        for name, table in self.held.items():
            record = table.labels is None
            for what, value in held_out(self.net, table, record, self.args.look_at).items():
                row[f"{name}.{what}"] = round(value, 5)
        path = self.folder / "curve.csv"
        is_new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, row.keys())
            if is_new:
                writer.writeheader()
            writer.writerow(row)
        return " ".join(f"{name} {value:.4g}" for name, value in row.items())

    def export(self, path: Path) -> None:
        """Writes the float master as it stands."""
        batches = []
        for stream in self.streams:
            rows = np.linspace(0, len(stream.table) - 1, 256).astype(int)
            batches.append(data.batch(stream.table, rows).planes.to(self.args.device))
        export(self.net, str(path), batches, {"recipe": self.args.recipe, "positions": str(self.positions)})
        self.net.train()


def to_device(value: Tensor | None, device: str) -> Tensor | None:
    if value is None:
        return None
    if value.ndim == 4:
        return value.to(device, memory_format=torch.channels_last)
    return value.to(device)


def tables(args: argparse.Namespace) -> tuple[list[Stream], dict[str, Table]]:
    """What to train on, and what to look at."""
    streams, held = [], {}
    if args.records:
        table = Table(args.records, "train")
        streams.append(Stream("records", table, args.shares[0], args.batch, 1.0))
        held["records"] = Table(args.records, "held")
    for share, (folder, labels) in zip(args.shares[1:], args.teacher):
        table = Table(Path(folder), "train")
        table.label(Path(labels))
        # The same number of points in a batch, whatever the board's size.
        size = max(1, args.batch * 361 // table.points)
        name = f"teacher{table.width}"
        from_record = 0.5 if (table.columns["winner"] != 0).any() else 0.0
        streams.append(Stream(name, table, share, size, from_record))
        held[name] = Table(Path(folder), "held")
        held[name].label(Path(labels))
    return streams, held


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, help="samples of game records")
    parser.add_argument("--teacher", nargs=2, action="append", default=[], metavar=("DIR", "LABELS"))
    parser.add_argument("--shares", type=float, nargs="+", default=[0.4, 0.25, 0.35],
                        help="of the time, for the records and each teacher")
    parser.add_argument("--run", type=Path, required=True, help="folder for checkpoints, curve and master")
    parser.add_argument("--steps", type=int, default=1 << 62)
    parser.add_argument("--anneal-steps", type=int, default=0)
    parser.add_argument("--minutes", type=float, help="end by the clock, where the machine's speed is unsure")
    parser.add_argument("--anneal-minutes", type=float, default=0.0)
    parser.add_argument("--batch", type=int, default=64, help="positions of 19x19; more of smaller boards")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--muon", type=float, default=0.02, help="learning rate of the convolutions")
    parser.add_argument("--adam", type=float, default=0.003, help="learning rate of everything else")
    parser.add_argument("--decay", type=float, default=0.01)
    parser.add_argument("--forget", type=float, default=0.05, help="share of positions shown without their last moves")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bf16", action="store_true",
                        help="compute the trunk in bfloat16: faster where the processor has instructions for it")
    parser.add_argument("--look-every", type=int, default=500, help="steps between looks at held-out rows")
    parser.add_argument("--look-at", type=int, default=2048)
    parser.add_argument("--save-every", type=int, default=500)
    parser.add_argument("--start", help="a float master to begin with")
    parser.add_argument("--resume", action="store_true", help="go on from the run's checkpoint")
    parser.add_argument("--recipe", default="training/README.md", help="goes into the master's metadata")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    args = options()
    torch.set_num_threads(args.threads)
    run = Run(args)
    for stream in run.streams:
        print(f"{stream.name}: {len(stream.table)} positions", file=sys.stderr)
    stop = []
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.append(True))
    smooth: dict[str, float] = {}
    bar = tqdm(total=args.steps if args.steps < 1 << 62 else None, initial=run.step, desc="steps", mininterval=5)
    while not run.finished() and not stop:
        start = time.process_time()
        for name, loss in run.advance().items():
            smooth[name] = loss if name not in smooth else 0.98 * smooth[name] + 0.02 * loss
        run.cpu += time.process_time() - start
        bar.update()
        bar.set_postfix({name: f"{value:.3f}" for name, value in smooth.items() if "policy" in name}, refresh=False)
        if run.step % args.save_every == 0:
            run.save()
            run.export(run.folder / "master.safetensors")
        if run.step % args.look_every == 0:
            bar.write(run.look())
    bar.close()
    run.save()
    run.export(run.folder / "master.safetensors")
    print(run.look())


if __name__ == "__main__":
    main()
