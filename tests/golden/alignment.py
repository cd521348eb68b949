"""Writes alignment.json: cross-attention of tiny_model.safetensors in double precision, and the alignments by word that
follow from it. Run: python3 tests/golden/alignment.py
"""

import json
import math
import pathlib

import load_model
import torch
from transformer import Transformer

PAIRS = [("ana baka", "emi dalo"), ("fugo hina joka lemu mo nipa", "mo ana"), ("yoze", "quso ratu sive waxi ana"),
         ("baka emi hina joka", "lemu lemu dalo")]
SITES = {"decoder.0.cross": (0, None), "decoder.1.cross": (1, None), "decoder.1.cross.1": (1, 1)}


class Watched(Transformer):
    """Keeps the weights [H, T, S] of each layer's cross-attention to one sentence."""

    def multi_head_attention(self, x, memory, visible, name):
        if "cross" in name:
            split = lambda y: y.unflatten(-1, (self.config["heads"], -1)).transpose(1, 2)
            query, key = split(self.linear(x, name + ".query")), split(self.linear(memory, name + ".key"))
            self.seen[int(name.split(".")[2])] = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1)[0]
        return super().multi_head_attention(x, memory, visible, name)


def word_numbers(pieces):
    """Of each piece the word in which it stands; a new one begins with U+2581, alone it is in none."""
    numbers, number = [], -1
    for i, piece in enumerate(pieces):
        number += piece.startswith("\u2581") or i == 0
        numbers.append(None if piece == "\u2581" else number)
    return numbers


def pharaoh(weights, source, target):
    links = set()
    for t, row in enumerate(weights.tolist()):
        best = row.index(max(row))
        if best < len(source) and source[best] is not None and target[t] is not None:
            links.add((source[best], target[t]))
    return " ".join(f"{s}-{t}" for s, t in sorted(links))


def main(folder):
    plain, tokenizer, _ = load_model.load(folder / "tiny_model.safetensors")
    model = Watched(plain.config, plain.weights)
    cases = []
    for texts in PAIRS:
        source, target = (tokenizer.encode(text) for text in texts)
        words = [word_numbers([tokenizer.id_to_piece(i) for i in ids]) for ids in (source, target)]
        model.seen = {}
        with torch.no_grad():
            model.log_probabilities(torch.tensor([source + [load_model.EOS]]),
                                    torch.tensor([[load_model.BOS] + target[:-1]]))
        weights = {name: model.seen[layer].mean(0) if head is None else model.seen[layer][head]
                   for name, (layer, head) in SITES.items()}
        cases.append({"source": texts[0], "target": texts[1], "target_ids": target,
                      "sites": {name: {"weights": [[round(x, 9) for x in row] for row in site.tolist()],
                                       "alignment": pharaoh(site, *words)} for name, site in weights.items()}})
    lines = ",\n".join(json.dumps(case) for case in cases)
    (folder / "alignment.json").write_text(f'{{"written_by": "tests/golden/alignment.py", "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(pathlib.Path(__file__).parent)
