"""The network: a small residual one for every board size, and its export.

Inputs are planes of zeros and ones (see `src/net/features.rs`); what comes out
is from the point of view of the player to move.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

PLANES = 32
HIDDEN = 32
"""Width of the dense layer behind the pooled trunk."""
LEAST_RANGE = 0.01
SCALE_FACTOR, SCALE_LEAST = 3.0, 0.5
"""scale = softplus(raw) * SCALE_FACTOR + SCALE_LEAST, in points."""


class Output(NamedTuple):
    """What the network says of a batch of N positions of S x S points."""

    policy: Tensor
    """N x (S * S + 1) logits, the pass last."""
    reply: Tensor
    """N x (S * S) logits of the opponent's reply; used in training alone."""
    ownership: Tensor
    """N x S x S, +1 where the point will be the mover's."""
    score: Tensor
    """N, points the mover will be ahead by area, without komi."""
    scale: Tensor
    """N, how many points of score make a sure win."""

    def win_logit(self, own_komi: Tensor) -> Tensor:
        """Log odds that the mover wins. `own_komi` is +komi for White."""
        return (self.score + own_komi) / self.scale


class Block(nn.Module):
    """Two convolutions, added to what came in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        middle = self.conv1(x).relu_()
        return middle, self.conv2(middle).add_(x).relu_()


class Net(nn.Module):
    """The whole network."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.channels, self.blocks = channels, blocks
        self.stem = nn.Conv2d(PLANES, channels, 5, padding=2)
        self.tower = nn.ModuleList(Block(channels) for _ in range(blocks))
        self.policy = nn.Conv2d(channels, 1, 1)
        self.reply = nn.Conv2d(channels, 1, 1)
        self.ownership = nn.Conv2d(channels, 1, 1)
        self.hidden = nn.Linear(channels, HIDDEN)
        self.final = nn.Linear(HIDDEN, 3)
        self.start()

    def start(self) -> None:
        """Initial weights. There is no normalisation, as batches of several
        board sizes would each be normalised differently; so every block
        begins by adding little."""
        nn.init.kaiming_normal_(self.stem.weight, nonlinearity="relu")
        with torch.no_grad():
            self.stem.weight *= 2.0  # most planes are zero at most points
        for block in self.tower:
            nn.init.kaiming_normal_(block.conv1.weight, nonlinearity="relu")
            nn.init.kaiming_normal_(block.conv2.weight, nonlinearity="relu")
            with torch.no_grad():
                block.conv2.weight *= 0.3
        for head in (self.policy, self.reply, self.ownership, self.final):
            nn.init.normal_(head.weight, std=0.02)
        for layer in self.modules():
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                nn.init.zeros_(layer.bias)

    def stages(self, planes: Tensor) -> dict[str, Tensor]:
        """The outputs of every rectifier, by the name of its range."""
        x = self.stem(planes).relu_()
        found = {"stem": x}
        for i, block in enumerate(self.tower):
            middle, x = block(x)
            found[f"block.{i}.mid"], found[f"block.{i}.out"] = middle, x
        return found

    def forward(self, planes: Tensor) -> Output:
        x = self.stem(planes).relu_()
        for block in self.tower:
            x = block(x)[1]
        with torch.autocast(planes.device.type, enabled=False):
            return self.heads(x.float())

    def heads(self, x: Tensor) -> Output:
        """What the trunk's last layer, in full precision, amounts to."""
        ownership = torch.tanh(self.ownership(x)[:, 0])
        pooled = self.final(F.relu(self.hidden(x.mean(dim=(2, 3)))))
        points = x.shape[2] * x.shape[3]
        score = ownership.sum(dim=(1, 2)) + pooled[:, 1] * points**0.5
        scale = F.softplus(pooled[:, 2]) * SCALE_FACTOR + SCALE_LEAST
        policy = torch.cat([self.policy(x).flatten(1), pooled[:, :1]], dim=1)
        return Output(policy, self.reply(x).flatten(1), ownership, score, scale)


@torch.no_grad()
def export(net: Net, path: str, calibration: list[Tensor], about: dict[str, str]) -> None:
    """Writes the float master.

    `calibration` are batches of planes, from which the range of every
    rectifier is taken: the 99.9th percentile of its outputs. `about` goes into
    the file's metadata.
    """
    net.eval()
    tensors: dict[str, Tensor] = {}

    def put(name: str, layer: nn.Module) -> None:
        tensors[f"{name}.weight"] = layer.weight.float().contiguous().clone()
        tensors[f"{name}.bias"] = layer.bias.float().contiguous().clone()

    put("stem", net.stem)
    for i, block in enumerate(net.tower):
        put(f"block.{i}.conv1", block.conv1)
        put(f"block.{i}.conv2", block.conv2)
    for name in ("policy", "reply", "ownership", "hidden", "final"):
        put(name, getattr(net, name))
    for name, value in ranges(net, calibration).items():
        tensors[f"range.{name}"] = torch.tensor(value)
    about = {"channels": str(net.channels), "blocks": str(net.blocks), **about}
    save_file({name: tensor.cpu() for name, tensor in tensors.items()}, path, metadata=about)


@torch.no_grad()
def revive(net: Net, planes: Tensor) -> list[int]:
    """Begins anew every block that adds nothing because its first rectifier
    never fires on `planes`; gives their numbers. What the network says stays
    the same until it is trained on."""
    stages = net.stages(planes)
    dead = [i for i in range(net.blocks) if not stages[f"block.{i}.mid"].any()]
    for i in dead:
        block = net.tower[i]
        nn.init.kaiming_normal_(block.conv1.weight, nonlinearity="relu")
        nn.init.zeros_(block.conv1.bias)
        nn.init.zeros_(block.conv2.weight)
    return dead


@torch.no_grad()
def ranges(net: Net, batches: list[Tensor]) -> dict[str, float]:
    """The 99.9th percentile of every rectifier's outputs, the greatest of all
    batches."""
    found: dict[str, float] = {}
    for planes in batches:
        for name, x in net.stages(planes).items():
            values = x.flatten()
            top = values.kthvalue(max(1, int(0.999 * values.numel()))).values.item()
            # A rectifier that never fires still needs a range above zero.
            found[name] = max(found.get(name, LEAST_RANGE), top)
    return found


def load(path: str) -> Net:
    """The network of a float master, to go on training or to test."""
    with safe_open(path, "pt") as file:
        about = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    net = Net(int(about["channels"]), int(about["blocks"]))
    state = {}
    for name, tensor in tensors.items():
        if not name.startswith("range."):
            state[name.replace("block.", "tower.")] = tensor
    net.load_state_dict(state)
    return net
