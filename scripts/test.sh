#!/usr/bin/env bash
# scripts/test.sh [PRESET]: sets up, builds and runs all tests. PRESET is release by default; the others, among them ci
# (warnings are errors) and asan, stand in CMakePresets.json.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-release}

"$root/scripts/build.sh" "$preset"
cd "$root"
ctest --preset "$preset" --parallel "$(nproc)"
