"""Models that gloss trains on Multi30k, translated by CTranslate2 and transformers from exported folders.

The program in the README.md of each folder translates test_2016_flickr, so that it is checked, too.
"""

import json
import pathlib
import re
import subprocess
import sys

from comparison import Summary
from gloss_program import ModelFile
from check_export import same_weights

MODELS = {  # Marian's shape; CTranslate2 and NumPy know Marian's own positions, MarianMTModel only the paper's
    "marian": {"norm": "post", "decoder_start": "zero", "position_frequencies": "tensor2tensor",
               "layer_norm_epsilon": 1e-6, "activation": "swish"},
    "marianmt": {"norm": "post", "decoder_start": "zero", "activation": "relu"},
    "pegasus": {"norm": "pre"},
}
FORMATS = {"marian": ["ctranslate2", "marian"], "marianmt": ["ctranslate2", "huggingface"],
           "pegasus": ["ctranslate2", "huggingface"]}


def train(gloss, multi30k, folder, name, epochs):
    model = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 128, "d_ff": 256, "heads": 4, "dropout": 0.1,
             "tie_embeddings": "all", **MODELS[name]}
    data = {f"{part}_{side}": str((multi30k / f"{file}.{language}").resolve())
            for part, file in (("train", "train"), ("valid", "val"), ("test", "test_2016_flickr"))
            for side, language in (("source", "en"), ("target", "de"))}
    run = {"seed": 1, "defaults": "fixed", "tokenizer": {"vocabulary_size": 4000}, "data": {**data, "batch_tokens": 4096},
           "model": model, "decoding": {"beam_size": 5},
           "training": {"max_epochs": epochs, "schedule": "inverse_sqrt", "learning_rate": 0.003, "warmup_steps": 300,
                        "validate_every": 1000000}}
    out = folder / f"{name}-run"
    if not (out / "model.safetensors").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(run))
        gloss.run("train-translate", "--config", folder / f"{name}.json", "--out", out)
    return out / "model.safetensors"


def readme_program(folder):
    """The one block of Python in README.md."""
    blocks = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1, f"{folder}/README.md: wanted one program, found {len(blocks)}"
    return blocks[0]


def run_readme(folder, lines, beam):
    """Translations of README.md's program. Beam 1 is put in the place of the search of the model's run file."""
    program = readme_program(folder)
    if beam == 1:
        program = re.sub(r"(beam_size|num_beams)=\d+", r"\1=1", program)
        program = re.sub(r"\n *(length_penalty|patience)=[^,\n]*,?", "", program)
        if "generate(" in program and "num_beams" not in program:
            program = program.replace("generate(", "generate(num_beams=1, length_penalty=1.0, ", 1)
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, input="".join(l + "\n" for l in lines).encode(),
                          capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{folder}/README.md: exit code {done.returncode}: {done.stderr.decode()[-600:]}\n{program}")
    return done.stdout.decode().split("\n")[:-1]


def bleu(gloss, multi30k, folder, lines):
    found = folder / "found.de"
    found.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    report = json.loads(gloss.run("evaluate", "--hypothesis", found, "--reference",
                                  multi30k / "test_2016_flickr.de", "--json"))
    return report["bleu"]["score"]


def check_format(gloss, multi30k, model, name, format_name, lines, summary):
    place = model.parent / format_name
    if not place.exists():
        gloss.export(model, format_name, place)
    if format_name != "ctranslate2":
        again = place.parent / f"{format_name}-again.safetensors"
        gloss.import_model(place, again, "--overwrite")
        different = same_weights(model, again)
        summary.count(f"gloss, {format_name}, gloss: same bytes", not different, f"{name}: {different[:4]}")
        for beam in (1, 5):
            equal = sum(a == b for a, b in zip(gloss.translate(model, lines, "--beam", beam),
                                               gloss.translate(again, lines, "--beam", beam)))
            summary.count(f"gloss, {format_name}, gloss: equal lines", equal == len(lines),
                          f"{name}, beam {beam}: {equal} of {len(lines)}")
    if format_name == "marian":
        return
    for beam in (1, 5):
        own = gloss.translate(model, lines, "--beam", beam)
        found = run_readme(place, lines, beam)
        different = [i for i, (a, b) in enumerate(zip(own, found)) if a != b]
        wanted = 0.99 if format_name == "huggingface" and beam == 5 else 0.999
        title = f"{name}, {format_name}, beam {beam}"
        scores = bleu(gloss, multi30k, place, own), bleu(gloss, multi30k, place, found)
        print(f"multi30k: {title}: {len(lines) - len(different)} of {len(lines)} lines equal, BLEU {scores[1]:.2f} "
              f"(gloss {scores[0]:.2f})", flush=True)
        for i in different[:12]:
            print(f"  line {i + 1}: {found[i]!r}, gloss: {own[i]!r}{explanation(gloss, model, lines[i], own[i], found[i])}")
        summary.count("equal lines", len(found) == len(lines) and len(lines) - len(different) >= wanted * len(lines),
                      f"{title}: {len(different)} of {len(lines)} lines differ")
        summary.count("BLEU within 0.05", abs(scores[0] - scores[1]) <= 0.05, f"{title}: {scores}")


def explanation(gloss, model, source, own, found):
    """Scores, divided by the length, that gloss gives the two translations."""
    folder = model.parent
    (folder / "pair.en").write_text((source + "\n") * 2, encoding="utf-8")
    (folder / "pair.de").write_text(f"{own}\n{found}\n", encoding="utf-8")
    scores = gloss.run("score", "--model", model, "--source", folder / "pair.en", "--target",
                       folder / "pair.de").decode().split()
    return f" (scores by gloss: found {scores[1]}, own {scores[0]})"


def main(gloss, folder, multi30k, epochs):
    summary = Summary("multi30k")
    lines = (multi30k / "test_2016_flickr.en").read_text(encoding="utf-8").splitlines()
    for name in MODELS:
        model = train(gloss, multi30k, folder, name, epochs)
        for format_name in FORMATS[name]:
            try:
                check_format(gloss, multi30k, model, name, format_name, lines, summary)
            except Exception as error:  # the other formats are still of interest
                summary.fail(f"{name}, {format_name}: {type(error).__name__}: {error}")
    summary.print()
    return summary.failures
