"""Times CTranslate2 on a folder of gloss export; the best of three rounds counts. Ends with one JSON line.

--input has a sentence per line, its pieces separated by spaces. Each translation has --length tokens.
"""

import argparse
import json
import pathlib
import time

import ctranslate2

parser = argparse.ArgumentParser()
for name in ("model", "input", "device", "compute-type"):
    parser.add_argument("--" + name, required=True)
for name in ("beam", "batch", "length"):
    parser.add_argument("--" + name, type=int, required=True)
options = parser.parse_args()
translator = ctranslate2.Translator(options.model, device=options.device, compute_type=options.compute_type)
lines = [line.split() for line in pathlib.Path(options.input).read_text(encoding="utf-8").splitlines()]
best = float("inf")
for _ in range(3):
    start = time.perf_counter()
    results = translator.translate_batch(lines, beam_size=options.beam, max_batch_size=options.batch,
                                         max_input_length=0, min_decoding_length=options.length,
                                         max_decoding_length=options.length)
    best = min(best, time.perf_counter() - start)
tokens = sum(len(result.hypotheses[0]) for result in results)
print(json.dumps({"ctranslate2": ctranslate2.__version__, "compute_type": translator.compute_type,
                  "tokens_per_second": tokens / best}))
