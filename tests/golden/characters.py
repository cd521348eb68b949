"""Writes characters.json: sums over what Python's str.lower() and sacreBLEU's tokenizers make of code points in several
surroundings, for each 4,096 of all that have a use. Versions: requirements.txt. Run: python3 tests/golden/characters.py"""

import hashlib
import json
import pathlib

import sacrebleu
from sacrebleu.metrics.bleu import _get_tokenizer

BLOCK = 4096
BEGINS = [*range(0, 0x32000, BLOCK), 0xE0000, 0xF0000, 0x10F000]


def sum_of(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    tokenizers = {name: _get_tokenizer(name)() for name in ("13a", "intl", "zh", "char", "none")}
    blocks = []
    for begin in BEGINS:
        characters = [chr(c) for c in range(begin, begin + BLOCK) if not 0xD800 <= c < 0xE000]
        text = "".join(f"{c}a{c}1{c}{c} 2{c}3 A{c}Σ{c}B A{c}Σ{c} ,{c}.5{c}," for c in characters)
        block = {name: sum_of(" ".join(tokenize(text).split())) for name, tokenize in tokenizers.items()}
        blocks.append({"begin": begin, "lower": sum_of(text.lower()), **block})
    text = '{"made_by": "tests/golden/characters.py", "blocks": [\n' + ",\n".join(map(json.dumps, blocks)) + "\n]}\n"
    pathlib.Path(__file__).with_suffix(".json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
