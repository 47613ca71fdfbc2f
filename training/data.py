"""Samples: tables of positions as `tengen net samples` writes them, and the
batches that are made of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

DTYPES = {"U32": "<u4", "I32": "<i4", "U16": "<u2", "I16": "<i2", "U8": "u1", "I8": "i1", "F32": "<f4"}
UNKNOWN = -1
# The planes of the last moves, in the order of `src/net/features.rs`.
LAST_MOVES = slice(14, 19)


def columns(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The tensors of a safetensors file, mapped rather than read, and its
    metadata."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    about = header.pop("__metadata__", {})
    found = {}
    for name, entry in header.items():
        start, _ = entry["data_offsets"]
        found[name] = np.memmap(path, DTYPES[entry["dtype"]], "r", 8 + length + start, tuple(entry["shape"]))
    return found, about


@dataclass
class Labels:
    """What a teacher says of positions; everything for the player to move."""

    policy: np.ndarray
    """uint8, 255 * sqrt(probability), the pass last."""
    ownership: np.ndarray
    """int8, 100 where the point is the mover's for certain."""
    lead: np.ndarray
    """Points the mover leads by, without komi."""
    win: np.ndarray
    """The mover's probability to win with `own_komi`."""
    own_komi: np.ndarray


def labels(path: Path) -> dict[str, np.ndarray]:
    """A teacher's labels: a file that `teacher.py` wrote, or the folder of a
    `tengen selfplay`."""
    if path.is_dir():
        files = [columns(file)[0] for file in sorted(path.glob("labels-*.safetensors"))]
        if not files:
            raise SystemExit(f"no labels in {path}")
        return {name: np.concatenate([file[name] for file in files]) for name in files[0]}
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


class Table:
    """All rows of one board size, in memory but for the planes."""

    def __init__(self, folder: Path, split: str, size: str | None = None) -> None:
        paths = sorted(folder.glob(f"{size or '*'}-{split}-*.safetensors"))
        if not paths:
            raise SystemExit(f"no samples in {folder}")
        parts = [columns(path) for path in paths]
        about = parts[-1][1]
        self.width, self.height = int(about["width"]), int(about["height"])
        self.sources = about["sources"].split(",")
        self.planes = [part["planes"] for part, _ in parts]
        self.starts = np.cumsum([0] + [len(planes) for planes in self.planes])
        plain = [name for name in parts[0][0] if name != "planes"]
        self.columns = {name: np.concatenate([part[name] for part, _ in parts]) for name in plain}
        self.labels: Labels | None = None

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def points(self) -> int:
        return self.width * self.height

    def bits(self, rows: np.ndarray) -> np.ndarray:
        """The planes of some rows, as bits of a number for each point."""
        out = np.empty((len(rows), self.points), np.uint32)
        file = np.searchsorted(self.starts, rows, "right") - 1
        for i, (at, row) in enumerate(zip(file, rows)):
            out[i] = self.planes[at][row - self.starts[at]]
        return out

    def label(self, path: Path) -> None:
        """Joins the labels of a teacher by game and ply; rows without are
        dropped from `labelled`."""
        stored = labels(path)
        key = stored["game"].astype(np.int64) * 65536 + stored["ply"]
        order = np.argsort(key)
        mine = self.columns["game"].astype(np.int64) * 65536 + self.columns["ply"]
        place = np.clip(np.searchsorted(key[order], mine), 0, len(key) - 1)
        found = order[place]
        if not (key[found] == mine).all():
            raise SystemExit(f"{path} does not label every position")
        sign = np.where(self.columns["black"] == 1, 1, -1)
        komi = stored["komi"][found].astype(np.float32)
        lead = stored["lead"][found].astype(np.float32) / 10
        win = stored["win"][found].astype(np.float32) / 65535
        self.labels = Labels(
            policy=stored["policy"][found],
            ownership=(stored["ownership"][found] * sign[:, None]).astype(np.int8),
            lead=(lead + komi) * sign,
            win=np.where(sign == 1, win, 1 - win),
            own_komi=-komi * sign,
        )


@dataclass
class Batch:
    """Rows of one board size, with the targets that are known."""

    planes: Tensor
    move: Tensor
    reply: Tensor
    policy: Tensor | None
    ownership: Tensor | None
    lead: Tensor
    win: Tensor
    own_komi: Tensor


def symmetric(cells: np.ndarray, symmetry: int) -> np.ndarray:
    """`cells` (N, height, width, ...) turned and mirrored; 0 changes nothing."""
    if symmetry & 4:
        cells = cells.swapaxes(1, 2)
    if symmetry & 1:
        cells = cells[:, ::-1]
    if symmetry & 2:
        cells = cells[:, :, ::-1]
    return cells


def moved(places: np.ndarray, table: Table, symmetry: int) -> np.ndarray:
    """Where points go under a symmetry; the pass and -1 stay."""
    grid = np.arange(table.points).reshape(1, table.height, table.width)
    after = np.empty(table.points, np.int64)
    after[symmetric(grid, symmetry).reshape(-1)] = np.arange(table.points)
    on_board = (places >= 0) & (places < table.points)
    return np.where(on_board, after[np.clip(places, 0, table.points - 1)], places)


def batch(table: Table, rows: np.ndarray, symmetry: int = 0) -> Batch:
    """Rows of a table under one of the eight symmetries, which boards with
    sides of different length have not all."""
    shape = (len(rows), table.height, table.width)
    bits = symmetric(table.bits(rows).reshape(shape), symmetry)
    bytes_ = np.ascontiguousarray(bits).view(np.uint8).reshape(*bits.shape, 4)
    planes = torch.from_numpy(np.unpackbits(bytes_, axis=-1, bitorder="little"))
    column = {name: values[rows] for name, values in table.columns.items()}
    winner = column["winner"].astype(np.float32)
    lead, own_komi = column["margin"], column["own_komi"]
    win = np.where((winner == 0) | np.isnan(own_komi), np.nan, (winner + 1) / 2)
    policy = ownership = None
    if table.labels is not None:
        labels = table.labels
        chance = (labels.policy[rows].astype(np.float32) / 255) ** 2
        board = symmetric(chance[:, :-1].reshape(shape), symmetry).reshape(len(rows), -1)
        chance = np.concatenate([board, chance[:, -1:]], 1)
        policy = torch.from_numpy(chance / chance.sum(1, keepdims=True))
        owner = symmetric(labels.ownership[rows].reshape(shape), symmetry)
        ownership = torch.from_numpy(owner.astype(np.float32) / 100)
        lead, win, own_komi = labels.lead[rows], labels.win[rows], labels.own_komi[rows]
    return Batch(
        # The order in memory is channels last already.
        planes=planes.permute(0, 3, 1, 2).float(),
        move=torch.from_numpy(moved(column["play"].astype(np.int64), table, symmetry)),
        reply=torch.from_numpy(moved(column["reply"].astype(np.int64), table, symmetry)),
        policy=policy,
        ownership=ownership,
        lead=torch.from_numpy(lead.astype(np.float32)),
        win=torch.from_numpy(win.astype(np.float32)),
        own_komi=torch.from_numpy(own_komi.astype(np.float32)),
    )
