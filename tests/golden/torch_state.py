"""Writes torch_state.bin: a small state dict as torch.save itself writes it.

    python3 tests/golden/torch_state.py
"""

from pathlib import Path

import torch

FOLDER = Path(__file__).parent


def main():
    module = torch.nn.Embedding(4, 3)
    module.weight.data = torch.arange(12, dtype=torch.float32).reshape(4, 3) / 8 - 1
    state = module.state_dict()  # an OrderedDict with _metadata
    matrix = state["weight"]
    state["tied"] = matrix
    state["rows"] = matrix[1:3]
    state["transposed"] = matrix.t()
    state["column"] = matrix[:, 1]
    state["parameter"] = torch.nn.Parameter(torch.tensor([1.5, -2.0]))
    state["half"] = torch.tensor([0.1, -65504, 6e-8], dtype=torch.float16)
    state["bfloat"] = torch.tensor([1.0, -2.0], dtype=torch.bfloat16)
    state["double"] = torch.tensor([[0.1], [1e300]], dtype=torch.float64)
    state["steps"] = torch.tensor([-7, 1 << 40])
    state["codes"] = torch.tensor([-1, 2], dtype=torch.int8)
    state["mask"] = torch.tensor([True, False])
    state["scalar"] = torch.tensor(2.5)
    state["empty"] = torch.zeros(0, 3)
    torch.save(state, FOLDER / "torch_state.bin")


if __name__ == "__main__":
    main()
