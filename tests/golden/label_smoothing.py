"""Writes label_smoothing.json: PyTorch's cross entropy with label smoothing. Run: python3 tests/golden/label_smoothing.py"""

import json
import pathlib

import torch
import torch.nn.functional as F

PAD = 0


def rounded(tensor):
    """Values that are the same in decimal and in float32."""
    return (tensor * 1024).round() / 1024


torch.manual_seed(1)
logits = rounded(torch.randn(8, 7) * 3)
wanted = torch.tensor([3, 0, 6, 1, 0, 5, 2, 4])
cases = []
for epsilon in (0.0, 0.1, 0.4):
    x = logits.double().requires_grad_()
    smoothed = F.cross_entropy(x, wanted, ignore_index=PAD, reduction="sum", label_smoothing=epsilon)
    smoothed.backward()
    nll = F.cross_entropy(x, wanted, ignore_index=PAD, reduction="sum")
    cases.append({"epsilon": epsilon, "smoothed_sum": smoothed.item(), "nll_sum": nll.item(),
                  "gradient": [[round(v, 8) for v in row] for row in x.grad.tolist()]})
golden = {"logits": logits.tolist(), "wanted": wanted.tolist(), "cases": cases}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(golden) + "\n")
