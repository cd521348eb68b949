#!/usr/bin/env bash
# scripts/test.sh [PRESET]: sets up, builds and runs all tests.
#
#     scripts/test.sh            # preset release
#     scripts/test.sh ci         # warnings are errors; CMakePresets.json has the others
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-release}

"$root/scripts/build.sh" "$preset"
cd "$root"
ctest --preset "$preset" --parallel "$(nproc)"
