"""The texts of the study, made from `gloss make-corpus demo` and, where it is given, Multi30k.

A line of the built-in corpora is one to three sentences of the demo corpus, so that lengths vary.
Folder CORPUS holds
    train.source, train.target      25,000 lines; a setting uses the first of them
    valid.source, valid.target      200 lines
    test.source, test.target        450 lines: 150 of each number of sentences, one to three
    longer.source, longer.target    300 lines of four to six sentences, more than any line of training
    orders.source, orders.target    neighboring lines are two sentences of the same words in another order
    test.groups, longer.groups      the number of sentences of each line
    tokenizer.model                 en-de only: the tokenizer of all its runs
Multi30k has train, valid and test, and the tokenizer.
"""

import collections
import json
import pathlib
import random
import shutil
import struct
import subprocess
import threading

SENTENCES = 50000  # of the training text
ORDER_SENTENCES = 200000  # of the larger text that order pairs are looked for in
MAX_ORDER_PAIRS = 100
TRAINING_SENTENCES = (1, 2, 3)  # in a line
LONGER_SENTENCES = (4, 5, 6)
TEST_LINES, LONGER_LINES, VALID_LINES, TRAIN_LINES = 150, 100, 200, 25000
VOCABULARY = {"en-de": 1000, "multi30k": 2000}
SIDES = ("source", "target")


class CorpusError(Exception):
    """A text cannot be made."""


def read_lines(path):
    return pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1]


def write_lines(path, lines):
    pathlib.Path(path).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def join_sentences(pairs, counts, separator):
    """Lines of counts[0], counts[1], ... sentences from consecutive pairs, as long as there are enough."""
    lines, taken = [], 0
    for count in counts:
        if taken + count > len(pairs):
            break
        group = pairs[taken:taken + count]
        lines.append((" ".join(source for source, _ in group), separator.join(target for _, target in group)))
        taken += count
    return lines


def order_pairs(pairs, excluded):
    """Pairs of statements with the same words in another order, and another translation."""
    by_words = collections.defaultdict(list)
    for source, target in pairs:
        if source.endswith(".") and source not in excluded:
            words = source[:-1].split()
            by_words[tuple(sorted([words[0].lower(), *words[1:]]))].append((source, target))
    found = []
    for group in by_words.values():
        if len(group) > 1 and group[0][1] != group[1][1]:
            found.append((group[0], group[1]))
    return found


class Corpora:
    """Makes each text once, below `folder`."""

    def __init__(self, gloss, folder, multi30k=None):
        self.gloss = gloss
        self.folder = pathlib.Path(folder)
        self.multi30k = pathlib.Path(multi30k) if multi30k else None

    def ensure(self, name):
        """The folder of a corpus, which is made if it is missing."""
        folder = self.folder / name
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if name == "multi30k":
                self._copy_multi30k(folder)
            else:
                self._make_built_in(name, folder)
            if name in VOCABULARY:
                self._train_tokenizer(folder, VOCABULARY[name])
            (folder / "complete").touch()
        return folder

    def first_pairs(self, name, count):
        """The training text of `count` pairs, source and target."""
        folder = self.ensure(name)
        paths = [folder / f"train-{count}.{side}" for side in SIDES]
        for side, path in zip(SIDES, paths):
            if path.exists():
                continue
            lines = read_lines(folder / f"train.{side}")
            if name == "multi30k":  # its lines are not in random order
                lines = [lines[i * len(lines) // count] for i in range(count)]
            temporary = path.with_suffix(f".{threading.get_ident()}.tmp")  # runs side by side may need it, too
            write_lines(temporary, lines[:count])
            temporary.replace(path)
        return paths

    def word_vectors(self):
        """A word2vec file of English pieces: the source embeddings of a model from English to Chinese."""
        path = self.folder / "vectors.txt"
        if not path.exists():
            import plan
            setting = plan.Setting("vectors", "", plan.CHINESE, corpus="en-zh", pairs=TRAIN_LINES)
            run = self.folder / "vectors"
            config = run_file(setting, 1, self)
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "vectors.json").write_text(json.dumps(config), encoding="utf-8")
            self._call("train-translate", "--config", self.folder / "vectors.json", "--out", run, "--overwrite",
                       "--threads", "1", "--quiet")
            tensors = read_safetensors(run / "model.safetensors")
            pieces = tokenizer_pieces(tensors["source_tokenizer.model"][1])
            (rows, width), data = tensors["source_embedding.weight"]
            values = struct.unpack(f"<{rows * width}f", data)
            write_lines(path, [" ".join([piece, *map(str, values[i * width:(i + 1) * width])])
                               for i, piece in enumerate(pieces) if not piece.startswith("<")])
        return path

    def _call(self, *arguments):
        done = subprocess.run([self.gloss, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CorpusError(f"gloss {arguments[0]}: exit code {done.returncode}: {done.stderr.strip()}")

    def _draw(self, pair, size, folder):
        self._call("make-corpus", "demo", "--pair", pair, "--size", size, "--out", folder, "--overwrite", "--quiet")
        return {part: list(zip(*(read_lines(folder / f"{part}.{side}") for side in SIDES)))
                for part in ("train", "valid", "test")}

    def _make_built_in(self, pair, folder):
        separator = "" if pair.endswith("zh") else " "
        drawn = self._draw(pair, SENTENCES, folder / "drawn")
        draw = random.Random(1)
        mixed = (draw.choice(TRAINING_SENTENCES) for _ in range(SENTENCES))
        write_pairs(folder / "train", join_sentences(drawn["train"], mixed, separator)[:TRAIN_LINES])
        mixed = (draw.choice(TRAINING_SENTENCES) for _ in range(VALID_LINES))
        write_pairs(folder / "valid", join_sentences(drawn["valid"], mixed, separator))
        rest = drawn["test"]
        for name, numbers, lines in (("test", TRAINING_SENTENCES, TEST_LINES),
                                     ("longer", LONGER_SENTENCES, LONGER_LINES)):
            counts = [number for number in numbers for _ in range(lines)]
            write_pairs(folder / name, join_sentences(rest, counts, separator))
            write_lines(folder / f"{name}.groups", map(str, counts))
            rest = rest[sum(counts):]
        larger = self._draw(pair, ORDER_SENTENCES, folder / "drawn")
        found = order_pairs(larger["train"], {source for source, _ in drawn["train"]})
        chosen = draw.sample(found, min(MAX_ORDER_PAIRS, len(found)))
        write_pairs(folder / "orders", [sentence for pair_ in chosen for sentence in pair_])
        shutil.rmtree(folder / "drawn")

    def _copy_multi30k(self, folder):
        if self.multi30k is None:
            raise CorpusError("multi30k: wanted --multi30k DIR with {train,val,test_2016_flickr}.{en,de}")
        for part, name in (("train", "train"), ("valid", "val"), ("test", "test_2016_flickr")):
            for side, language in zip(SIDES, ("en", "de")):
                shutil.copyfile(self.multi30k / f"{name}.{language}", folder / f"{part}.{side}")

    def _train_tokenizer(self, folder, size):
        self._call("tokenizer", "train", "--input", folder / "train.source", folder / "train.target", "--output",
                   folder / "tokenizer.model", "--vocabulary-size", size, "--quiet")


def write_pairs(path, pairs):
    for index, side in enumerate(SIDES):
        write_lines(f"{path}.{side}", [pair[index] for pair in pairs])


def run_file(setting, seed, corpora):
    """The run file of a setting as nested sections; paths are absolute."""
    folder = corpora.ensure(setting.corpus)
    train = corpora.first_pairs(setting.corpus, setting.pairs)
    keys = setting.all_keys() | {f"data.train_{side}": str(path.resolve()) for side, path in zip(SIDES, train)}
    keys |= {f"data.valid_{side}": str((folder / f"valid.{side}").resolve()) for side in SIDES}
    if setting.corpus in VOCABULARY:
        keys["tokenizer.model_file"] = str((folder / "tokenizer.model").resolve())
    if setting.vectors:
        keys["training.initial_embeddings.source"] = str(corpora.word_vectors().resolve())
    config = {"seed": seed, "defaults": "fixed"}
    for key, value in keys.items():
        *path, last = key.split(".")
        section = config
        for name in path:
            section = section.setdefault(name, {})
        section[last] = value
    return config


def read_safetensors(path):
    """Maps each tensor's name to its shape and bytes."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header, tensors = json.loads(data[8:8 + length]), {}
    for name, info in header.items():
        if name != "__metadata__":
            first, last = info["data_offsets"]
            tensors[name] = (info["shape"], data[8 + length + first:8 + length + last])
    return tensors


def tokenizer_pieces(model):
    """The pieces of a SentencePiece model by id: field 1 of the message, and field 1 of each of these."""
    return [dict(_fields(value))[1].decode() for number, value in _fields(model) if number == 1]


def _fields(data):
    """Pairs of number and value of a protobuf message; the value is bytes or, if it is a number, an int."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        length = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        yield key >> 3, data[at:at + length]
        at += length
