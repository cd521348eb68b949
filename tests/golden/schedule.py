"""Writes schedule.json: learning rates as PyTorch's LambdaLR gives them. Run: python3 tests/golden/schedule.py"""

import json
import math
import pathlib

import torch

D_MODEL, FACTOR, WARMUP, STEPS = 64, 0.7, 5, 12
FORMULAS = {
    "noam": lambda step: D_MODEL**-0.5 * min(step**-0.5, step * WARMUP**-1.5),
    "inverse_sqrt": lambda step: min(step / WARMUP, math.sqrt(WARMUP / step)),
    "constant": lambda step: 1.0,
}

golden = {"d_model": D_MODEL, "learning_rate": FACTOR, "warmup_steps": WARMUP, "rates": {}}
for name, formula in FORMULAS.items():
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=FACTOR)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: formula(done + 1))
    rates = []
    for _ in range(STEPS):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    golden["rates"][name] = rates
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(golden) + "\n")
