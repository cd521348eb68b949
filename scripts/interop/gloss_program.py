"""Calls gloss, and gloss_print_logits of its tests, and reads gloss's model files."""

import json
import pathlib
import subprocess
import unicodedata

import numpy
import sentencepiece
from safetensors import safe_open

MAGIC = b"gloss-mapped-tokenizer 1\n"
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")


class GlossError(RuntimeError):
    def __init__(self, command, code, message):
        super().__init__(f"{' '.join(map(str, command))}: exit code {code}: {message.strip()}")
        self.code, self.message = code, message


class GlossProgram:
    def __init__(self, build):
        self.gloss = pathlib.Path(build) / "app/gloss"
        self.print_logits = pathlib.Path(build) / "tests/interchange/golden/gloss_print_logits"

    def run(self, *arguments, text="", program=None):
        """Returns stdout as bytes. Throws GlossError."""
        command = [program or self.gloss, *arguments]
        done = subprocess.run(list(map(str, command)), input=text.encode(), capture_output=True)
        if done.returncode:
            raise GlossError(command, done.returncode, done.stderr.decode(errors="replace"))
        return done.stdout

    def import_model(self, path, output, *options):
        return self.run("import", path, "--output", output, *options).decode()

    def export(self, model, format_name, output, *options):
        return self.run("export", "--model", model, "--to", format_name, "--output", output, *options).decode()

    def translate(self, model, lines, *options):
        text = self.run("translate", "--model", model, *options, text="".join(line + "\n" for line in lines))
        return text.decode().split("\n")[:-1]

    def logits(self, model, pairs, path="inference"):
        """[T + 1, V] for each pair of source ids (eos last) and T target ids."""
        text = "".join(" ".join(map(str, s)) + "\t" + " ".join(map(str, t)) + "\n" for s, t in pairs)
        values = numpy.frombuffer(self.run(model, path, text=text, program=self.print_logits), "<f4")
        rows = [len(target) + 1 for _, target in pairs]
        values = values.reshape(sum(rows), -1)
        return numpy.split(values, numpy.cumsum(rows)[:-1])

    def search(self, model, pairs, beam, length, path="inference"):
        """The best hypothesis for each pair of source ids and first target ids: ids, length, log_probability."""
        text = "".join(" ".join(map(str, s)) + "\t" + " ".join(map(str, t)) + "\n" for s, t in pairs)
        lines = self.run(model, path, beam, length, text=text, program=self.print_logits).decode().splitlines()
        return [json.loads(line) for line in lines]


class ModelFile:
    """Configuration, weights and vocabularies of a gloss model."""

    def __init__(self, path):
        with safe_open(path, "numpy") as file:
            self.config = json.loads(file.metadata()["config"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}
        tokenizers = {name: tensors.pop(name).tobytes() for name in list(tensors) if name.endswith("tokenizer.model")}
        self.weights, self.tokenizers = tensors, tokenizers
        sides = [tokenizers.get("tokenizer.model", tokenizers.get(side + "_tokenizer.model"))
                 for side in ("source", "target")]
        self.source_pieces, self.target_pieces = map(pieces_of, sides)


def pieces_of(tokenizer):
    """The spelling of each id of a tokenizer in a model file."""
    if tokenizer.startswith(MAGIC):
        return json.loads(tokenizer[len(MAGIC):tokenizer.index(b"\n", len(MAGIC))])["pieces"]
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


def id_map(tokens, pieces):
    """gloss's id of each id of another vocabulary, by spelling; -1 where gloss has none."""
    known = {piece: i for i, piece in enumerate(pieces) if i >= len(SPECIAL)}
    known |= {piece: i for i, piece in enumerate(SPECIAL)}
    return numpy.array([known.get(token, -1) for token in tokens])


def printable(text):
    return "".join(c if unicodedata.category(c)[0] != "C" else "?" for c in text)
