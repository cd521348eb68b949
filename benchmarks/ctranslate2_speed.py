"""Yardstick: CTranslate2 on the weights of a model that `gloss export --to ctranslate2` wrote. Ends with one JSON line.

    build/figures/bin/python benchmarks/ctranslate2_speed.py --model EXPORTED --input val.en --beam 5

Times translate_batch without tokenizing and loading, as decode_speed does: the best of --repeat rounds counts. Each of
--workers has one thread and batches of its own, as gloss's threads have; this is faster than a worker of two threads.
"""

import argparse
import json
import time

import ctranslate2
import sentencepiece


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="exported folder")
    parser.add_argument("--input", required=True, help="source text, a sentence a line")
    parser.add_argument("--lines", type=int, help="only the first lines")
    for name, default in (("beam", 5), ("batch", 64), ("workers", 2), ("repeat", 3)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--compute-type", default="float32")
    options = parser.parse_args()
    pieces = sentencepiece.SentencePieceProcessor(model_file=f"{options.model}/tokenizer.model")
    translator = ctranslate2.Translator(options.model, compute_type=options.compute_type, inter_threads=options.workers,
                                        intra_threads=1)
    with open(options.input, encoding="utf-8") as file:
        sources = pieces.encode([line.rstrip("\n") for line in file][:options.lines], out_type=str)
    best = float("inf")
    for _ in range(options.repeat):
        begin = time.perf_counter()
        found = translator.translate_batch(sources, beam_size=options.beam, max_batch_size=options.batch,
                                           length_penalty=1)
        best = min(best, time.perf_counter() - begin)
    tokens = sum(len(result.hypotheses[0]) for result in found)
    print(json.dumps({"compute_type": translator.compute_type, "sentences_per_second": len(sources) / best,
                      "tokens_per_second": tokens / best}))


if __name__ == "__main__":
    main()
