"""Directories as transformers saves them, against transformers: tokenizer.json alone, and exports of gloss that
transformers saved again. Other versions of transformers save other files."""

import functools
import io
import json

import numpy
import sentencepiece
import torch
import transformers
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import check_huggingface
import gloss_models
import huggingface_models
import made_text
from comparison import Summary
from gloss_program import ModelFile

EOS = 3
CLASSES = {"nllb": ("NllbTokenizer", "sentencepiece.bpe.model", {"model_type": "bpe"}),
           "pegasus": ("PegasusTokenizer", "spiece.model",
                       {"model_type": "unigram", "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1})}
EXPORTS = {"one tokenizer, bpe": ({"norm": "pre"}, {"type": "bpe"}),
           "one tokenizer, unigram": ({"norm": "pre"}, {"type": "unigram"}),
           "one tokenizer, bytes": ({"norm": "post", "final_norm": False}, {"type": "bpe", "byte_fallback": True}),
           "two tokenizers": ({"norm": "post", "final_norm": False, "tie_embeddings": "none"},
                              {"type": "unigram", "joint": False})}


def texts(multi30k, count):
    """`count` lines without spaces at their ends, which transformers 5 keeps and SentencePiece does not."""
    if multi30k:
        lines = [line for language in ("de", "en")
                 for line in (multi30k / f"train.{language}").read_text(encoding="utf-8").splitlines()[:count // 2]]
    else:
        lines = made_text.lines(77, count)
    return [line.strip() for line in lines]


def trained(lines, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines[:4000]), model_writer=model, vocab_size=900,
                                             character_coverage=0.9995, minloglevel=2, hard_vocab_limit=False,
                                             **options)
    return model.getvalue()


def save_tokenizer(folder, family, lines):
    """Writes the tokenizer as a directory of the hub has it, loads it and saves it again, without SentencePiece's
    file."""
    name, file, options = CLASSES[family]
    first = folder.parent / (folder.name + "-first")
    first.mkdir(parents=True)
    (first / file).write_bytes(trained(lines, **options))
    settings = {"tokenizer_class": name}
    if family == "nllb":
        from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

        settings |= {"src_lang": "eng_Latn", "tgt_lang": "deu_Latn", "additional_special_tokens": FAIRSEQ_LANGUAGE_CODES}
    huggingface_models.write_json(first / "tokenizer_config.json", settings)
    loaded = getattr(transformers, name + "Fast", getattr(transformers, name, None)).from_pretrained(first)
    loaded.save_pretrained(first)
    (first / file).unlink()
    AutoTokenizer.from_pretrained(first).save_pretrained(folder)
    (folder / file).unlink(missing_ok=True)
    return AutoTokenizer.from_pretrained(folder)


def save_model(folder, family, tokenizer, seed):
    """Saves a random model with a row for each piece of the tokenizer."""
    random = numpy.random.default_rng(seed)
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    tokens = huggingface_models.with_rows(tokens, 3 if family == "nllb" else 0)
    special = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "bos_token_id": 0}
    if family == "pegasus":
        special = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "bos_token_id": None}
    config_class, model_class = huggingface_models.CLASSES[family]
    sizes = huggingface_models.draw_sizes(random, family) | {"d_model": 16, "encoder_attention_heads": 2,
                                                             "decoder_attention_heads": 2}
    model = model_class(config_class(**sizes, **special, vocab_size=len(tokens)))
    huggingface_models.randomize(model, random, special["eos_token_id"])
    model.save_pretrained(folder)
    languages = {token: row for row, token in enumerate(tokens) if "_" in token and token[:3].islower()
                 and len(token) == 8} if family == "nllb" else {}
    ordinary = [row for row, token in enumerate(tokens) if not token.startswith("<") and token not in languages]
    return huggingface_models.HuggingFaceModel(family, model, (tokens, tokens), ordinary, ordinary, languages)


def pieces_of(gloss, model, lines, place):
    """The pieces of each line by the tokenizer of a model file."""
    (place / "tokenizer").write_bytes(next(iter(ModelFile(model).tokenizers.values())))
    found = gloss.run("tokenizer", "encode", "--model", place / "tokenizer", text="".join(l + "\n" for l in lines))
    return [line.split(" ") if line else [] for line in found.decode().split("\n")[:-1]]


def check_family(gloss, folder, family, lines, seed, summary):
    place = folder / family
    tokenizer = save_tokenizer(place, family, lines)
    model = save_model(place, family, tokenizer, seed)
    name = f"{family}, transformers {transformers.__version__}"
    print(f"saved: {name}: {', '.join(sorted(p.name for p in place.iterdir()))}")
    check_huggingface.check_model(gloss, place, model, seed, summary)
    path = place / "tokenizer_config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    for title in (settings.get("tokenizer_class"), "TokenizersBackend", "PreTrainedTokenizerFast", None):
        settings.pop("tokenizer_class", None)
        huggingface_models.write_json(path, settings | ({"tokenizer_class": title} if title else {}))
        output = folder / f"{family}.safetensors"
        gloss.import_model(place, output, "--overwrite")
        found = pieces_of(gloss, output, lines, folder)
        different = [line for line, pieces in zip(lines, found)
                     if pieces != tokenizer.convert_ids_to_tokens(tokenizer(line, add_special_tokens=False).input_ids)]
        summary.count(f"pieces of all {len(lines)} lines equal", not different,
                      f"{name}, {title}: {len(different)} differ: {different[:3]}")


def translations(folder, lines):
    """Greedy translations by the classes that AutoTokenizer and AutoModelForSeq2SeqLM choose."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    found = []
    for line in lines:
        batch = tokenizer(line, return_tensors="pt", return_token_type_ids=False)
        with torch.no_grad():
            ids = model.generate(**batch, num_beams=1)[0]
        found.append(tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))
    return found


def check_export(gloss, folder, title, lines, summary):
    network, kind = EXPORTS[title]
    place = folder / title.replace(", ", "-").replace(" ", "-")
    place.mkdir()
    for side, shift in (("source", 0), ("target", len(lines) // 2)):
        (place / f"train.{side}").write_text("".join(line + "\n" for line in lines[shift:shift + 800]), encoding="utf-8")
    run = {"seed": 1, "defaults": "fixed", "tokenizer": {"vocabulary_size": 700, **kind},
           "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 16, "heads": 2, **network},
           "data": {"train_source": str(place / "train.source"), "train_target": str(place / "train.target")},
           "decoding": {"beam_size": 1, "max_length": 14, "no_unk": True}, "training": {"max_steps": 0}}
    (place / "run.json").write_text(json.dumps(run))
    gloss.run("train-translate", "--config", place / "run.json", "--out", place / "run", "--threads", "1")
    model = gloss_models.randomized(place / "run/model.safetensors", place / "model.safetensors",
                                    numpy.random.default_rng(3))
    gloss.export(model, "huggingface", place / "exported")
    AutoTokenizer.from_pretrained(place / "exported").save_pretrained(place / "again")
    AutoModelForSeq2SeqLM.from_pretrained(place / "exported").save_pretrained(place / "again")
    print(f"saved: {title}: {', '.join(sorted(p.name for p in (place / 'again').iterdir()))}")
    gloss.import_model(place / "again", place / "again.safetensors")
    some = lines[:40] + lines[-40:]
    right = gloss.translate(model, some, "--beam", "1")
    compare = functools.partial(zip, right)
    for what, found in (("the export in transformers", translations(place / "exported", some)),
                        ("saved again, in transformers", translations(place / "again", some)),
                        ("saved again, imported", gloss.translate(place / "again.safetensors", some, "--beam", "1"))):
        equal = sum(a == b for a, b in compare(found))
        # Bytes that are no character are printed in another way; two tokens of nearly the same score may change places.
        equal += sum(a != b and "\ufffd" in a for a, b in compare(found))
        summary.count(f"translations equal: {what}", equal >= len(some) - 1, f"{title}: {equal} of {len(some)}: "
                      f"{next(((a, b) for a, b in compare(found) if a != b), '')}")
    first, again = pieces_of(gloss, model, lines, place), pieces_of(gloss, place / "again.safetensors", lines, place)
    summary.count("exports that were saved again: same pieces", first == again, title)


def main(gloss, folder, count, multi30k):
    summary = Summary("saved")
    lines = texts(multi30k, count)
    for seed, family in enumerate(CLASSES):
        check_family(gloss, folder, family, lines, seed, summary)
    for title in EXPORTS:
        check_export(gloss, folder, title, lines, summary)
    summary.print()
    return summary.failures
