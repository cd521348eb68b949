#!/usr/bin/env bash
# scripts/kill_loop.sh [tiny|big [KILLS]]: kills a training with SIGKILL so many times (tiny, 200), half of them at any moment
# and half near a save, goes on with --resume alone, and compares the weights of the runs that end with those of an unbroken
# one (tests/faults/README.md). big is a model of more than 100 MB.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/build.sh" release gloss gloss_fault_campaign
exec "$root/build/release/tests/faults/gloss_fault_campaign" kills "${1:-tiny}" "${2:-200}"
