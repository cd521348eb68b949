#!/usr/bin/env bash
# scripts/check_gpu.sh [OPTION]... [STEP]...: everything that gloss must prove on a CUDA card.
#
#     scripts/check_gpu.sh                        # all steps; report in build/gpu_report.json
#     scripts/check_gpu.sh --minutes 9 tests      # one step, nine minutes at most; again continues
#     scripts/check_gpu.sh --build build/carried machine build training-base
#     scripts/check_gpu.sh --device cpu           # a rehearsal without a card, on tiny networks
#
# Steps: machine, build (preset cuda), tests (every `gpu` on CUDA), training-base and training-big
# (bfloat16, beside a tuned program in PyTorch), decoding (beside CTranslate2 on the same weights).
# Each step writes its part of the report, so steps may run in calls of their own. Whatever is
# missing, such as PyTorch for python3, becomes a line of the report. At the end the goals are
# printed: reached, not reached or not measured. The exit code is 1 if a test failed or a goal is not
# reached. docs/building.md describes the steps; --help prints all options. Needs Python 3.9.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command -v python3 >/dev/null || { echo "check_gpu: wanted Python 3, found none; install python3" >&2 && exit 1; }
exec python3 "$root/scripts/gpu/check_gpu.py" "$@"
