"""Random Marian files against gloss's import: NumPy (marian_network.py) and CTranslate2's own converter."""

import numpy

import ctranslate2_models
import marian_files
import marian_models
from comparison import Summary, relative, same_search
from gloss_program import GlossError, ModelFile, id_map
from marian_network import MarianNetwork, log_softmax

LENGTH = 14
KINDS = ["npz", "compressed npz", "float32", "intgemm8", "intgemm16"]
RULES = "#!/bin/bash\n# preprocess.sh SOURCE-LANGUAGE TARGET-LANGUAGE SPM\n"


def write_package(folder, random, kind, options, weights, models, tokens):
    """Writes a package like those of OPUS-MT. Returns what to import and the weights that the file stores."""
    folder.mkdir(parents=True)
    (folder / "source.spm").write_bytes(models[0])
    (folder / "target.spm").write_bytes(models[1])
    names = ["model.vocab.yml"] * 2
    if tokens[0] is not tokens[1]:
        names = ["model.src.vocab.yml", "model.trg.vocab.yml"]
    for name, side in zip(names, tokens):
        marian_files.write_vocabulary(folder / name, side)
    if "npz" in kind:
        marian_files.write_npz(folder / "model.npz", options, weights, compressed=kind.startswith("compressed"))
        model = "model.npz"
    else:
        wemb = bool(random.random() < 0.5)
        marian_files.write_bin(folder / "model.bin", options, weights, kind, wemb, alphas=bool(random.random() < 0.5),
                               program="fork" if wemb else "marian")
        model = "model.bin"
        if kind != "float32":
            weights = marian_files.rounded(weights, int(kind[7:]), wemb)
    marian_files.write_decoder(folder / "decoder.yml", model, names)
    return folder, weights


def check_model(gloss, folder, seed, summary):
    random = numpy.random.default_rng(seed)
    options = marian_models.options_of(random)
    languages = ["deu", "fra"] if random.random() < 0.2 else []
    models, tokens = marian_models.vocabularies_of(options, seed, languages)
    options["dim-vocabs"] = [len(side) for side in tokens]
    options["transformer-rnn-projection"] = False
    weights = marian_models.weights_of(options, random, legacy_output=bool(random.random() < 0.3))
    kind = KINDS[seed % len(KINDS)]
    place, weights = write_package(folder / f"marian-{seed}", random, kind, options, weights, models, tokens)
    name = f"{kind}, seed {seed}"
    source = random.integers(1, len(tokens[0]), random.integers(1, 12)).tolist()
    target = random.integers(1, len(tokens[1]), random.integers(0, 10)).tolist()
    for title, flags, network in (
            ("Marian's formulas", [], MarianNetwork(options, weights)),
            ("CTranslate2's formulas", ["--formulas", "huggingface"], MarianNetwork(options, weights, "paper", 1e-5, True))):
        output = place / f"{title[:6]}.safetensors"
        try:
            gloss.import_model(place, output, *flags)
            file = ModelFile(output)
        except GlossError as error:
            summary.count("imported", False, f"{name}: {error}")
            return
        summary.count("imported", True)
        source_ids, target_ids = id_map(tokens[0], file.source_pieces), id_map(tokens[1], file.target_pieces)
        pairs = [(source_ids[[*source, 0]].tolist(), target_ids[target].tolist())]
        expected = network.logits([*source, 0], target)
        for path in ("inference", "plain", "training"):
            found = gloss.logits(output, pairs, path)[0]
            summary.difference(f"logits, {title} ({path})", relative(found[:, target_ids], expected), name)
        extra = found[:, [0, 2]].max() - expected.max()  # pad and bos
        summary.count("pad and bos have no chance", extra < -50, f"{name}: logit {extra:.3g} above the largest")

        back = {int(i): k for k, i in enumerate(target_ids)}
        line = gloss.search(output, [(pairs[0][0], [])], 1, LENGTH)[0]
        ids = [back[i] for i in line["ids"]]
        right = network.greedy([*source, 0], LENGTH)

        def score_of(hypothesis):
            ids = [*hypothesis[0], *([0] if hypothesis[1] else [])]
            chances = log_softmax(network.logits([*source, 0], ids))
            return sum(chances[i, token] for i, token in enumerate(ids)) / max(1, len(ids))

        ended = lambda ids: len(ids) < LENGTH
        summary.count("greedy ids equal", *(lambda r: (r[0], f"{name}: {r[1]}"))(
            same_search((ids, ended(ids)), (right, ended(right)), score_of)))
        norms_keys = network.norms_keys or "n" not in options["transformer-preprocess"]
        if not (ctranslate2_models.has_converter(options) and norms_keys):
            continue
        translator = ctranslate2_models.from_marian(options, weights, tokens, None if flags else network)
        words = [tokens[0][i] for i in source], [tokens[1][i] for i in target]
        chances = log_softmax(gloss.logits(output, pairs)[0][:, target_ids].astype("f8"))
        chances = chances[numpy.arange(len(target) + 1), [*target, 0]]
        summary.difference(f"CTranslate2's converter, {title}", relative(
            ctranslate2_models.log_probabilities(translator, *words), chances), name)
        found, _ = ctranslate2_models.translate(translator, words[0], beam_size=4, length_penalty=1,
                                                max_decoding_length=LENGTH)
        line = gloss.search(output, [(pairs[0][0], [])], 4, LENGTH)[0]
        ids = [back[i] for i in line["ids"]]
        right = [tokens[1].index(token) for token in found]
        summary.count("beam 4 equal to CTranslate2's, or of equal score", *(lambda r: (r[0], f"{name}: {r[1]}"))(
            same_search((ids, ended(ids)), (right, ended(right)), score_of)))


def main(gloss, folder, count):
    summary = Summary("marian")
    for seed in range(count):
        check_model(gloss, folder, seed, summary)
    summary.print()
    return summary.failures
