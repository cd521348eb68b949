#!/usr/bin/env bash
# scripts/fault_campaign.sh [KINDS [STRIDE [VARIANT]]]: makes every call of a tiny training fail.
#
#     scripts/fault_campaign.sh                   # everything, hours
#     scripts/fault_campaign.sh ENOSPC,kill 60    # some minutes
#     scripts/fault_campaign.sh processes 500     # calls on files and sockets of a run of two processes
#
# Makes call 1, 2, 3, ... fail until a run is clean, and prints for how many faults nothing was lost
# (tests/faults/README.md).
# KINDS, with commas: ENOSPC, EIO, short, kill, tear, power; -on: it continues to fail; -named: no
# O_TMPFILE (all by default).
# STRIDE: 10 tries every tenth of consecutive writes.
# VARIANT: average or best, what the model is made of.
# processes FAULTS [FIRST]: evenly spaced calls of the starter and of two processes; FIRST goes on from that number.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/build.sh" release gloss gloss_fault_campaign
[[ ${1:-} == processes ]] || set -- faults "$@"
exec "$root/build/release/tests/faults/gloss_fault_campaign" "$@"
