#!/usr/bin/env bash
# scripts/study.sh: trains the alternatives of the study (docs/study.md) and writes its tables.
#
#     scripts/study.sh --list               # every run, whether it is done, and how long it takes
#     scripts/study.sh                      # all runs that are not done, then the tables
#     scripts/study.sh --section scores     # the runs of one section
#     scripts/study.sh --run additive-2     # one run again: setting additive, seed 2
#     scripts/study.sh --tables             # tables and pictures from docs/study, without training
#
# It can be stopped at any time and started again. Each run is a line of docs/study/results.jsonl.
# --help prints all options. Needs Python 3 and a build with its benchmarks; GLOSS_BUILD names the
# build's folder (build/release).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command -v python3 >/dev/null || { echo "study: wanted Python 3, found none; install python3" >&2 && exit 1; }
exec python3 "$root/scripts/study/study.py" --build "${GLOSS_BUILD:-$root/build/release}" "$@"
