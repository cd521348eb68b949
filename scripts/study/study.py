"""The command scripts/study.sh: runs what is left of the study and writes its tables."""

import argparse
import concurrent.futures
import fcntl
import os
import pathlib
import signal
import sys
import time

import plan
import tables
from corpora import CorpusError, Corpora
from results import Results
from run import Runner

ROOT = pathlib.Path(__file__).resolve().parents[2]


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="study.sh", description="Trains the alternatives of docs/study.md and writes its tables. Runs that are "
        "done are skipped, so it can be stopped and started again. Where only the speed of a run is missing, an update "
        "is measured without training.")
    parser.add_argument("--list", action="store_true", help="print the runs, whether they are done, and their minutes")
    parser.add_argument("--section", action="append", metavar="NAME", choices=[s.name for s in plan.SECTIONS],
                        help="only this section; repeatable: " + ", ".join(s.name for s in plan.SECTIONS))
    parser.add_argument("--run", action="append", metavar="NAME",
                        help="this run (additive-2) or setting (additive) again, even if it is done; repeatable")
    parser.add_argument("--seeds", type=int, default=plan.SEEDS, metavar="N", help="seeds 1 to N (default: %(default)s)")
    parser.add_argument("--multi30k", metavar="DIR",
                        help="also train on Multi30k, from DIR/{train,val,test_2016_flickr}.{en,de}")
    parser.add_argument("--minutes", type=float, metavar="N", help="start no run after N minutes")
    parser.add_argument("--tables", action="store_true", help="only write tables and pictures, from the results")
    parser.add_argument("--check", action="store_true",
                        help="only compare tables and pictures with the results; exit code 1 if they differ")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="runs side by side, one thread each (default: as many as processors, %(default)s)")
    parser.add_argument("--work", default=str(ROOT / "build/study"), metavar="DIR",
                        help="texts and unfinished runs (default: build/study)")
    parser.add_argument("--build", default=str(ROOT / "build/release"), metavar="DIR",
                        help="the build with app/gloss and benchmarks/study_figures (default: build/release)")
    parser.add_argument("--results", default=str(ROOT / "docs/study"), metavar="DIR",
                        help="results and pictures (default: docs/study)")
    parser.add_argument("--page", default=str(ROOT / "docs/study.md"), metavar="FILE",
                        help="the page that the tables stand in (default: docs/study.md)")
    return parser.parse_args(arguments)


def chosen_runs(options):
    sections = [s for s in plan.SECTIONS if not options.section or s.name in options.section]
    runs = plan.runs(sections, options.seeds, bool(options.multi30k))
    if not options.run:
        return runs
    chosen = [run for run in runs if run.name in options.run or run.item.name in options.run]
    for name in options.run:
        if not any(name in (run.name, run.item.name) for run in chosen):
            sys.exit(f"study.sh: --run {name}: wanted a run or a setting, see --list "
                     "(those of Multi30k need --multi30k DIR)")
    return chosen


def state_of(run, result):
    """What is to be done for a run, and its minutes."""
    if run.lacks_costs(result):
        return "to measure", plan.COSTS_MINUTES
    if run.is_done(result):
        return "done", result["seconds"] / 60
    return "to do" if result is None else "to do again", run.item.minutes


def print_list(runs, results):
    """One line for each run; minutes are measured where it is done, otherwise estimated."""
    left = 0.0
    for run in runs:
        result = results.read(run.name)
        state, minutes = state_of(run, result)
        left += 0 if state == "done" else minutes
        print(f"{run.name:32} {state:11} {minutes:5.1f} min")
    print(f"{len(runs)} runs; those to do take about {left / 60:.1f} hours of one processor")


def run_all(runs, runner, results, options):
    """Runs what is to do, `jobs` at a time; returns the number of runs that failed."""
    start, failed, ended = time.monotonic(), 0, 0

    def do(run):
        late = options.minutes is not None and time.monotonic() - start > 60 * options.minutes
        if late or runner.stopped:
            return None
        known = None if options.run else results.read(run.name)
        if run.lacks_costs(known):
            result = runner.with_costs(run, known)
        else:
            began = time.monotonic()
            result = runner.result(run)
            result["seconds"] = round(time.monotonic() - began, 1)
        results.write(run.name, result)
        return result

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(do, run): run for run in runs}
        for future in concurrent.futures.as_completed(waiting):
            run = waiting[future]
            try:
                result = future.result()
            except Exception as fault:  # one run that fails must not end the others
                if not runner.stopped:
                    failed += 1
                    print(f"study: {run.name}: {type(fault).__name__}: {fault}", file=sys.stderr, flush=True)
                continue
            if result is not None:
                ended += 1
                bleu = f"  BLEU {result['bleu']:.2f}" if "bleu" in result else ""
                print(f"[{ended} of {len(runs)}] {run.name}  {result['seconds'] / 60:.1f} min{bleu}", flush=True)
    return failed


def main(arguments):
    options = options_of(arguments)
    results = Results(options.results)
    page = tables.Page(pathlib.Path(options.page), results)
    if options.check:
        return page.check()
    if options.tables:
        page.write()
        return 0
    runs = chosen_runs(options)
    if options.list:
        print_list(runs, results)
        return 0
    todo = [run for run in runs if options.run or state_of(run, results.read(run.name))[0] != "done"]

    build, work = pathlib.Path(options.build), pathlib.Path(options.work)
    gloss, figures = build / "app/gloss", build / "benchmarks/study_figures"
    for program in (gloss, figures):
        if not program.exists():
            sys.exit(f"study.sh: wanted {program}, found none; run scripts/build.sh release")
    work.mkdir(parents=True, exist_ok=True)
    lock = open(work / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"study.sh: another study works in {work}; wait for it, or set --work")
    corpora = Corpora(gloss.resolve(), work / f"corpora-{plan.FORMAT}", options.multi30k)
    for name in sorted({run.item.corpus for run in todo if run.seed}):
        corpora.ensure(name)
    if any(run.seed and run.item.vectors for run in todo):
        corpora.word_vectors()
    runner = Runner(gloss.resolve(), figures.resolve(), work, corpora)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: runner.stop())
    failed = run_all(todo, runner, results, options)
    page.write()
    if runner.stopped:
        print("study: stopped; the same command continues", file=sys.stderr)
        return 130
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CorpusError as fault:
        sys.exit(f"study.sh: {fault}")
