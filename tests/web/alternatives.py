"""Documents of networks that lack parts of a Transformer, made of those of a Transformer."""

import copy


def rows_of(array, kept):
    """Returns the rows `kept` of an array, by their first index."""
    size = len(array["values"]) // array["shape"][0]
    values = [value for row in kept for value in array["values"][row * size : (row + 1) * size]]
    return {"shape": [len(kept), *array["shape"][1:]], "values": values}


def changed(document, config, change):
    """Returns a copy of a document whose models have other settings and whose items are changed."""
    result = copy.deepcopy(document)
    for model in result["models"]:
        model["config"].update(config)
    for item in result["items"]:
        change(item)
    return result


def without_residual(document):
    """A Transformer without residual connections and norms."""

    def change(item):
        item["contributions"] = None

    return changed(document, {"residual": False, "norm_type": "none"}, change)


def causal(document):
    """RMS norm, relative positions, additive scores and a causal mask of the encoder."""

    def change(item):
        for mask in item["masks"]:
            if mask["name"] == "encoder.self":
                rows, columns = mask["visible"]["shape"]
                mask["visible"]["values"] = [int(j <= i) for i in range(rows) for j in range(columns)]
        for embedding in item["embedding"].values():
            embedding["positions"]["values"] = [0] * len(embedding["positions"]["values"])

    settings = {
        "norm_type": "rms",
        "positions": "relative",
        "attention_score": "additive",
        "encoder_mask": "causal",
        "embedding_scale": "one",
    }
    result = changed(document, settings, change)
    for model in result["models"]:
        model["positions"] = None
    return result


def recurrent(document, attention="additive"):
    """A recurrent network: cross-attention of decoder layer 0 alone, or none."""
    part = "decoder.0.cross"
    attends = attention == "additive"

    def change(item):
        item["maps"] = [each for each in item["maps"] if attends and each["part"] == part]
        item["masks"] = [each for each in item["masks"] if attends and each["name"] == "decoder.cross"]
        for layer in item["stack"]:
            kept = {"input", "output"} | ({"cross"} if attends and layer["part"] == "decoder.0" else set())
            for vectors in ("vectors", "norms"):
                layer[vectors] = {name: each for name, each in layer[vectors].items() if name in kept}
        for embedding in item["embedding"].values():
            embedding["positions"]["values"] = [0] * len(embedding["positions"]["values"])
        item["lens"] = item["contributions"] = None
        if "interventions" in item:
            parts = item["interventions"]["parts"]
            heads = item["maps"][0]["weights"]["shape"][0] if attends else 0
            rows = list(range(1 + heads)) if attends else []
            parts["names"] = [part, *(f"{part}.{head}" for head in range(heads))] if attends else []
            parts["log_probabilities"] = rows_of(parts["log_probabilities"], rows)
            parts["loss"] = rows_of(parts["loss"], rows)
            parts["texts"] = [parts["texts"][row] for row in rows]

    result = changed(document, {"architecture": "recurrent", "recurrent_attention": attention}, change)
    for model in result["models"]:
        model["positions"] = None
    return result
