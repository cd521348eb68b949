"""Models as Firefox ships them: gloss against the wheels bergamot (Marian's own code, which Firefox runs) and fxtranslate.

Small random models by default. With a text, also students of full size, with speed and memory of the three programs. The
translations are compared with those of bergamot, one line at a time, since Marian's shortlist is that of a batch.

Sums in another order change the last bit of a float, which now and then changes the integer that it is rounded to, and
with it all that follows. bergamot itself computes in two ways, with and without a shift of its inputs, and they agree on
some lines only. gloss has to agree with one as often as the other does. A line that differs is forced through gloss for
the difference of the logits of the two words.
"""

import contextlib
import json
import subprocess
import time

import numpy
import sentencepiece

import firefox_models
import made_text
import marian_engine
import marian_files
from comparison import Summary
from gloss_program import GlossError, ModelFile

TIE = 1e-3  # difference of logits
SLACK = 0.02  # share of lines that gloss may agree on less than bergamot does with itself
FULL_SIZE = 32000  # pieces in Marian: a multiple of 8


def first_difference(gloss, model, folder, line, right):
    """Difference of the logits of gloss's piece and of another one where two translations part. A text does not show
    its pieces; of the places and pieces that are possible those count that gloss finds nearest."""
    report = json.loads(gloss.run("translate", "--model", model, "--threads", "1", "--json-lines", text=line + "\n"))
    found = report["translations"][0]
    file = ModelFile(model)
    spelling = file.target_pieces
    ids = [spelling.index(token["piece"]) for token in found["tokens"]]
    text = lambda tokens: "".join(spelling[i] for i in tokens if i > 3).replace("▁", " ").lstrip()
    step = max(t for t in range(len(ids) + 1) if right.startswith(text(ids[:t])))
    ids.append(3)
    processor = sentencepiece.SentencePieceProcessor(model_proto=(folder / "vocab.enfr.spm").read_bytes())
    source = [file.source_pieces.index(processor.id_to_piece(i)) for i in processor.encode(line)] + [3]
    rows = gloss.logits(model, [(source, ids[:step])])[0]
    written = [piece.replace("▁", " ") for piece in spelling]

    def gaps(t):
        rest = right[len(text(ids[:t])):]
        starts = [i for i in range(3, len(written)) if i != ids[t] and
                  (i == 3 or rest.startswith(written[i] if text(ids[:t]) else written[i].lstrip()))]
        return abs(rows[t][starts] - rows[t][ids[t]])

    return float(min(gaps(t).min() for t in range(step + 1)))


def timed(gloss, model, lines, *options):
    """Seconds for the lines without loading, and peak memory in MB."""
    def run(some):
        command = [gloss.gloss, "translate", "--model", model, "--quiet", *options]
        start, peak = time.monotonic(), 0
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            process.stdin.write("".join(line + "\n" for line in some).encode())
            process.stdin.close()
            while process.poll() is None:
                with contextlib.suppress(OSError, TypeError):  # it has just ended
                    peak = marian_engine.peak_memory(process.pid)
                time.sleep(0.01)
        return time.monotonic() - start, peak
    whole, peak = run(lines)
    return whole - run(lines[:1])[0], peak


def measure(gloss, engine, place, model, folder, lines):
    """Prints lines a second of one thread."""
    found_model, vocabularies, table = place
    settings = {**firefox_models.SETTINGS, "shortlist": [str(table), 1]}
    alone = engine.measure(found_model, vocabularies, lines, alone=True, **settings)
    batched = engine.measure(found_model, vocabularies, lines, **settings)
    rust = engine.measure_fxtranslate(found_model, vocabularies, table, lines)
    single, single_peak = timed(gloss, model, lines, "--threads", "1", "--batch-size", "1")
    together, together_peak = timed(gloss, model, lines, "--threads", "1")
    for name, seconds, peak in (("gloss, one line at a time", single, single_peak),
                                ("bergamot, one line at a time", alone["seconds"], alone["peak"]),
                                ("fxtranslate, one line at a time", rust["seconds"], rust["peak"]),
                                ("gloss, in batches", together, together_peak),
                                ("bergamot, in batches", batched["seconds"], batched["peak"])):
        print(f"firefox: {folder.name}: {name}: {len(lines) / seconds:.0f} lines/s, peak {peak:.0f} MB", flush=True)


def check(gloss, engine, name, place, lines, summary, tie_lines=50, slack=SLACK):
    """Imports a folder and compares translations."""
    found_model, vocabularies, table = place
    folder = found_model.parent
    model = folder / "gloss.safetensors"
    gloss.import_model(folder, model)
    check_export(gloss, engine, name, model, folder / "exported", lines, summary, vocabularies)
    found = gloss.translate(model, lines, "--threads", "1")
    settings = {**firefox_models.SETTINGS, "shortlist": [str(table), 1]}
    right = engine.measure(found_model, vocabularies, lines, alone=True, **settings)["lines"]
    again = engine.measure(found_model, vocabularies, lines, alone=True,
                           **{**settings, "gemm-precision": "int8Alpha"})["lines"]
    rust = engine.measure_fxtranslate(found_model, vocabularies, table, lines)["lines"]
    same = lambda texts: sum(a == b for a, b in zip(texts, right, strict=True))
    summary.count(f"{name}: as many lines equal as of bergamot's two ways", same(found) >= same(again) - slack * len(lines),
                  f"{same(found)} of {len(lines)}, bergamot {same(again)}")
    print(f"firefox: {name}: of {len(lines)} lines {same(found)} are equal; in bergamot's other way {same(again)}, in "
          f"fxtranslate {same(rust)}", flush=True)
    equal = [a == b for a, b in zip(found, right)]
    done, all_lines = summary.lines.get(name, (0, 0))
    summary.lines[name] = done + sum(equal), all_lines + len(lines)
    gaps = [first_difference(gloss, model, folder, lines[i], right[i])
            for i in [i for i, is_equal in enumerate(equal) if not is_equal][:tie_lines]]
    if gaps:
        print(f"firefox: {name}: {sum(gap < TIE for gap in gaps)} of {len(gaps)} different lines are ties below {TIE}; "
              f"differences of logits: {', '.join(f'{gap:.1g}' for gap in sorted(gaps))}", flush=True)
    return model


def check_export(gloss, engine, name, model, folder, lines, summary, vocabularies=None):
    """Exports a model in int8, with its shortlist and its scales of inputs. Both engines have to translate with it as gloss does with its import, and a second export
    has to be the first. `vocabularies`: those of an imported model, of which an export has no .spm."""
    gloss.export(model, "marian", folder, "--precision", "int8")
    again = folder.with_suffix(".safetensors")
    gloss.import_model(folder, again, "--precision", "int8")
    gloss.export(again, "marian", folder.with_suffix(".again"), "--precision", "int8")
    for file in ("model.bin", "lex.s2t.bin"):
        summary.count(f"{name}: the export of an import is the same file",
                      (folder / file).read_bytes() == (folder.with_suffix(".again") / file).read_bytes(), file)
    vocabularies = vocabularies or [next(iter([*folder.glob(f"{side}_vocab.spm"), folder / "vocab.spm"]))
                                    for side in ("source", "target")]
    table = folder / "lex.s2t.bin"
    settings = {**firefox_models.SETTINGS, "shortlist": [str(table), 1]}
    found = gloss.translate(again, lines, "--threads", "1", "--beam", "1")
    right = engine.measure(folder / "model.bin", vocabularies, lines, alone=True, **settings)["lines"]
    other = engine.measure(folder / "model.bin", vocabularies, lines, alone=True,
                           **{**settings, "gemm-precision": "int8Alpha"})["lines"]
    rust = engine.measure_fxtranslate(folder / "model.bin", vocabularies, table, lines)["lines"]
    same = lambda texts: sum(a == b for a, b in zip(texts, right, strict=True))
    print(f"firefox: {name}, exported: of {len(lines)} lines {same(found)} of gloss are equal to bergamot's; in its other "
          f"way {same(other)}, in fxtranslate {same(rust)}", flush=True)
    summary.count(f"{name}, exported: as many lines equal as of bergamot's two ways",
                  same(found) >= same(other) - 0.1 * len(lines), f"{same(found)} of {len(lines)}, bergamot {same(other)}")
    return folder / "model.bin", vocabularies, table


def write_random(folder, shape, vocabulary, text, pieces, seed, first, marian_conv):
    options, weights = firefox_models.random_model(shape, pieces, seed)
    random = numpy.random.default_rng(seed)
    pairs = [(source, random.integers(2, pieces, len(source))) for source in firefox_models.cut(vocabulary, text[:60])]
    return firefox_models.write_folder(folder, options, weights, firefox_models.multipliers(options, weights, pairs),
                                       vocabulary, firefox_models.random_lists(pieces, seed), first, marian_conv)


def write_student(folder, exported, multi30k, lines, marian_conv):
    """A folder of a model that gloss trained on Multi30k and exported to Marian's format, with a table of these texts."""
    options, weights = marian_files.read_npz(exported / "model.npz")
    vocabulary = next(exported.glob("*.spm")).read_bytes()
    sources = firefox_models.cut(vocabulary, lines[:60])
    found = firefox_models.multipliers(options, weights, [(source, source[:-1]) for source in sources])
    weights = {name: value for name, value in weights.items() if not name.startswith("special:")}
    texts = [(multi30k / f"train.{side}").read_text(encoding="utf-8").splitlines() for side in ("en", "de")]
    return firefox_models.write_folder(folder, options, weights, found, vocabulary,
                                       firefox_models.lexical_lists(vocabulary, *texts), 50, marian_conv)


def main(gloss, folder, count, environment, text=None, student=None, multi30k=None, marian_conv=None):
    summary = Summary("firefox")
    summary.lines = {}
    engine = marian_engine.find_engine(environment)
    if engine is None:
        print("firefox: not proved: the wheels bergamot and fxtranslate want Python 3.10, found none in pyenv, uv and the "
              "PATH")
        return []
    for seed in range(max(1, count // 40)):
        lines = made_text.lines(seed + 7, 40)
        try:
            place = write_random(folder / f"small-{seed}", "small", made_text.marian_sentencepiece(seed, 160), lines, 160,
                                 seed, 16, marian_conv)
            check(gloss, engine, "small", place, lines, summary, tie_lines=5, slack=0.1)
        except (GlossError, RuntimeError) as error:
            summary.count("runs", False, f"small, seed {seed}: {error}")
    if text:
        lines = text.read_text(encoding="utf-8").splitlines()[:1000]
        vocabulary = firefox_models.pad_vocabulary(firefox_models.train(lines), FULL_SIZE)
        places = {shape: lambda place, shape=shape: write_random(place, shape, vocabulary, lines, FULL_SIZE, 1, 48,
                                                                 marian_conv) for shape in ("tiny11", "base")}
        if student and student.is_file():
            place = check_export(gloss, engine, "own student", student, folder / "exported", lines, summary)
            measure(gloss, engine, place, student, folder / "own student", lines)
        elif student:
            places["student"] = lambda place: write_student(place, student, multi30k, lines, marian_conv)
        for name, write in places.items():
            place = write(folder / name)
            model = check(gloss, engine, name, place, lines, summary)
            measure(gloss, engine, place, model, folder / name, lines)
    for name, (equal, every) in summary.lines.items():
        print(f"firefox: {name}: {equal} of {every} lines equal")
    summary.print()
    return summary.failures
