#!/usr/bin/env bash
# scripts/tidy.sh [FILE...]: checks sources with clang-tidy and the checks of .clang-tidy.
#
#     scripts/tidy.sh                                     # every source outside tests, benchmarks
#     scripts/tidy.sh common/random.cpp                   # these only
#     scripts/tidy.sh $(git diff --name-only main -- '*.cpp')
#
# Needs clang-tidy (scripts/setup.sh --clang). Configures build/tidy for the compile commands and one
# generated header, without precompiled headers. All sources are checked a dozen at a time, as one
# source that includes them, since most of the time goes into their headers: some 25 minutes on two
# processors. JOBS of them run at once (default: the number of processors).
# Exit code: 0 if nothing was found.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
if ! command -v clang-tidy >/dev/null; then
  echo "tidy: clang-tidy is not installed; run scripts/setup.sh --clang" >&2
  exit 1
fi

files=("$@")
folder=build/tidy/single
together=OFF
if ((${#files[@]} == 0)); then
  folder=build/tidy/together
  together=ON
fi
mkdir -p "$folder"
cmake -S . -B "$folder" --preset clang -D GLOSS_UNITY_BUILD="$together" -D CMAKE_UNITY_BUILD="$together" \
  -D CMAKE_UNITY_BUILD_BATCH_SIZE=12 -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -D GLOSS_BUILD_TESTS=OFF -D GLOSS_BUILD_BENCHMARKS=OFF >"$folder/log" 2>&1 &&
  cmake --build "$folder" --target gloss_commit >>"$folder/log" 2>&1 || {
  cat "$folder/log" >&2
  exit 1
}
if ((${#files[@]} == 0)); then
  # Generated sources are not ours, and the kernels of an instruction set are compiled once for each.
  mapfile -t files < <(sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$folder/compile_commands.json" | sort -u |
    grep -vE 'kernels_[a-z0-9_]+\.dir/|_body\.cpp$' | grep -vE "^$root/$folder/.*\.cpp$")
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${JOBS:-$(nproc)}" clang-tidy -p "$folder" --quiet 2> >(grep -v 'warnings generated' >&2)
echo "tidy: nothing was found"
