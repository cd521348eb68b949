"""Models as Firefox ships them: a folder with model.*.intgemm.alphas.bin, vocab.*.spm and lex.*.bin, written without
gloss. The weights are random, or those of a .npz file; marian-conv or marian_files.py writes them in 8 bits."""

import io
import shlex
import struct
import subprocess

import numpy
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

import marian_files
import marian_models
from marian_network import MarianNetwork

STUDENT = {  # what all students have
    "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "", "transformer-ffn-activation": "relu", "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru", "transformer-rnn-projection": False, "transformer-tied-layers": [],
    "transformer-train-positions": False, "transformer-no-projection": False, "transformer-decoder-dim-ffn": 0,
    "output-omit-bias": False, "tied-embeddings": False, "tied-embeddings-src": False, "tied-embeddings-all": True,
    "ulr": False, "version": marian_models.VERSIONS[0]}
SHAPES = {
    "small": {"dim-emb": 64, "transformer-dim-ffn": 64, "enc-depth": 2, "dec-depth": 2, "transformer-heads": 4},
    "tiny11": {"dim-emb": 256, "transformer-dim-ffn": 1536, "enc-depth": 6, "dec-depth": 2, "transformer-heads": 8},
    "base": {"dim-emb": 512, "transformer-dim-ffn": 2048, "enc-depth": 6, "dec-depth": 2, "transformer-heads": 8}}
# The settings of Firefox (translations-engine.worker of mozilla/translations), for bergamot.
SETTINGS = {"gemm-precision": "int8shiftAlphaAll", "max-length-factor": 2.0, "max-length-break": 128,
            "mini-batch-words": 1024}
LEXICAL_MAGIC = 0xF11A48D5013417F5


def random_model(shape, pieces, seed, gain=2):
    """Returns options and weights of a network that writes different words, which depend on the source: with larger
    matrices in the decoder, without biases of the output, and with random signs in the last norm, since a network that
    shares its embeddings with the output prefers the word that it has just written."""
    random = numpy.random.default_rng(seed)
    options = marian_models.options_of(random, **{**STUDENT, **SHAPES[shape], "dim-vocabs": [pieces, pieces]})
    weights = marian_models.weights_of(options, random)
    for name in weights:
        if name.startswith("decoder_l") and marian_files.is_matrix(name):
            weights[name] *= gain
    last = f"decoder_l{options['dec-depth']}_ffn_ffn_ln_"
    weights[last + "scale"] *= random.choice([-1, 1], weights[last + "scale"].shape)
    weights[last + "bias"] *= 0
    weights["decoder_ff_logit_out_b"] *= 0.1
    return options, weights


class Recorder(MarianNetwork):
    """Records the largest magnitude of each matrix's input in each sentence."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.largest = {}

    def record(self, matrix, x):
        self.largest.setdefault(matrix, []).append(float(numpy.abs(x).max()))

    def affine(self, x, prefix, suffix, bias=True):
        self.record(f"{prefix}_W{suffix}", x)
        return super().affine(x, prefix, suffix, bias)

    def leave(self, x, side):
        x = super().leave(x, side)
        if side == "decoder":
            self.record("Wemb" if "Wemb" in self.weights else "decoder_Wemb", x)
        return x


def multipliers(options, weights, pairs):
    """The multipliers of inputs as Marian's program extract_stats computes them, with the two names of the
    output matrix. `pairs` are ids of sources and targets."""
    network = Recorder(options, marian_files.rounded(weights, 8, wemb=True))
    for source, target in pairs:
        network.decode(network.encode(source), target)
    found = {f"{name}_QuantMultA": numpy.array([127 / (numpy.mean(values) + 1.1 * numpy.std(values))], "f4")
             for name, values in network.largest.items()}
    return {**found, "none_QuantMultA": found[next(name for name in found if "Wemb" in name)]}


def train(lines):
    """Returns a SentencePiece model of a text, with Marian's ids."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=8000, model_type="unigram", bos_id=-1, eos_id=0,
        unk_id=1, character_coverage=1.0, minloglevel=2, hard_vocab_limit=False)
    return model.getvalue()


def pad_vocabulary(model, pieces):
    """Adds pieces that no text has to a SentencePiece model, until it has as many as wanted."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    for number in range(pieces - len(proto.pieces)):
        proto.pieces.add(piece=f"▁x{number}q", score=-30 - number / pieces)
    return proto.SerializeToString()


def checksum(data):
    """util::hashMem of Marian over the whole words of 64 bits."""
    result = 0
    for word in numpy.frombuffer(data[:len(data) // 8 * 8], "<u8").tolist():
        result ^= (word + 0x9E3779B9 + (result << 6) + (result >> 2)) & 0xFFFFFFFFFFFFFFFF
    return result


def lexical_bytes(lists, first, best):
    """lex.bin: the target pieces of each source piece; `first` pieces belong to each sentence."""
    offsets = numpy.cumsum([0] + [len(pieces) for pieces in lists]).astype("<u8")
    body = struct.pack("<4Q", first, best, len(offsets), offsets[-1]) + offsets.tobytes()
    body += b"".join(numpy.sort(pieces).astype("<u4").tobytes() for pieces in lists)
    return struct.pack("<2Q", LEXICAL_MAGIC, checksum(body)) + body


def random_lists(pieces, seed, groups=6):
    """Random target pieces of each source piece. Marian fills up the list of a batch to a multiple of 8 by other pieces,
    which would differ from gloss's; lists of whole groups of eight, one of them with the piece itself, need none."""
    random = numpy.random.default_rng(seed)
    count = pieces // 8
    for piece in range(pieces):
        chosen = {piece // 8, *random.choice(count, min(groups, count) - 1, replace=False).tolist()}
        yield numpy.concatenate([8 * group + numpy.arange(8) for group in sorted(chosen)])


def lexical_lists(vocabulary, sources, targets, best=50):
    """The target pieces of each source piece that stand in the same pairs most often, by the squared number of pairs
    divided by those of either piece."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
    size = len(processor)
    pairs = [(numpy.unique(a + [0]), numpy.unique(b + [0]))
             for a, b in zip(processor.encode(sources), processor.encode(targets), strict=True)]
    keys, counts = numpy.unique(numpy.concatenate([(a[:, None] * size + b).ravel() for a, b in pairs]),
                                return_counts=True)
    source, target = keys // size, keys % size
    alone = [numpy.bincount(numpy.concatenate(side), minlength=size) for side in zip(*pairs)]
    scores = counts**2 / (alone[0][source] * alone[1][target])
    order = numpy.lexsort((-scores, source))
    starts = numpy.searchsorted(source[order], numpy.arange(size + 1))
    return [target[order[a:min(a + best, b)]] for a, b in zip(starts, starts[1:])]


def write_folder(folder, options, weights, found_multipliers, vocabulary, lists, first, marian_conv=None):
    """Writes a folder. `vocabulary`: a SentencePiece model, or those of source and target. `marian_conv`: the command of
    the real program. Returns the paths of model, vocabularies and table."""
    folder.mkdir(parents=True)
    model, table = folder / "model.enfr.intgemm.alphas.bin", folder / f"lex.{first}.{first}.enfr.s2t.bin"
    if marian_conv:
        npz = folder / "model.npz"
        marian_files.write_npz(npz, options, {**weights, **found_multipliers})
        subprocess.run([*shlex.split(marian_conv), "--from", npz, "--to", model, "--gemm-type", "intgemm8"], check=True,
                       capture_output=True)
        npz.unlink()
    else:
        marian_files.write_bin(model, options, {**weights, **found_multipliers}, "intgemm8", wemb=True, program="fork")
    names = ["vocab.enfr.spm"] if isinstance(vocabulary, bytes) else ["srcvocab.enfr.spm", "trgvocab.enfr.spm"]
    for name, data in zip(names, [vocabulary] if isinstance(vocabulary, bytes) else vocabulary):
        (folder / name).write_bytes(data)
    table.write_bytes(lexical_bytes(list(lists), first, first))
    return model, [folder / names[0], folder / names[-1]], table


def cut(vocabulary, lines):
    """Ids of lines in Marian, with eos."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
    return [processor.encode(line) + [0] for line in lines]
