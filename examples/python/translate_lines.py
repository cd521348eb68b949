"""translate_lines.py MODEL: translates the lines of stdin to stdout, and prints the first line's tokens on stderr."""

import sys

import gloss

if len(sys.argv) != 2:
    print("usage: translate_lines.py MODEL < input.txt", file=sys.stderr)
    sys.exit(2)
try:
    with gloss.Translator(sys.argv[1], device="cpu", threads=1) as translator:
        lines = sys.stdin.read().splitlines()
        for translation in translator.translate(lines, deadline_ms=600000):
            print(translation.text if translation.candidates else "(out of time)")

        def show(token):
            print(token["piece"], end="\n" if token["end"] else " ", file=sys.stderr)

        translator.translate(lines[:1], beam_size=1, on_token=show)
except gloss.GlossError as error:
    print(error, file=sys.stderr)
    sys.exit(error.code)
