"""Writes foreign_arrays.npz and foreign_arrays_deflated.npz: small arrays as NumPy itself saves them.

    python3 tests/golden/foreign_arrays.py
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent


def main():
    arrays = {
        "Wemb": np.arange(24, dtype=np.float32).reshape(6, 4) / 8 - 1,
        "encoder_l1_ffn_b1": np.linspace(-1, 1, 5, dtype=np.float32).reshape(1, 5),
        "half": np.array([0.1, -65504, 6e-8], dtype=np.float16),
        "double": np.array([[0.1], [1e300]], dtype=np.float64),
        "scalar": np.array(2.5, dtype=np.float32),
        "empty": np.zeros((0, 3), dtype=np.float32),
        "steps": np.array([-7, 1 << 40], dtype=np.int64),
        "special:model.yml": np.frombuffer(b"type: transformer\ndim-emb: 4\n\0", dtype=np.int8),
    }
    np.savez(FOLDER / "foreign_arrays.npz", **arrays)
    np.savez_compressed(FOLDER / "foreign_arrays_deflated.npz", **arrays)


if __name__ == "__main__":
    main()
