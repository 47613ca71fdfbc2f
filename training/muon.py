"""Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural
networks"): momentum whose matrices are made orthogonal before each step."""

from __future__ import annotations

import torch
from torch import Tensor


def orthogonal(matrix: Tensor, rounds: int = 5) -> Tensor:
    """A matrix near the orthogonal one closest to `matrix`, by the quintic
    Newton-Schulz iteration with Jordan's coefficients."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / (matrix.norm() + 1e-7)
    if x.shape[0] > x.shape[1]:
        return orthogonal(x.T, rounds).T
    for _ in range(rounds):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x


class Muon(torch.optim.Optimizer):
    """For weights of two or more dimensions; convolutions count as matrices
    with a row for each output."""

    def __init__(self, params, lr: float, momentum: float = 0.95, weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                state = self.state[param]
                if not state:
                    state["momentum"] = torch.zeros_like(param)
                momentum = state["momentum"]
                momentum.lerp_(param.grad, 1 - group["momentum"])
                ahead = param.grad.lerp(momentum, group["momentum"])
                step = orthogonal(ahead.flatten(1)).view_as(param)
                param.mul_(1 - group["lr"] * group["weight_decay"])
                param.add_(step, alpha=-group["lr"])
