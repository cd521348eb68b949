#!/usr/bin/env bash
# scripts/kill_loop.sh [tiny|big [KILLS [STATE]]]: kills a training with SIGKILL and resumes it.
#
#     scripts/kill_loop.sh tiny 200               # the defaults
#
# Half of the kills come at any moment, half near a save. Continues with --resume alone and compares
# the weights of the finished runs with those of an unbroken one (tests/faults/README.md). big is a
# model of more than 100 MB. STATE is a file that keeps the counts of ended runs: the next call adds to
# them until there are KILLS.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/build.sh" release gloss gloss_fault_campaign
exec "$root/build/release/tests/faults/gloss_fault_campaign" kills "${1:-tiny}" "${2:-200}" ${3:+"$3"}
