"""Compares the programs of this folder with each other, without gloss: marian_network.py with CTranslate2's model from
its own converter, and with transformers' MarianMTModel of the same weights."""

import ctranslate2_models
import huggingface_models
import marian_models
import marian_network
import numpy
import torch


def to_huggingface(options, weights):
    """Returns a MarianMTModel with Marian's weights (ids unchanged, a zero row <pad> at the end), or None if that class
    has no such network."""
    options, weights = ctranslate2_models.expanded(options, weights)
    if (options["transformer-preprocess"] or "n" in options["transformer-postprocess-emb"]
            or options["transformer-train-positions"] or options["transformer-decoder-autoreg"] != "self-attention"
            or not options["tied-embeddings-all"]):
        return None
    rows = options["dim-vocabs"][0]
    activation = {"relu": "relu", "swish": "swish", "gelu": "quick_gelu"}[options["transformer-ffn-activation"]]
    config = huggingface_models.MarianConfig(
        vocab_size=rows + 1, d_model=options["dim-emb"], encoder_layers=options["enc-depth"],
        decoder_layers=options["dec-depth"], encoder_attention_heads=options["transformer-heads"],
        decoder_attention_heads=options["transformer-heads"], encoder_ffn_dim=options["transformer-dim-ffn"],
        decoder_ffn_dim=options["transformer-decoder-dim-ffn"] or options["transformer-dim-ffn"],
        activation_function=activation, scale_embedding=True, pad_token_id=rows, decoder_start_token_id=rows,
        eos_token_id=0, forced_eos_token_id=0)
    model = huggingface_models.MarianMTModel(config).eval()
    state = {"model.shared.weight": numpy.concatenate([weights["Wemb"], numpy.zeros((1, options["dim-emb"]), "f4")])}
    bias = weights.get("decoder_ff_logit_out_b", numpy.zeros((1, rows), "f4"))
    state["final_logits_bias"] = numpy.concatenate([bias, [[0]]], 1).astype("f4")
    parts = {"self_W": "self_attn.", "context_W": "encoder_attn.", "ffn_W": "fc"}
    for side, depth in (("encoder", options["enc-depth"]), ("decoder", options["dec-depth"])):
        for i in range(depth):
            origin, layer = f"{side}_l{i + 1}_", f"model.{side}.layers.{i}."
            for name in ("self", "context") if side == "decoder" else ("self",):
                part = parts[name + "_W"]
                for letter, word in zip("qkvo", ("q_proj", "k_proj", "v_proj", "out_proj")):
                    state[f"{layer}{part}{word}.weight"] = weights[f"{origin}{name}_W{letter}"].T
                    state[f"{layer}{part}{word}.bias"] = weights[f"{origin}{name}_b{letter}"][0]
                state[f"{layer}{part[:-1]}_layer_norm.weight"] = weights[f"{origin}{name}_Wo_ln_scale"][0]
                state[f"{layer}{part[:-1]}_layer_norm.bias"] = weights[f"{origin}{name}_Wo_ln_bias"][0]
            for n in "12":
                state[f"{layer}fc{n}.weight"] = weights[f"{origin}ffn_W{n}"].T
                state[f"{layer}fc{n}.bias"] = weights[f"{origin}ffn_b{n}"][0]
            state[f"{layer}final_layer_norm.weight"] = weights[f"{origin}ffn_ffn_ln_scale"][0]
            state[f"{layer}final_layer_norm.bias"] = weights[f"{origin}ffn_ffn_ln_bias"][0]
    missing = model.load_state_dict({n: torch.from_numpy(w.copy()) for n, w in state.items()}, strict=False)
    missing = [n for n in missing.missing_keys if "embed_" not in n and n != "lm_head.weight"] + missing.unexpected_keys
    assert not missing, missing
    model.tie_weights()
    return huggingface_models.HuggingFaceModel("marian", model, [], [], [])


def relative(a, b):
    """Largest difference, relative to the largest value of b."""
    return float(numpy.abs(a - b).max() / numpy.abs(b).max())


def main(count):
    """Returns the lines of failures, and prints a summary."""
    failures, worst = [], {}

    def compare(name, seed, found, expected):
        done, difference = worst.get(name, (0, 0.0))
        value = relative(found, expected)
        worst[name] = (done + 1, max(difference, value))
        if not value <= 1e-5:
            failures.append(f"self check, seed {seed}: {name}: differs by {value:.2g} of the largest logit")

    for seed in range(count):
        random = numpy.random.default_rng(seed)
        options = marian_models.options_of(random)
        options["transformer-decoder-autoreg"] = "self-attention"
        _, tokens = marian_models.vocabularies_of(options, seed)
        options["dim-vocabs"] = [len(side) for side in tokens]
        weights = marian_models.weights_of(options, random)
        source = random.integers(1, len(tokens[0]), 7).tolist()
        target = random.integers(1, len(tokens[1]), 6).tolist()
        own = marian_network.MarianNetwork(options, weights, norms_keys=True)  # as CTranslate2
        paper = marian_network.MarianNetwork(options, weights, "paper", 1e-5, True)
        words = [tokens[0][i] for i in source], [tokens[1][i] for i in target]
        for network, name in ((paper, "CTranslate2"), (own, "CTranslate2 with Marian's positions and epsilon")):
            expected = marian_network.log_softmax(network.logits([*source, 0], target))
            expected = expected[numpy.arange(len(target) + 1), [*target, 0]]
            translator = ctranslate2_models.from_marian(options, weights, tokens, network if network is own else None)
            compare(name, seed, ctranslate2_models.log_probabilities(translator, *words), expected)
        model = to_huggingface(options, weights)
        if model:
            expected = paper.logits([*source, 0], target)
            compare("transformers' MarianMTModel", seed, model.logits([*source, 0], target)[:, :-1], expected)
    for name, (done, difference) in worst.items():
        print(f"self check: NumPy and {name}: {done} models, largest difference {difference:.2g}", flush=True)
    return failures


if __name__ == "__main__":
    for failure in main(20):
        print(failure)
