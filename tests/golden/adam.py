"""Writes adam.json: ten updates of PyTorch's Adam, and its clipping of gradients. Run: python3 tests/golden/adam.py"""

import json
import pathlib

import torch


def rounded(tensor):
    """Values that are the same in decimal and in float32."""
    return (tensor * 1024).round() / 1024


torch.manual_seed(2)
start = [rounded(torch.randn(2, 3)), rounded(torch.randn(17))]
rates = [0.01, 0.02, 0.03, 0.04, 0.05, 0.05, 0.04, 0.03, 0.02, 0.01]
gradients = [[rounded(torch.randn(p.shape)) * 2.0 ** -(step % 5 * 3) for p in start] for step in range(10)]

runs = []
for beta1, beta2, epsilon in ((0.9, 0.98, 1e-9), (0.8, 0.999, 0.05)):
    parameters = [p.clone().requires_grad_() for p in start]
    optimizer = torch.optim.Adam(parameters, lr=1.0, betas=(beta1, beta2), eps=epsilon)
    after = []
    for rate, step_gradients in zip(rates, gradients):
        optimizer.param_groups[0]["lr"] = rate
        for parameter, gradient in zip(parameters, step_gradients):
            parameter.grad = gradient.clone()
        optimizer.step()
        after.append([p.detach().flatten().tolist() for p in parameters])
    runs.append({"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "after": after})

clipping = []
for clip_norm in (0.5, 2.0, 100.0):
    parameters = [p.clone().requires_grad_() for p in start]
    for parameter, gradient in zip(parameters, gradients[0]):
        parameter.grad = gradient / 4
    norm = torch.nn.utils.clip_grad_norm_(parameters, clip_norm)
    clipping.append({"clip_norm": clip_norm, "factor": 0.25, "norm": norm.item(),
                     "clipped": [p.grad.flatten().tolist() for p in parameters]})

golden = {"start": [p.tolist() for p in start], "rates": rates,
          "gradients": [[g.tolist() for g in step] for step in gradients], "runs": runs, "clipping": clipping}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(golden) + "\n")
