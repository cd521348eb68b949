#!/usr/bin/env bash
# scripts/build.sh [PRESET [TARGET...]]: sets up, then builds in build/PRESET.
#
#     scripts/build.sh                        # preset release, everything
#     scripts/build.sh ci gloss               # one target, warnings are errors
#
# CMakePresets.json has the presets.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-release}
targets=("${@:2}")

options=()
if [[ $preset =~ ^(cuda|aarch64)$ ]]; then options=("--$preset"); fi
"$root/scripts/setup.sh" ${options[@]+"${options[@]}"}
cmake -S "$root" --preset "$preset"
# Some files take 1.5 GB to compile: no more at once than the memory holds.
fit=$(awk '/^MemAvailable/ {print 1 + int($2 / 2e6)}' /proc/meminfo)
jobs=$((fit < $(nproc) ? fit : $(nproc)))
cmake --build "$root/build/$preset" --parallel "$jobs" ${targets[@]+--target "${targets[@]}"}
