"""Random models of transformers against gloss's import of their directories."""

import numpy

import huggingface_models
from comparison import TOLERANCE, Summary, relative, same_search
from gloss_program import GlossError, ModelFile, id_map
from marian_network import log_softmax

LENGTH = 14  # of searched translations, eos included


def draw_pairs(model, random):
    """Source ids with tag and eos, target ids with tag."""
    pairs = []
    for _ in range(3):
        source = random.choice(model.source_count, random.integers(1, 12)).tolist()
        target = random.choice(model.target_count, random.integers(0, 10)).tolist()
        if model.languages:
            model.choose_languages(*random.choice(list(model.languages), 2))
        pairs.append(([*model.prefix, *source, model.eos], [*model.forced, *target], model.forced))
    return pairs


def check_model(gloss, folder, model, seed, summary):
    random = numpy.random.default_rng(seed + 1000)
    output = folder / "gloss.safetensors"
    name = f"{model.family}, seed {seed}"
    try:
        gloss.import_model(folder, output, "--formulas", "huggingface")
        file = ModelFile(output)
    except GlossError as error:
        summary.count("imported", False, f"{name}: {error}")
        return
    summary.count("imported", True)
    source_ids, target_ids = id_map(model.tokens[0], file.source_pieces), id_map(model.tokens[1], file.target_pieces)
    known = target_ids >= 0
    for side, ids in (("source", source_ids), ("target", target_ids)):
        lost = [t for t, i in zip(model.tokens[side == "target"], ids) if i < 0 and t not in ("<s>", "<pad>")]
        if lost:
            summary.fail(f"{name}: {side} pieces missing in gloss: {lost[:5]}")
    known[model.banned] = False
    pairs = draw_pairs(model, random)
    mapped = [(source_ids[s].tolist(), target_ids[t].tolist()) for s, t, _ in pairs]
    expected = [model.logits(s, t) for s, t, _ in pairs]
    rounding = [relative(model.logits(s, t, exact=False), right) for (s, t, _), right in zip(pairs, expected)]
    for path in ("inference", "plain", "training"):
        for found, right, own in zip(gloss.logits(output, mapped, path), expected, rounding):
            value = relative(found[:, target_ids[known]], right[:, known])
            if TOLERANCE < value <= own:  # a network that multiplies rounding errors
                summary.count(f"logits ({path}): rounded as much as transformers rounds in float32", True)
            else:
                summary.difference(f"logits ({path})", value, name)

    def score_of(hypothesis):
        ids, ended = hypothesis
        tokens = [*forced, *ids, *([model.eos] if ended else [])]
        logits = model.logits(source, tokens).astype("f8")
        logits[:, model.banned] = -1e9
        chances = log_softmax(logits)
        return sum(chances[i, token] for i, token in enumerate(tokens) if i >= len(forced)) / max(1, len(tokens))

    back = {int(i): k for k, i in enumerate(target_ids) if i >= 0}
    for beams in (1, 4):
        starts = [(s, target_ids[forced].tolist() if forced else []) for (s, _), (_, _, forced) in zip(mapped, pairs)]
        for line, (source, _, forced) in zip(gloss.search(output, starts, beams, LENGTH), pairs):
            ids = [back[i] for i in line["ids"]][len(forced):]
            found = (ids, line["length"] > len(line["ids"]))
            right = model.generate(source, forced, LENGTH, beams, length_penalty=1.0, early_stopping=True)
            summary.count("greedy ids equal" if beams == 1 else "ids of beam 4 equal, or of equal score",
                          *(lambda r: (r[0], f"{name}: {r[1]}"))(same_search(found, right, score_of)))


def main(gloss, folder, count):
    summary = Summary("hugging face")
    for seed in range(count):
        family = huggingface_models.FAMILIES[seed % len(huggingface_models.FAMILIES)]
        place = folder / f"huggingface-{seed}"
        model = huggingface_models.make(place, family, seed)
        if seed // len(huggingface_models.FAMILIES) % 2:
            huggingface_models.leave_out_defaults(place, family)
        if seed % 3 == 0:
            huggingface_models.pickle_weights(place, model.model)
        check_model(gloss, place, model, seed, summary)
    summary.print()
    return summary.failures
