#!/usr/bin/env python3
"""Measures how often gloss serve detects the language of a few words.

    benchmarks/language_detection.py --gloss build/release/app/gloss --model runs/multi30k --folder texts

The texts are the translations of Debian's guides, whose packages are fetched by apt-get into --folder. Runs of words of
a paragraph (runs of characters in Chinese and Japanese) are sent to /detect of a server for all languages and of
servers for English and one language (German for English); any model will do, since none translates. Prints a table of
shares in percent: the right language and, in parentheses, no language that is served.
"""
import argparse
import html
import http.client
import json
import pathlib
import random
import re
import signal
import subprocess

PACKAGES = {"de": "debian-faq-de", "en": "debian-faq", "es": "debian-reference-es",
            "fr": "debian-faq-fr", "id": "debian-reference-id", "it": "debian-faq-it", "ja": "debian-faq-ja",
            "ko": "debian-faq-ko", "nl": "debian-faq-nl", "pt": "debian-faq-pt", "ru": "debian-faq-ru",
            "vi": "maint-guide-vi", "zh": "debian-faq-zh-cn"}
ENGLISH = ["debian-faq", "debian-reference-en", "maint-guide"]  # their words show what was not translated
LENGTHS = {False: (1, 3, 10), True: (2, 6, 20)}  # words, or characters of languages without spaces
IDEOGRAPHIC = ("ja", "zh")


def paragraphs(package, folder):
    """Returns the texts of the elements p, whose parts in computer type are cut out."""
    place = folder / package
    if not place.exists():
        subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True)
        archive = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive, place], check=True)
    found = []
    for file in sorted(place.rglob("*.html")):
        text = re.sub(r"(?s)<(code|tt|pre|dl)\b.*?</\1>", "\0", file.read_text(encoding="utf-8"))
        for paragraph in re.findall(r"(?s)<p>(.*?)</p>", text):
            found += [" ".join(html.unescape(part).split()) for part in re.sub(r"<[^>]*>", "", paragraph).split("\0")]
    return found


def is_word(word):
    return re.fullmatch(r"[^\W\d_]+(['’-][^\W\d_]+)*", word) is not None


def runs(texts, length, has_spaces, common, count, generator):
    """Returns `count` runs of words without digits, one of which at least is not common to many languages."""
    found = []
    while len(found) < count:
        units = generator.choice(texts)
        units = [unit.strip(".,;:!?()\"«»„“”") for unit in units.split()] if has_spaces else units
        if len(units) < length:
            continue
        begin = generator.randrange(len(units) - length + 1)
        run = units[begin:begin + length]
        if has_spaces and all(map(is_word, run)) and any(word.lower() not in common for word in run):
            found.append(" ".join(run))
        elif not has_spaces and not re.search(r"[\x00-\x7f]", run):
            found.append(run)
    return found


class Server:
    """gloss serve for English and other languages."""

    def __init__(self, options, languages):
        models = [f"--model={pair}={options.model}" for code in languages if code != "en"
                  for pair in (f"{code}-en", f"en-{code}")]
        self.process = subprocess.Popen([options.gloss, "serve", *models, "--listen", "127.0.0.1:0"],
                                        stderr=subprocess.PIPE, text=True)
        address = next(line for line in self.process.stderr if "listening to" in line).split()[-1]
        self.connection = http.client.HTTPConnection(address)

    def detect(self, text):
        """Returns the language, or nothing if it was not found."""
        self.connection.request("POST", "/detect", json.dumps({"q": text}), {"Content-Type": "application/json"})
        first = json.load(self.connection.getresponse())[0]
        return first["language"] if first["confidence"] > 0 else None

    def shares(self, texts, code):
        found = [self.detect(text) for text in texts]
        return [100 * found.count(value) / len(texts) for value in (code, None)]

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gloss", default="build/release/app/gloss")
    parser.add_argument("--model", required=True)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=300)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)

    english = {word for package in ENGLISH for text in paragraphs(package, options.folder) for word in text.split()}
    texts = {code: [text for text in paragraphs(package, options.folder)
                    if code == "en" or 2 * sum(word in english for word in text.split()) < len(text.split())]
             for code, package in PACKAGES.items()}
    words = {code: {word.lower() for text in texts[code] for word in text.split()} for code in texts}
    common = {word for word in words["en"] if sum(word in others for others in words.values()) > 5}  # Debian, Linux
    generator = random.Random(1)
    samples = {code: [runs(texts[code], length, code not in IDEOGRAPHIC, common, options.runs, generator)
                      for length in LENGTHS[code in IDEOGRAPHIC]] for code in texts}

    def row(server, code):
        return ["{:.0f} ({:.0f})".format(*server.shares(sample, code)) for sample in samples[code]]

    everything = Server(options, PACKAGES)
    print("| language | all, 1 | 3 | 10 | two, 1 | 3 | 10 |\n|---|---|---|---|---|---|---|")
    for code in PACKAGES:
        pair = Server(options, ["de" if code == "en" else code])
        print("|", " | ".join([code, *row(everything, code), *row(pair, code)]), "|", flush=True)
        pair.close()
    everything.close()


if __name__ == "__main__":
    main()
