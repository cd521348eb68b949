"""Random models of CTranslate2's own converters, each without and in three of its seven quantizations, against gloss's
import of their folders."""

import json
import re
import zipfile

import ctranslate2
import numpy
import sentencepiece

import ctranslate2_models
import huggingface_models
import made_text
from comparison import TOLERANCE, Summary, relative, same_search
from gloss_program import GlossError, ModelFile, id_map
from marian_network import log_softmax

QUANTIZATIONS = ["float32", "float16", "bfloat16", "int8", "int8_float16", "int8_bfloat16", "int16"]
KINDS = [*huggingface_models.FAMILIES, "opennmt", "specification", "specification"]
LENGTH = 14
# CTranslate2 has the positions of the file, which are rounded; gloss computes those that the file was made of. Random
# networks magnify the difference, so that searches are not compared.
ROUNDED = {"float16": 1e-3, "int8_float16": 1e-3, "bfloat16": 1e-2, "int8_bfloat16": 1e-2}


def make(folder, kind, seed, **fixed):
    """Draws a model. `fixed`: values of the config.json of Hugging Face."""
    if kind == "opennmt":
        return ctranslate2_models.from_opennmt(folder, seed)
    if kind == "specification":
        return ctranslate2_models.from_specification(seed)
    if kind == "marian":  # the converter has one vocabulary
        fixed |= {"separate": False}
    if kind == "pegasus":  # as the config.json of its models
        fixed |= {"normalize_before": True, "normalize_embedding": False}
    return ctranslate2_models.from_huggingface(folder, huggingface_models.make(folder, kind, seed, **fixed))


def vocabularies(folder):
    """The tokens of source and target."""
    shared = folder / "shared_vocabulary.json"
    files = [shared, shared] if shared.exists() else [folder / f"{side}_vocabulary.json" for side in ("source", "target")]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def spelled(tokens):
    """Tokens by gloss's spelling."""
    return ["<pad>" if token == "<blank>" else token for token in tokens]


def with_row(piece, tokens):
    """The token of a piece. Special tokens that are ordinary pieces in gloss are named after their rows."""
    row = re.fullmatch("<unused-([0-9]+)>", piece)
    return tokens[int(row[1])] if row else piece


def check_int8(gloss, folder, output, name, summary):
    """An import in int8 has the integers of the file, and an export of it the same file of weights again."""
    gloss.import_model(folder, output, "--precision", "int8")
    weights = ModelFile(output).weights
    gloss.export(output, "ctranslate2", output.parent / "again", "--precision", "int8")
    again = output.parent / "again.safetensors"
    gloss.import_model(output.parent / "again", again, "--precision", "int8")
    others = ModelFile(again).weights
    for weight, values in weights.items():
        if values.dtype == numpy.int8:
            summary.count("int8 after import, export, import: the same integers", (values == others[weight]).all(),
                          f"{name}: {weight}")
        elif weight.endswith("_scale"):
            summary.difference("int8: scales after import, export, import", relative(others[weight], values),
                               f"{name}: {weight}", 2 ** -23)


def check_package(gloss, folder, place, output, name, summary):
    """The folder as an Argos package gives the same model, with the languages of its metadata."""
    metadata = {"package_version": "1.0", "argos_version": "1.5", "from_code": "en", "from_name": "English",
                "to_code": "de", "to_name": "German"}
    with zipfile.ZipFile(place / "en_de.argosmodel", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("translate-en_de-1_0/metadata.json", json.dumps(metadata))
        package.writestr("translate-en_de-1_0/README.md", "made of random numbers")
        for file in sorted(folder.iterdir()):
            top = "" if file.name == "sentencepiece.model" else "model/"
            package.write(file, f"translate-en_de-1_0/{top}{file.name}")
    gloss.import_model(place / "en_de.argosmodel", place / "package.safetensors")
    package, plain = ModelFile(place / "package.safetensors"), ModelFile(output)
    same = all((values == package.weights[weight]).all() for weight, values in plain.weights.items())
    languages = [package.config["data"].get(key) for key in ("source_language", "target_language")]
    summary.count("Argos packages: the same weights and tokenizers, and their languages",
                  same and package.tokenizers == plain.tokenizers and languages == ["en", "de"], f"{name}: {languages}")


def check_converted(gloss, place, converted, quantization, seed, name, summary):
    folder, output = place / str(quantization), place / f"{quantization}.safetensors"
    converted.convert(folder, quantization)
    try:
        gloss.import_model(folder, output, *converted.options)
    except GlossError as error:
        return summary.count("imported", False, f"{name}: {error}")
    summary.count("imported", True)
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    file, tokens = ModelFile(output), vocabularies(folder)
    ids = [id_map(spelled(side), pieces) for side, pieces in zip(tokens, (file.source_pieces, file.target_pieces))]
    random = numpy.random.default_rng(seed + 1000)
    tolerance = ROUNDED.get(quantization, TOLERANCE)
    usable = [[i for i, token in enumerate(side) if not token.startswith(("<", "__", ">>", "madeup")) and "_Latn" not in
               token and "_Arab" not in token] for side in tokens]
    for _ in range(3):
        source = random.choice(usable[0], random.integers(1, 12)).tolist()
        target = random.choice(usable[1], random.integers(0, 10)).tolist()
        words = [*converted.prefix, *[tokens[0][i] for i in source], *converted.suffix]
        wanted = [*converted.forced, *[tokens[1][i] for i in target]]
        own_source = [int(ids[0][tokens[0].index(word)]) for word in words]
        if converted.ends and not converted.suffix:
            own_source.append(3)
        own_target = [int(ids[1][tokens[1].index(word)]) for word in wanted]
        chances = log_softmax(gloss.logits(output, [(own_source, own_target)])[0].astype("f8"))
        chances = chances[numpy.arange(len(own_target) + 1), [*own_target, 3]]
        found = numpy.array(translator.score_batch([words], [wanted])[0].log_probs)
        summary.difference(f"log-probabilities{', positions in ' + quantization if quantization in ROUNDED else ''}",
                           relative(chances, found), name, tolerance)
        forced = own_target[:len(converted.forced)]

        def score_of(hypothesis):
            known = dict(zip(file.target_pieces[4:], range(4, len(file.target_pieces)))) | {
                "<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3}
            line = [known[token] for token in hypothesis[0]] + ([3] if hypothesis[1] else [])
            chances = log_softmax(gloss.logits(output, [(own_source, line)])[0].astype("f8"))
            return sum(chances[i, token] for i, token in enumerate(line) if i >= len(forced)) / max(1, len(line))

        for beams in () if quantization in ROUNDED else (1, 5):
            line = gloss.search(output, [(own_source, forced)], beams, LENGTH)[0]
            found = [with_row(file.target_pieces[i], tokens[1]) for i in line["ids"]], line["length"] > len(line["ids"])
            right = translator.translate_batch([words], target_prefix=[converted.forced], beam_size=beams,
                                               length_penalty=1, max_decoding_length=LENGTH, min_decoding_length=0,
                                               return_end_token=True)[0]
            right = spelled(right.hypotheses[0])
            ended = bool(right) and right[-1] == "</s>"
            summary.count(f"{'greedy' if beams == 1 else 'beam 5'}: equal tokens, or of equal score",
                          *(lambda r: (r[0], f"{name}: {r[1]}"))(
                              same_search(found, (right[:-1] if ended else right, ended), score_of)))
    if converted.package and quantization is None:
        check_package(gloss, folder, place, output, name, summary)
    if quantization not in ROUNDED:
        compare_texts(gloss, folder, output, converted, translator, name, summary)
    if quantization == "int8" and not converted.options:  # an export needs no language tags
        check_int8(gloss, folder, place / "kept/int8.safetensors", name, summary)


def compare_texts(gloss, folder, output, converted, translator, name, summary):
    """Lines of text through SentencePiece and CTranslate2, and through gloss alone."""
    models = sorted(folder.glob("*.spm")) or sorted(folder.glob("*.model"))
    source, target = (sentencepiece.SentencePieceProcessor(model_file=str(models[i])) for i in (0, -1))
    lines = made_text.lines(3, 4)
    words = [[*converted.prefix, *source.encode(line, out_type=str), *converted.suffix] for line in lines]
    vocabulary = set(vocabularies(folder)[0])
    kept = [i for i, line in enumerate(words) if vocabulary.issuperset(line)]  # gloss cuts without other pieces
    found = gloss.translate(output, [lines[i] for i in kept], "--beam", "1", "--max-length", str(LENGTH))
    for i, translation in zip(kept, found):
        right = translator.translate_batch([words[i]], target_prefix=[converted.forced], beam_size=1,
                                           max_decoding_length=LENGTH, min_decoding_length=0)[0].hypotheses[0][len(converted.forced):]
        if any(target.piece_to_id(piece) == target.unk_id() for piece in right) or any(p.startswith("<") for p in right):
            continue  # special pieces and tags, which programs show differently
        summary.count("translated texts equal", translation == target.decode_pieces(right), f"{name}: {translation!r}")


def main(gloss, folder, count):
    summary = Summary("ctranslate2")
    for seed in range(count):
        kind = KINDS[seed % len(KINDS)]
        place = folder / f"{kind}-{seed}"
        converted = make(place, kind, seed)
        (place / "kept").mkdir(parents=True)
        first = seed + seed // len(KINDS)  # so that each kind meets each quantization
        for quantization in [None, *[QUANTIZATIONS[(first + step) % len(QUANTIZATIONS)] for step in (0, 2, 3)]]:
            check_converted(gloss, place, converted, quantization, seed, f"{kind}, seed {seed}, {quantization}", summary)
    summary.print()
    return summary.failures
