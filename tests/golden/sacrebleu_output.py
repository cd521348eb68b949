"""Writes sacrebleu_output.json: what the command of sacreBLEU 2.6.0 prints. Run: python3 tests/golden/sacrebleu_output.py

Needs the packages of requirements.txt. The texts come from evaluation_pairs.json and a few sentences more. Where a case
wants a SentencePiece model, sacreBLEU finds in place of the published ones a small one that is trained here of those texts,
pieces.model; it is written only where it is not there.
"""

import json
import os
import pathlib
import random as random_module
import re
import subprocess
import sys
import tempfile

import sacrebleu
import sentencepiece

FOLDER = pathlib.Path(__file__).parent
PLAIN = ["The cat sat on the mat.", "A dog runs through the snow.", "Two women, one in red, are talking.",
         "It's a well-known recipe; isn't it?", "In 2016, 1,234.5 people came at 12:30."]

# Where sacreBLEU keeps the models of --tokenize spm and flores101, flores200, spBLEU-1K.
MODELS = ["sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm", "spbleu-1k_tokenizer_spm.model"]

CASES = [
    ["r1", "-i", "h1"],
    ["r1", "-i", "h1", "-m", "bleu", "chrf", "ter"],
    ["r1", "-i", "h1", "-m", "ter", "chrf", "bleu", "bleu"],
    ["r1", "-i", "h1", "--metrics", "chrf"],
    ["r1", "-i", "h1", "-m", "bleu", "chrf", "ter", "-f", "text"],
    ["r1", "-i", "h1", "-m", "bleu", "chrf", "ter", "--format", "latex", "--short"],
    ["r1", "-i", "h1", "-m", "bleu", "ter", "--short"],
    ["r1", "-i", "h1", "-f", "text", "-sh", "-w", "4"],
    ["r1", "-i", "h1", "-b"],
    ["r1", "-i", "h1", "-b", "-m", "bleu", "chrf", "ter"],
    ["r1", "-i", "h1", "-b", "-m", "bleu", "chrf", "ter", "-f", "text", "-w", "0"],
    ["r1", "-i", "h1", "-w", "12", "-m", "bleu", "chrf", "ter"],
    ["r1", "-i", "h1", "-w", "20", "-f", "text"],
    ["r1", "r2", "r3", "-i", "h1", "-m", "bleu", "chrf", "ter", "-w", "6"],
    ["columns", "--num-refs", "3", "-i", "h1", "-m", "bleu", "chrf", "ter", "-w", "6"],
    ["columns", "-nr", "2", "-i", "h1", "-m", "bleu", "chrf", "ter", "-w", "6"],
    ["r1", "-i", "h1", "-tok", "none", "-s", "floor", "-lc"],
    ["r1", "-i", "h1", "--tokenize", "char", "--smooth-method", "floor", "--smooth-value", "0.25"],
    ["r1", "-i", "h1", "--tokenize", "zh", "--smooth-method", "add-k", "--lowercase", "--force"],
    ["r1", "-i", "h1", "-tok", "intl", "-s", "add-k", "-sv", "2", "-f", "text", "-w", "5"],
    ["r1", "-i", "h1", "-tok", "13a", "-s", "none", "-f", "text", "--short"],
    ["r1", "-i", "h1", "-m", "chrf", "--chrf-char-order", "4", "--chrf-word-order", "2", "--chrf-beta", "3", "-w", "5"],
    ["r1", "-i", "h1", "-m", "chrf", "-cw", "2", "--chrf-whitespace", "--chrf-lowercase", "-w", "5", "-f", "text"],
    ["r1", "-i", "h1", "-m", "chrf", "-cc", "3", "--chrf-eps-smoothing", "-w", "5", "-f", "text", "-sh"],
    ["r1", "-i", "h1", "-m", "ter", "--ter-case-sensitive", "--ter-normalized", "-w", "5"],
    ["r1", "-i", "h1", "-m", "ter", "--ter-no-punct", "--ter-asian-support", "-w", "5", "-f", "text", "-sh"],
    ["r1", "-i", "h1", "-sl"],
    ["r1", "r2", "-i", "h1", "--sentence-level", "-w", "7", "--short"],
    ["r1", "-i", "h1", "-sl", "-m", "chrf", "-b", "-w", "9"],
    ["r1", "-i", "h1", "-sl", "-m", "ter", "-w", "3"],
    ["r1", "-i", "h1", "-m", "bleu", "chrf", "ter", "--confidence", "--confidence-n", "40", "-w", "4"],
    ["r1", "-i", "h1", "-m", "bleu", "chrf", "ter", "-ci", "-cin", "25", "-w", "3", "-f", "text"],
    ["r1", "r2", "-i", "h1", "-m", "bleu", "ter", "-ci", "-cin", "25", "-b", "-f", "text"],
    ["r1", "-i", "h1", "-ci", "-sh", "-f", "text"],
    ["r1", "-i", "r1", "-m", "bleu", "chrf", "ter", "-ci", "-cin", "10", "-f", "text"],
    ["r1", "-i", "r1", "-m", "bleu", "chrf", "ter", "-ci", "-cin", "10", "-f", "text", "-b"],
    ["r1", "-i", "h1", "h2", "h3"],
    ["r1", "-i", "h1", "h2", "-m", "ter", "chrf", "bleu", "-w", "3"],
    ["r1", "-i", "h1", "h2", "h3", "-m", "bleu", "chrf", "ter", "-f", "text"],
    ["r1", "r2", "-i", "h1", "a much longer name of a system Ü", "-m", "bleu", "chrf", "-f", "text", "-w", "4", "-sh"],
    ["r1", "-i", "h1", "under_score & more #1", "-m", "bleu", "ter", "-f", "latex"],
    ["r1", "-i", "h1", "a much longer name of a system Ü"],
    ["r1", "-i", "h1", "h2", "h3", "--paired-bs", "--paired-bs-n", "50", "-m", "bleu", "chrf", "ter", "-f", "text"],
    ["r1", "-i", "h1", "h2", "h3", "--paired-ar", "--paired-ar-n", "50", "-m", "ter", "bleu", "chrf", "-f", "text"],
    ["r1", "r2", "-i", "h1", "h2", "-pbs", "-pbsn", "30", "-m", "bleu", "chrf", "-f", "latex", "-w", "3"],
    ["r1", "-i", "h1", "a much longer name of a system Ü", "-par", "-parn", "30", "-m", "bleu", "ter", "-f", "latex", "-sh"],
    ["r1", "-i", "h1", "h2", "-par", "-parn", "60", "-m", "bleu", "chrf", "ter"],
    ["r1", "-i", "h1", "h2", "-pbs", "-pbsn", "60"],
    ["r1", "-i", "h1", "h2", "-pbs", "-f", "text", "-w", "2", "--no-color"],
    ["r1", "-i", "h1", "h2", "--paired-ar", "-m", "bleu", "chrf", "-f", "text", "-q"],
    ["r1", "-i", "h1", "-tok", "spm"],
    ["r1", "r2", "-i", "h1", "--tokenize", "flores200", "-lc", "-f", "text", "-w", "6"],
    ["r1", "-i", "h1", "-tok", "spBLEU-1K", "-sl", "-w", "5", "-sh"],
    ["r1", "-i", "h1", "h2", "h3", "-tok", "flores101", "-f", "text", "-pbs", "-pbsn", "20"],
    ["r1"],
    ["r1", "-m", "chrf", "ter", "-f", "text"],
]
FROM_STDIN = [
    ["r1", "-f", "text"],
    ["r1", "-f", "text", "-pbs", "-pbsn", "20"],
    ["r1", "--paired-ar", "--paired-ar-n", "20"],
    ["r1", "-f", "text", "-m", "bleu", "chrf", "--chrf-whitespace", "-tok", "none", "-w", "6"],
]


def noisy(random, line):
    words = [word for word in line.split(" ") if random.random() > 0.08]
    for _ in range(random.randint(0, 2)):
        first, second = random.randrange(len(words) + 1), random.randrange(len(words) + 1)
        words[first:first] = words[second:second + 2]
    return " ".join(words)


def texts():
    random = random_module.Random(7)
    pairs = json.loads((FOLDER / "evaluation_pairs.json").read_text(encoding="utf-8"))["pairs"]
    clean = lambda text: " ".join((text or "").replace("\0", "").replace("\ufeff", "").split("\n"))
    rows = [(clean(pair["hypothesis"]), [clean(text) for text in pair["references"]]) for pair in pairs[::3]]
    rows += [(noisy(random, line), [line, noisy(random, line)]) for line in PLAIN * 4]
    first = [references[0] for _, references in rows]
    others = [[references[k] if len(references) > k and references[k] else references[0] for _, references in rows]
              for k in (1, 2)]
    column = lambda text: text.replace("\t", " ")
    hypotheses = [hypothesis for hypothesis, _ in rows]
    files = {"r1": first, "r2": others[0], "r3": others[1], "h1": hypotheses,
             "h2": [noisy(random, line) for line in hypotheses], "h3": [noisy(random, line) for line in first],
             "columns": ["\t".join([column(a), column(b), column(c) or "x"]) for a, b, c in zip(first, *others)]}
    files["a much longer name of a system Ü"] = files["h3"]
    files["under_score & more #1"] = files["h2"]
    # Something at the end of each column, since white space at the end of a line is dropped, tabs included.
    files["columns"] = [line if not line[-1].isspace() else line + "." for line in files["columns"]]
    files["tabbed systems"] = ["\t".join(column(text).rstrip() + "." for text in row)
                               for row in zip(hypotheses, files["h2"])]
    # The first line is read in another way than the others.
    files["tabbed systems"][0] = files["tabbed systems"][0].replace("\t", " \t ")
    return {name: "".join(line + ("\r\n" if name == "r2" else "\n") for line in lines) for name, lines in files.items()}


def without_remarks(output):
    """Without what the table of a paired test says about such tests, which gloss says in words of its own."""
    return re.sub(r" - Each system is.*?(?=-{17}\nMetric signatures)", "", output, flags=re.S)


def piece_model(lines):
    path = FOLDER / "pieces.model"
    if not path.exists():
        with open(path, "wb") as file:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(lines), model_writer=file, vocab_size=400, character_coverage=0.98,
                model_type="unigram", normalization_rule_name="identity", num_threads=1)
    return path.read_bytes()


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    files = texts()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SACREBLEU", "NO_COLOR"))}
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_bytes(text.encode("utf-8"))
        models = pathlib.Path(folder, "kept", "models")
        models.mkdir(parents=True)
        for name in MODELS:
            (models / name).write_bytes(piece_model("".join(files[name] for name in ("r1", "h1")).split("\n")))
        environment["SACREBLEU"] = str(models.parent)
        for arguments, stdin in [(case, "h1" if "-i" not in case else None) for case in CASES] + \
                                [(case, "tabbed systems") for case in FROM_STDIN]:
            result = subprocess.run([sys.executable, "-m", "sacrebleu", *arguments], cwd=folder, env=environment,
                                    input=files[stdin].encode("utf-8") if stdin else b"", capture_output=True, check=False)
            if result.returncode != 0:
                sys.exit(f"{arguments}\n{result.stderr.decode()}")
            cases.append({"arguments": arguments, "stdin": stdin, "output": without_remarks(result.stdout.decode("utf-8"))})
    result = {"made_by": "tests/golden/sacrebleu_output.py with sacreBLEU " + sacrebleu.__version__, "files": files,
              "cases": cases}
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
