#!/usr/bin/env bash
# scripts/tidy.sh [FILE...]: checks sources with clang-tidy and the checks of .clang-tidy.
#
#     scripts/tidy.sh                                     # every source outside tests, benchmarks
#     scripts/tidy.sh common/random.cpp                   # these only
#     scripts/tidy.sh $(git diff --name-only main -- '*.cpp')
#
# Needs clang-tidy (scripts/setup.sh --clang). Configures build/tidy, without building it, for the
# compile commands: one per source, and no precompiled headers. JOBS files at once (default: the
# number of processors). A file takes some seconds, one that includes LibTorch up to a minute.
# Exit code: 0 if nothing was found.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
if ! command -v clang-tidy >/dev/null; then
  echo "tidy: clang-tidy is not installed; run scripts/setup.sh --clang" >&2
  exit 1
fi
mkdir -p build/tidy
cmake -S . -B build/tidy --preset clang -D GLOSS_UNITY_BUILD=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -D GLOSS_BUILD_TESTS=OFF -D GLOSS_BUILD_BENCHMARKS=OFF >build/tidy/log 2>&1 || {
  cat build/tidy/log >&2
  exit 1
}

files=("$@")
if ((${#files[@]} == 0)); then
  mapfile -t files < <(git ls-files '*.cpp' ':!tests' ':!benchmarks' ':!cmake' ':!kernels/*_body.cpp')
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${JOBS:-$(nproc)}" clang-tidy -p build/tidy --quiet 2> >(grep -v 'warnings generated' >&2)
echo "tidy: ${#files[@]} files are clean"
