"""Random Hugging Face models of the families that gloss reads, saved as directories like those of the model hubs."""

import copy
import json
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")

import numpy
import torch
from transformers import (M2M100Config, M2M100ForConditionalGeneration, MarianConfig, MarianMTModel, PegasusConfig,
                          PegasusForConditionalGeneration)
from transformers.utils.logging import disable_progress_bar

import made_text

disable_progress_bar()
torch.set_num_threads(1)

CLASSES = {"marian": (MarianConfig, MarianMTModel), "pegasus": (PegasusConfig, PegasusForConditionalGeneration),
           "m2m_100": (M2M100Config, M2M100ForConditionalGeneration),
           "nllb": (M2M100Config, M2M100ForConditionalGeneration)}
FAMILIES = list(CLASSES)
M2M100_LANGUAGES = ("af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi "
                    "hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc "
                    "or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh "
                    "zu").split()
NLLB_LANGUAGES = ["ace_Arab", "deu_Latn", "eng_Latn", "fra_Latn", "zul_Latn"]  # of 202


class HuggingFaceModel:
    """A model in memory. `source_ids` and `target_ids` are ids that may occur in sentences; `prefix` is the source's
    first ids, `forced` the target's (a language tag); `start` is the decoder's first input."""

    def __init__(self, family, model, tokens, source_count, target_count, languages=()):
        self.family, self.model, self.tokens = family, model.eval(), tokens
        self.exact = copy.deepcopy(self.model).double()
        self.source_count, self.target_count, self.languages = source_count, target_count, languages
        config = model.config
        self.start, self.pad, self.eos = config.decoder_start_token_id, config.pad_token_id, config.eos_token_id
        self.source_language = self.target_language = None
        self.prefix, self.forced = [], []
        banned = {self.pad, self.start, None if family == "marian" else config.bos_token_id}
        self.banned = sorted(banned - {None, self.eos})  # gloss gives these no chance

    def choose_languages(self, source, target):
        if not self.languages:
            return
        self.source_language, self.target_language = source, target
        if self.family == "marian":
            self.prefix = [self.languages[target]]
        else:
            self.prefix, self.forced = [self.languages[source]], [self.languages[target]]

    def logits(self, source, target, exact=True):
        """Source ids with eos, target ids without start and eos -> [T + 1, V], in double precision if `exact`."""
        with torch.no_grad():
            model = self.exact if exact else self.model
            return model(input_ids=torch.tensor([source]),
                         decoder_input_ids=torch.tensor([[self.start, *target]])).logits[0].numpy()

    def generate(self, source, forced, length, beams, **options):
        """Returns ids without start, forced tag and eos, and whether eos ended them."""
        with torch.no_grad():
            found = self.model.generate(
                torch.tensor([source]), attention_mask=torch.ones(1, len(source), dtype=torch.long), num_beams=beams,
                max_new_tokens=length, min_length=0, do_sample=False, forced_eos_token_id=None, suppress_tokens=self.banned,
                renormalize_logits=True,
                decoder_start_token_id=self.start, forced_bos_token_id=forced[0] if forced else None,
                bad_words_ids=None, **options)[0].tolist()
        found = found[1 + len(forced):]
        while found and found[-1] == self.pad and self.pad != self.eos:
            found.pop()
        return (found[:-1], True) if found and found[-1] == self.eos else (found, False)


def randomize(model, random, eos):
    """Replaces all weights: larger than at the start of training, so that every part has an effect on the logits."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed_positions" in name:
                continue
            values = torch.from_numpy(random.standard_normal(tuple(weight.shape))).float()
            if "shared" in name or "embed_tokens" in name or "lm_head" in name:
                values *= weight.shape[1] ** -0.5
                if model.config.pad_token_id is not None:
                    values[model.config.pad_token_id] = 0
            elif "norm" in name and name.endswith("weight"):
                values = 1 + 0.2 * values
            elif weight.dim() == 1:
                values *= 0.2
            else:
                values *= 2 * (2 / sum(weight.shape)) ** 0.5
            weight.copy_(values)
        if hasattr(model, "final_logits_bias"):
            bias = 0.2 * torch.from_numpy(random.standard_normal(tuple(model.final_logits_bias.shape))).float()
            bias[:, eos] += 1.5
            model.final_logits_bias.copy_(bias)
    model.tie_weights()


def draw_sizes(random, family):
    d = int(random.choice([8, 16, 24, 32, 48]))
    heads = int(random.choice([h for h in (1, 2, 4, 8) if d % h == 0]))
    width = int(random.choice([16, 32, 40]))
    activations = ["relu", "swish", "silu", "gelu"] if family in ("marian", "pegasus") else ["relu", "gelu"]
    return {
        "d_model": d, "encoder_layers": int(random.integers(1, 4)), "decoder_layers": int(random.integers(1, 4)),
        "encoder_attention_heads": heads, "decoder_attention_heads": heads, "encoder_ffn_dim": width,
        "decoder_ffn_dim": width if random.random() < 0.6 else int(random.choice([24, 56])),
        "activation_function": str(random.choice(activations)),
        "scale_embedding": bool(random.random() < 0.85), "max_position_embeddings": int(random.choice([64, 512])),
        "dropout": 0.1, "attention_dropout": 0.0, "activation_dropout": 0.0,
    }


def write_json(path, content, indent=2):
    path.write_text(json.dumps(content, ensure_ascii=False, indent=indent) + "\n", encoding="utf-8")


def leave_out_defaults(folder, family):
    """Removes the keys of config.json that have the values of their class: other programs write such files."""
    path = folder / "config.json"
    defaults = CLASSES[family][0]().to_dict()
    config = json.loads(path.read_text(encoding="utf-8"))
    write_json(path, {key: value for key, value in config.items()
                      if key == "model_type" or key not in defaults or value != defaults[key]})


def marian_tokenizer(folder, random, seed, separate):
    """source.spm, target.spm, vocab.json: eos 0, unk 1, pad last. Returns the tokens of both sides and the languages."""
    models = [made_text.train(seed, 90), made_text.train(seed + 1, 100)]
    lists = []
    for name, model in zip(("source.spm", "target.spm"), models):
        (folder / name).write_bytes(model)
        spellings, ordinary = made_text.pieces_of(model)
        lists.append([spellings[i] for i in ordinary])
    tags = [">>deu<<", ">>fra<<"] if random.random() < 0.3 else []
    if not separate:
        joint = sorted(set(lists[0]) | set(lists[1]))
        lists = [[joint[i] for i in random.permutation(len(joint))]]
    else:  # of equal size, because both sides have the same pad
        lists = [[pieces[i] for i in random.permutation(len(pieces))[:80]] for pieces in lists]
        tags = []
    tokens = [["</s>", "<unk>", *pieces, *(tags if side == 0 else []), "<pad>"] for side, pieces in enumerate(lists)]
    write_json(folder / "vocab.json", {token: i for i, token in enumerate(tokens[0])})
    if separate:
        write_json(folder / "target_vocab.json", {token: i for i, token in enumerate(tokens[1])})
    write_json(folder / "tokenizer_config.json",
               {"source_lang": "en", "target_lang": "de", "unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>",
                "model_max_length": 512, "sp_model_kwargs": {}, "separate_vocabs": separate,
                "special_tokens_map_file": None, "tokenizer_class": "MarianTokenizer"})
    languages = {tag[2:-2]: tokens[0].index(tag) for tag in tags}
    return tokens[0], tokens[-1], languages


def pegasus_tokenizer(folder, seed):
    """spiece.model with pad 0, eos 1; the vocabulary has 103 rows before its pieces (pad, eos, masks, unk_2 ...)."""
    model = made_text.train(seed, 100, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    (folder / "spiece.model").write_bytes(model)
    spellings, ordinary = made_text.pieces_of(model)
    tokens = ["<pad>", "</s>", "<mask_1>", "<mask_2>"] + [f"<unk_{i}>" for i in range(2, 103)] + ["<unk>"]
    tokens += [spellings[i] for i in ordinary]
    write_json(folder / "tokenizer_config.json",
               {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask_2>",
                "mask_token_sent": "<mask_1>", "offset": 103, "model_max_length": 512,
                "tokenizer_class": "PegasusTokenizer"})
    return tokens


def with_rows(tokens, count):
    """Adds rows of the embedding that no file names, by gloss's names for them."""
    return tokens + [f"<unused-{row}>" for row in range(len(tokens), len(tokens) + count)]


def m2m100_tokenizer(folder, seed):
    """sentencepiece.bpe.model and vocab.json: <s> 0, <pad> 1, </s> 2, <unk> 3, then pieces; 100 languages and 8 made-up
    words after the list."""
    model = made_text.train(seed, 110)
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    spellings, ordinary = made_text.pieces_of(model)
    tokens = ["<s>", "<pad>", "</s>", "<unk>"] + [spellings[i] for i in ordinary]
    write_json(folder / "vocab.json", {token: i for i, token in enumerate(tokens)})
    tags = [f"__{language}__" for language in M2M100_LANGUAGES]
    settings = {"src_lang": None, "tgt_lang": None, "bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>",
                "unk_token": "<unk>", "pad_token": "<pad>", "language_codes": "m2m100", "num_madeup_words": 8,
                "tokenizer_class": "M2M100Tokenizer", "additional_special_tokens": tags}
    write_json(folder / "tokenizer_config.json", settings)
    write_json(folder / "special_tokens_map.json", {key: settings[key] for key in settings if key.endswith("_token")})
    languages = {language: len(tokens) + i for i, language in enumerate(M2M100_LANGUAGES)}
    return with_rows(tokens + tags, 8), languages


def nllb_tokenizer(folder, seed):
    """sentencepiece.bpe.model and tokenizer.json: SentencePiece's id + 1, 202 languages after the pieces, <mask>."""
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

    model = made_text.train(seed, 110)
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    spellings, ordinary = made_text.pieces_of(model)
    tokens = ["<s>", "<pad>", "</s>", "<unk>"] + [spellings[i] for i in ordinary]
    languages = {language: len(tokens) + i for i, language in enumerate(FAIRSEQ_LANGUAGE_CODES)}
    tokens += [*FAIRSEQ_LANGUAGE_CODES, "<mask>"]
    special = ["<s>", "<pad>", "</s>", "<unk>", *FAIRSEQ_LANGUAGE_CODES, "<mask>"]
    write_json(folder / "tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": tokens.index(token), "content": token, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True} for token in special],
        "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None,
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": False,
                  "vocab": {token: i for i, token in enumerate(tokens[:4 + len(ordinary)])}, "merges": []}},
        indent=None)
    write_json(folder / "tokenizer_config.json",
               {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>",
                "pad_token": "<pad>", "mask_token": "<mask>", "src_lang": None, "tgt_lang": None,
                "additional_special_tokens": FAIRSEQ_LANGUAGE_CODES, "legacy_behaviour": False,
                "tokenizer_class": "NllbTokenizer"})
    return tokens, languages


def pickle_weights(folder, model):
    """Replaces the safetensors of a directory by the .bin files that transformers 4 saved, whole or in shards."""
    state = model.state_dict()
    shards = sorted(folder.glob("*.safetensors"))
    if len(shards) == 1:
        torch.save(state, folder / "pytorch_model.bin")
    else:
        index = {name: f"pytorch_model-{1 + number % 2:05}-of-00002.bin" for number, name in enumerate(state)}
        for file in set(index.values()):
            torch.save({name: value for name, value in state.items() if index[name] == file}, folder / file)
        (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
        (folder / "model.safetensors.index.json").unlink()
    for shard in shards:
        shard.unlink()


def make(folder, family, seed, **fixed):
    """Draws a model of the family, saves it with its tokenizer to `folder`, and returns it. `fixed` sets values of
    config.json."""
    random = numpy.random.default_rng(seed)
    folder.mkdir(parents=True)
    options = draw_sizes(random, family)
    languages = {}
    if family == "marian":
        separate = bool(fixed.pop("separate", random.random() < 0.25))
        source, target, languages = marian_tokenizer(folder, random, seed, separate)
        options |= {"vocab_size": len(source), "decoder_vocab_size": len(target), "pad_token_id": len(source) - 1,
                    "decoder_start_token_id": len(source) - 1, "eos_token_id": 0, "bos_token_id": 0,
                    "forced_eos_token_id": 0, "share_encoder_decoder_embeddings": not separate,
                    "static_position_embeddings": True, "normalize_before": False, "normalize_embedding": False,
                    "add_bias_logits": False, "add_final_layer_norm": False,
                    "bad_words_ids": [[len(source) - 1]], "model_type": "marian"}
    elif family == "pegasus":
        source = target = pegasus_tokenizer(folder, seed)
        options |= {"vocab_size": len(source), "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
                    "bos_token_id": None, "forced_eos_token_id": 1}
    else:
        source, languages = (m2m100_tokenizer if family == "m2m_100" else nllb_tokenizer)(folder, seed)
        extra = int(random.integers(0, 4)) if family == "nllb" else 0  # rows without a token
        source = target = with_rows(source, extra)
        options |= {"vocab_size": len(source), "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2,
                    "bos_token_id": 0}
        if family == "nllb":
            options["tokenizer_class"] = "NllbTokenizer"
    config_class, model_class = CLASSES[family]
    model = model_class(config_class(**{**options, **fixed}))
    randomize(model, random, options["eos_token_id"])
    model.save_pretrained(folder, max_shard_size="200KB" if random.random() < 0.2 else "5GB")
    for path in folder.glob("*.safetensors"):
        path.chmod(0o644)
    made = {"<pad>", "</s>", "<s>", "<unk>"}
    count = lambda tokens: [i for i, t in enumerate(tokens) if t not in made and not t.startswith(("<", "__", ">>"))
                            and i not in languages.values()]
    return HuggingFaceModel(family, model, (source, target), count(source), count(target), languages)
