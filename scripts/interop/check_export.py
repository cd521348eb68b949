"""Random gloss models against CTranslate2, transformers and NumPy, which read what gloss exports; and round trips."""

import pathlib

import ctranslate2
import huggingface_models  # silences transformers
import numpy
import sentencepiece
import torch
from transformers import AutoModelForSeq2SeqLM

import gloss_models
import marian_files
from comparison import Summary, relative, same_search
from gloss_program import GlossError, ModelFile, id_map
from marian_network import MarianNetwork, log_softmax

PAD, EOS = 0, 3
WORDS = numpy.s_[3:]  # pad and bos have logits of -100
LENGTH = 14


def expressible(config, format_name):
    """Whether the format has a network like this one, from the descriptions of the formats."""
    sinusoidal = config.get("positions", "sinusoidal") == "sinusoidal" and config.get("first_position", 0) == 0
    paper = config.get("position_frequencies", "paper") == "paper" and sinusoidal
    scaled = config.get("embedding_scale", "sqrt") == "sqrt"
    attention = config.get("decoder_layer", "attention") == "attention"
    final_as_usual = config["final_norm"] == (config["norm"] == "pre")
    norm_of_embeddings = config.get("embedding_norm", False)
    norms_keys = config.get("self_attention_norm", "all") == "all"
    if format_name == "ctranslate2":
        return attention and norms_keys
    if format_name == "huggingface":
        return (paper and attention and norms_keys and final_as_usual and not norm_of_embeddings
                and config.get("layer_norm_epsilon", 1e-5) == 1e-5
                and (config["norm"] == "post" or config["tie_embeddings"] == "all"))
    return (sinusoidal and config.get("position_frequencies", "paper") == "tensor2tensor" and scaled
            and config.get("layer_norm_epsilon", 1e-5) == 1e-6 and config.get("decoder_start", "bos") == "zero"
            and config["activation"] != "gelu" and (config["norm"] == "post" or not norms_keys))


def ctranslate2_scores(folder, pieces, pairs):
    """Log-probabilities of each pair's target and end."""
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    words = lambda ids, side: [pieces[side][i] for i in ids]
    return [numpy.array(translator.score_batch([words(s[:-1], 0)], [words(t, 1)])[0].log_probs) for s, t in pairs]


def compare_ctranslate2(gloss, model, folder, pairs, name, summary):
    file = ModelFile(model)
    pieces = file.source_pieces, file.target_pieces
    chances = [log_softmax(l.astype("f8"))[numpy.arange(len(t) + 1), [*t, EOS]]
               for l, (_, t) in zip(gloss.logits(model, pairs), pairs)]
    for found, right in zip(ctranslate2_scores(folder, pieces, pairs), chances):
        summary.difference("CTranslate2, log-probabilities", relative(found, right), name)


def compare_huggingface(gloss, model, folder, pairs, name, summary):
    other = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    start = other.generation_config.decoder_start_token_id
    expected = gloss.logits(model, pairs)
    for (source, target), right in zip(pairs, expected):
        with torch.no_grad():
            found = other(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[start, *target]])).logits
        summary.difference(f"{type(other).__name__}, logits", relative(found[0].numpy()[:, WORDS], right[:, WORDS]), name)
    for beams in (1, 4):
        found = gloss.search(model, [(source, []) for source, _ in pairs], beams, LENGTH)
        for (source, _), line in zip(pairs, found):
            with torch.no_grad():
                ids = other.generate(torch.tensor([source]), num_beams=beams, max_new_tokens=LENGTH)[0].tolist()[1:]
            while ids and ids[-1] == PAD:
                ids.pop()
            right = (ids[:-1], True) if ids and ids[-1] == EOS else (ids, False)

            def score_of(hypothesis):
                tokens = [*hypothesis[0], *([EOS] if hypothesis[1] else [])]
                chances = log_softmax(gloss.logits(model, [(source, tokens)])[0].astype("f8"))
                return sum(chances[i, token] for i, token in enumerate(tokens)) / max(1, len(tokens))

            same, text = same_search((line["ids"], line["length"] > len(line["ids"])), right, score_of)
            summary.count("transformers, " + ("greedy ids equal" if beams == 1 else "ids of beam 4 equal, or of equal "
                                              "score"), same, f"{name}: {text}")


def compare_marian(gloss, model, folder, pairs, name, summary):
    decoder = marian_files.yaml.safe_load((folder / "decoder.yml").read_text())
    options, weights = marian_files.read_npz(folder / decoder["models"][0])
    network = MarianNetwork(options, weights)
    file = ModelFile(model)
    tokens = []
    for path in decoder["vocabs"]:
        if path.endswith(".spm"):
            processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / path))
            tokens.append([processor.id_to_piece(i) for i in range(processor.get_piece_size())])
        else:
            entries = marian_files.yaml.safe_load((folder / path).read_text(encoding="utf-8"))
            tokens.append([token for token, _ in sorted(entries.items(), key=lambda item: item[1])])
    source_ids, target_ids = id_map(tokens[0], file.source_pieces), id_map(tokens[-1], file.target_pieces)
    back = [{int(i): k for k, i in enumerate(ids)} for ids in (source_ids, target_ids)]
    for (source, target), right in zip(pairs, gloss.logits(model, pairs)):
        found = network.logits([back[0][i] for i in source], [back[1][i] for i in target])
        used = target_ids >= 0  # not the pieces that fill the vocabulary up
        summary.difference("NumPy with the files for Marian, logits",
                           relative(found[:, used], right[:, target_ids[used]]), name)
        unused = found[:, ~used].max(initial=-numpy.inf) - found[:, used].max()
        summary.count("unused pieces have no chance", unused < -50, f"{name}: logit {unused:.3g} above the largest")


COMPARE = {"ctranslate2": compare_ctranslate2, "huggingface": compare_huggingface, "marian": compare_marian}


def same_weights(first, second):
    """Returns the names of weights that differ."""
    first, second = ModelFile(first).weights, ModelFile(second).weights
    return [n for n in sorted(first.keys() | second.keys())
            if n not in first or n not in second or first[n].tobytes() != second[n].tobytes()]


def check_model(gloss, folder, seed, summary):
    model = gloss_models.make(gloss, folder / f"gloss-{seed}", seed)
    random = numpy.random.default_rng(seed + 5000)
    file = ModelFile(model)
    config = file.config["model"]
    draw = lambda pieces, count: random.integers(4, len(pieces), count).tolist()
    pairs = [([*draw(file.source_pieces, random.integers(1, 12)), EOS], draw(file.target_pieces, random.integers(0, 10)))
             for _ in range(3)]
    for format_name, compare in COMPARE.items():
        name = f"seed {seed}, {format_name}"
        place = model.parent / format_name
        wanted = expressible(config, format_name)
        try:
            gloss.export(model, format_name, place)
        except GlossError as error:
            if wanted or error.code not in (2, 3):
                summary.count("exported or refused as wanted", False, f"{name}: {error}; {config}")
            else:
                summary.count("exported or refused as wanted", True)
            continue
        summary.count("exported or refused as wanted", wanted, f"{name}: wanted a refusal of {config}")
        compare(gloss, model, place, pairs, name, summary)
        if not list(pathlib.Path(place).glob("README.md")):
            summary.fail(f"{name}: no README.md")
        if format_name == "ctranslate2":
            continue
        again = model.parent / f"{format_name}.safetensors"
        try:
            gloss.import_model(place, again)
            different = same_weights(model, again)
            summary.count(f"gloss, {format_name}, gloss: same bytes", not different, f"{name}: {different[:4]}")
        except GlossError as error:
            summary.count(f"gloss, {format_name}, gloss: same bytes", False, f"{name}: {error}")


def main(gloss, folder, count):
    summary = Summary("export")
    for seed in range(count):
        check_model(gloss, folder, seed, summary)
    summary.print()
    return summary.failures
