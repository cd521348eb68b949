"""SentencePiece pieces of 10,000 lines: gloss, the sentencepiece package, and tokenizer.json of an exported folder."""

import json

import numpy
import sentencepiece
from tokenizers import Tokenizer

import gloss_models
import made_text
from comparison import Summary
from gloss_program import ModelFile

KINDS = [{"type": "unigram"}, {"type": "bpe"}, {"type": "unigram", "byte_fallback": True},
         {"type": "bpe", "byte_fallback": True}, {"type": "unigram", "normalization": "identity"},
         {"type": "bpe", "normalization": "identity"}]
RARE = ["  two  blanks ", "\ttab", "ﬁne ligature", "ＦＵＬＬ　ｗｉｄｔｈ", "é and e\u0301", "👩‍👩‍👧 emoji", "▁already▁there", "",
        " ", "non\u00a0breaking", "zero\u200bwidth", "soft\u00adhyphen", "\u0000nul".replace("\u0000", "\u0001"), "ümlaut Ω≈ç",
        "中文字符", "עברית", "हिन्दी", "<tag>", "½ ² ㎏ …", "ÀÉÎ", "\ufeffmark", "İıſ"]

SPELLED = ["</s>", "<unk> and <pad>", "a <s> b", "<0x41>"]  # pieces in tokenizer.json, plain text in gloss


def texts(multi30k, count):
    """`count` lines: of Multi30k if it is there, made ones, some with noise in them."""
    random = numpy.random.default_rng(1)
    lines = []
    if multi30k:
        for language in ("de", "en"):
            lines += (multi30k / f"train.{language}").read_text(encoding="utf-8").splitlines()[:count * 9 // 20]
    lines = (lines + made_text.lines(77, count))[:count - 2 * len(RARE)]
    for place, rare in zip(random.choice(len(lines), len(RARE), replace=False), RARE):
        lines[place] = lines[place][:20] + rare + lines[place][20:]
    return lines + RARE + [rare + " " + rare for rare in RARE]


def check_kind(gloss, folder, number, kind, lines, summary):
    place = folder / f"tokenizer-{number}"
    place.mkdir(parents=True)
    training = [line for line in lines if not any(rare and rare in line for rare in RARE if rare.strip())][:4000]
    for side in ("source", "target"):
        (place / f"train.{side}").write_text("".join(line + "\n" for line in training), encoding="utf-8")
    run = {"seed": 1, "defaults": "fixed", "tokenizer": {"vocabulary_size": 1500, "character_coverage": 0.9995, **kind},
           "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 8, "d_ff": 8, "heads": 1},
           "data": {"train_source": str(place / "train.source"), "train_target": str(place / "train.target")},
           "training": {"max_steps": 0}}
    (place / "run.json").write_text(json.dumps(run))
    gloss.run("train-translate", "--config", place / "run.json", "--out", place / "run", "--threads", "1")
    gloss.export(place / "run/model.safetensors", "huggingface", place / "exported")
    tokenizer = Tokenizer.from_file(str(place / "exported/tokenizer.json"))
    processor = sentencepiece.SentencePieceProcessor(
        model_proto=ModelFile(place / "run/model.safetensors").tokenizers["tokenizer.model"])
    name = ", ".join(f"{key} {value}" for key, value in kind.items())
    different = []
    for line in lines:
        found, right = tokenizer.encode(line, add_special_tokens=False).ids, processor.encode(line)
        if found != right:
            different.append((line, [tokenizer.id_to_token(i) for i in found], processor.encode(line, out_type=str)))
    for line, found, right in different[:6]:
        print(f"  {line[:60]!a}: {found[:12]}, wanted {right[:12]}")
    summary.count(f"all of {len(lines)} lines equal", not different, f"{name}: {len(different)} lines differ")
    spelled = sum(tokenizer.encode(line, add_special_tokens=False).ids != processor.encode(line) for line in SPELLED)
    print(f"tokenizer: {name}: {len(lines) - len(different)} of {len(lines)} lines equal; explained: {spelled} of "
          f"{len(SPELLED)} that spell special pieces differ")
    ended = tokenizer.encode(lines[0]).ids
    summary.count("eos added", ended[-1:] == [3] and ended[:-1] == processor.encode(lines[0]), f"{name}: {ended}")


def main(gloss, folder, count, multi30k):
    summary = Summary("tokenizer")
    lines = texts(multi30k, count)
    for number, kind in enumerate(KINDS):
        check_kind(gloss, folder, number, kind, lines, summary)
    summary.print()
    return summary.failures
