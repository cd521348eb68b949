"""Random Marian models: options with every switch that gloss reads, and weights for them."""

import numpy

import made_text

# What Marian itself writes into a model file besides the options below.
OTHER_OPTIONS = {
    "bert-train-type-embeddings": True, "bert-type-vocab-size": 2, "dec-cell-base-depth": 2, "dec-cell-high-depth": 1,
    "embedding-dim-ffn": 0, "enc-cell": "gru", "enc-cell-depth": 1, "enc-type": "bidirectional",
    "factors-combine": "sum", "factors-dim-emb": 0, "input-types": [], "layer-normalization": False,
    "lemma-dependency": "", "lemma-dim-emb": 0, "output-approx-knn": [], "right-left": False, "skip": False,
    "transformer-aan-activation": "swish", "transformer-aan-depth": 2, "transformer-aan-nogate": False,
    "transformer-dim-aan": 2048, "transformer-flat-out": False, "transformer-pool": False,
    "transformer-depth-scaling": False, "transformer-train-position-embeddings": False, "ulr": False,
    "ulr-dim-emb": 0, "ulr-trainable-transformation": False, "unlikelihood-loss": False,
}
# Up to 1.10 pre-norm self-attention norms the query alone; the first is the fork for browsers.
VERSIONS = ["v1.9.56 e88c1aa 2023-05-09 15:21:10 +0100", "v1.10.24 4dd30b5 2021-09-08 14:02:21 +0100",
            "v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800"]


def options_of(random, **fixed):
    """Draws options; `fixed` sets some."""
    d = int(random.choice([8, 16, 24, 32, 48]))
    heads = int(random.choice([h for h in (1, 2, 4, 8) if d % h == 0]))
    depth = int(random.integers(1, 5))
    pre = random.random() < 0.4
    options = {
        "type": "transformer",
        "dim-emb": d,
        "dim-rnn": 1024,
        "dim-vocabs": [60, 60],
        "enc-depth": int(random.integers(1, 4)),
        "dec-depth": depth,
        "transformer-heads": heads,
        "transformer-dim-ffn": int(random.choice([16, 32, 40])),
        "transformer-decoder-dim-ffn": 0,
        "transformer-decoder-ffn-depth": 0,
        "transformer-ffn-depth": 2,
        "transformer-ffn-activation": str(random.choice(["relu", "swish", "gelu"])),
        "transformer-preprocess": "n" if pre else "",
        "transformer-postprocess": "da" if pre else "dan",
        "transformer-postprocess-emb": str(random.choice(["d", "d", "", "nd", "n"])),
        "transformer-postprocess-top": "n" if pre else "",
        "transformer-decoder-autoreg": "self-attention",
        "dec-cell": "gru",
        "transformer-tied-layers": [],
        "transformer-train-positions": False,
        "transformer-no-projection": False,
        "transformer-rnn-projection": False,
        "transformer-guided-alignment-layer": "last",
        "tied-embeddings": False,
        "tied-embeddings-src": False,
        "tied-embeddings-all": False,
        "output-omit-bias": False,
        "max-length": 100,
        "version": str(random.choice(VERSIONS)),
    }
    tie = random.choice(["all", "all", "decoder", "none", "source"])
    options[{"all": "tied-embeddings-all", "decoder": "tied-embeddings", "source": "tied-embeddings-src",
             "none": "ulr"}[tie]] = tie != "none"
    if random.random() < 0.3:
        options["transformer-decoder-dim-ffn"] = int(random.choice([24, 56]))
    if random.random() < 0.3:
        options["transformer-decoder-autoreg"], options["dec-cell"] = "rnn", "ssru"
        options["transformer-rnn-projection"] = bool(random.random() < 0.3)
    if random.random() < 0.25:
        options["transformer-tied-layers"] = [1] + [int(random.integers(1, i + 2)) for i in range(1, depth)]
    if random.random() < 0.2:
        options["transformer-train-positions"] = True
    if random.random() < 0.15:
        options["transformer-no-projection"] = True
    if random.random() < 0.15:
        options["output-omit-bias"] = True
    return {**OTHER_OPTIONS, **options, **fixed}


def shapes_of(options):
    """Returns the shape of each tensor by Marian's name."""
    d, vocabularies = options["dim-emb"], options["dim-vocabs"]
    shapes = {}

    def norm(prefix, suffix=""):
        shapes[f"{prefix}_ln_scale{suffix}"] = shapes[f"{prefix}_ln_bias{suffix}"] = (1, d)

    def norms(prefix, pre_prefix=None):
        if "n" in options["transformer-preprocess"]:
            norm(pre_prefix or prefix, "_pre")
        if "n" in options["transformer-postprocess"]:
            norm(prefix)

    def affine(prefix, suffix, rows, columns):
        shapes[f"{prefix}_W{suffix}"] = (rows, columns)
        shapes[f"{prefix}_b{suffix}"] = (1, columns)

    def attention(prefix):
        for suffix in "qkv" if options["transformer-no-projection"] else "qkvo":
            affine(prefix, suffix, d, d)
        norms(prefix + "_Wo")

    def feed_forward(prefix, width):
        affine(prefix, "1", d, width)
        affine(prefix, "2", width, d)
        norms(prefix + "_ffn")

    if options["tied-embeddings-all"] or options["tied-embeddings-src"]:
        shapes["Wemb"] = (vocabularies[0], d)
    else:
        shapes["encoder_Wemb"], shapes["decoder_Wemb"] = (vocabularies[0], d), (vocabularies[1], d)
    if options["transformer-train-positions"]:
        shapes["Wpos"] = (options["max-length"], d)
    for side in ("encoder", "decoder"):
        if "n" in options["transformer-postprocess-emb"]:
            norm(side + "_emb", "_pre")
        if "n" in options["transformer-postprocess-top"]:
            norm(side + "_top")
    for i in range(1, options["enc-depth"] + 1):
        attention(f"encoder_l{i}_self")
        feed_forward(f"encoder_l{i}_ffn", options["transformer-dim-ffn"])
    for i in sorted(set(options["transformer-tied-layers"] or range(1, options["dec-depth"] + 1))):
        if options["transformer-decoder-autoreg"] == "rnn":
            prefix = f"decoder_l{i}_rnn"
            shapes[prefix + "_W"] = (d, d)
            affine(prefix, "f", d, d)
            if options["transformer-rnn-projection"]:
                affine(prefix, "o", d, d)
            norms(prefix + "_ffn", prefix)
        else:
            attention(f"decoder_l{i}_self")
        attention(f"decoder_l{i}_context")
        feed_forward(f"decoder_l{i}_ffn", options["transformer-decoder-dim-ffn"] or options["transformer-dim-ffn"])
    if not (options["tied-embeddings"] or options["tied-embeddings-all"]):
        shapes["decoder_ff_logit_out_Wt"] = (vocabularies[1], d)
    if not options["output-omit-bias"]:
        shapes["decoder_ff_logit_out_b"] = (1, vocabularies[1])
    return shapes


def weights_of(options, random, legacy_output=False):
    """Draws weights. `legacy_output`: an untied output matrix has the name and shape of older versions, [D, V]."""
    weights = {}
    for name, shape in shapes_of(options).items():
        values = random.standard_normal(shape)
        if "Wemb" in name or name.endswith("_Wt"):
            values *= options["dim-emb"] ** -0.5
        elif "_ln_scale" in name:
            values = 1 + 0.2 * values
        elif name.endswith("logit_out_b"):
            values[:, 0] += 1.5  # eos, so that translations end
        elif shape[0] == 1:
            values *= 0.2
        elif name != "Wpos":
            values *= 2 * (2 / sum(shape)) ** 0.5
        weights[name] = values.astype("f4")
    if legacy_output and "decoder_ff_logit_out_Wt" in weights:
        weights["decoder_ff_logit_out_W"] = numpy.ascontiguousarray(weights.pop("decoder_ff_logit_out_Wt").T)
    return weights


def same_vocabulary(options):
    return options["tied-embeddings-all"] or options["tied-embeddings-src"]


def vocabularies_of(options, seed, languages=()):
    """Trains SentencePiece models and returns them with the tokens of vocab.yml of both sides. The vocabulary has other
    ids than the SentencePiece models, as in packages of OPUS-MT: a joint one has the pieces of both."""
    models = [made_text.train(seed, 90), made_text.train(seed + 1, 100)]
    random = numpy.random.default_rng(seed)
    tags = [f">>{language}<<" for language in languages]
    lists = []
    for model in models:
        spellings, ordinary = made_text.pieces_of(model)
        lists.append([spellings[i] for i in ordinary])
    if same_vocabulary(options):
        joint = sorted(set(lists[0]) | set(lists[1]))
        lists = [joint, joint]
    tokens = []
    for pieces in lists:
        order = random.permutation(len(pieces))
        tokens.append(["</s>", "<unk>"] + [pieces[i] for i in order] + tags)
        if same_vocabulary(options):
            tokens.append(tokens[0])
            break
    return models, tokens
