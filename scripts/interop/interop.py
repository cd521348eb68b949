"""The command scripts/check_interop.sh: compares gloss's import and export with other programs."""

import argparse
import importlib
import pathlib
import shutil
import sys
import tempfile
import time

ENGINE = pathlib.Path(__file__).resolve().parents[2] / "build/interop/venv310"
CHECKS = ["self", "huggingface", "marian", "ctranslate2", "export", "marian-engine", "firefox", "refusals", "tokenizer",
          "saved", "multi30k"]


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="check_interop.sh", description="Compares `gloss import` and `gloss export` with transformers, "
        "CTranslate2, SentencePiece and a NumPy program with Marian's formulas.")
    parser.add_argument("--count", type=int, default=200, metavar="N",
                        help="random models of each kind (default: %(default)s)")
    parser.add_argument("--multi30k", type=pathlib.Path, metavar="DIR",
                        help="also train on DIR/{train,val,test_2016_flickr}.{en,de} and compare translations")
    parser.add_argument("--epochs", type=int, default=6, metavar="N",
                        help="epochs of the models of Multi30k (default: %(default)s)")
    parser.add_argument("--firefox-text", type=pathlib.Path, metavar="FILE",
                        help="also compare students of full size and their speed, with the first 1,000 lines of FILE")
    parser.add_argument("--firefox-student", type=pathlib.Path, metavar="FILE-OR-DIR",
                        help="with --firefox-text: also a student that gloss trained. FILE: its model in int8 with a "
                        "shortlist and scales of inputs, which is exported. DIR: its export in float32, of which another "
                        "program makes a model of Firefox; with --multi30k")
    parser.add_argument("--marian-conv", metavar="COMMAND",
                        help="write Firefox's models by this program (default: by a Python program)")
    parser.add_argument("--only", action="append", choices=CHECKS, help="only this check; repeatable")
    parser.add_argument("--build", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=pathlib.Path, metavar="DIR",
                        help="keep all models in DIR; models of Multi30k in it are used again (default: a temporary one)")
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    gloss_program = importlib.import_module("gloss_program")  # which needs packages that --help does not
    gloss = gloss_program.GlossProgram(options.build.resolve())
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="gloss-interop-"))
    failures = []
    try:
        for name in dict.fromkeys(options.only or CHECKS):
            if name == "multi30k" and not options.multi30k:
                print("multi30k: skipped, no --multi30k DIR")
                continue
            place = work.resolve() / name
            if name != "multi30k":
                shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True, exist_ok=True)
            start = time.monotonic()
            if name == "self":
                found = importlib.import_module("self_check").main(min(options.count, 50))
            else:
                check = importlib.import_module("check_" + name.replace("-", "_"))
                found = check.main(*{"huggingface": (gloss, place, options.count), "marian": (gloss, place, options.count),
                                     "ctranslate2": (gloss, place, options.count),
                                     "export": (gloss, place, options.count), "refusals": (gloss, place),
                                     "marian-engine": (gloss, place, options.count, ENGINE),
                                     "firefox": (gloss, place, options.count, ENGINE, options.firefox_text,
                                                 options.firefox_student, options.multi30k, options.marian_conv),
                                     "tokenizer": (gloss, place, 10000, options.multi30k),
                                     "saved": (gloss, place, 4000, options.multi30k),
                                     "multi30k": (gloss, place, options.multi30k, options.epochs)}[name])
            print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
            failures += found
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    print(f"check_interop.sh: {'FAILED: ' + str(len(failures)) + ' failures' if failures else 'passed'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
