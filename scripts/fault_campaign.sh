#!/usr/bin/env bash
# scripts/fault_campaign.sh [KINDS [STRIDE [VARIANT]]]: makes call 1, 2, 3, ... of a tiny training fail, until a run is clean,
# and says of how many faults nothing was lost (tests/faults/README.md). KINDS, by commas: ENOSPC, EIO, short, kill, tear,
# power; -on: it goes on failing; -named: no O_TMPFILE (all by default). STRIDE 10 tries every tenth of the writes that
# follow each other. VARIANT average or best: what the model is made of. Hours for everything, minutes with a STRIDE of 60.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/build.sh" release gloss gloss_fault_campaign
exec "$root/build/release/tests/faults/gloss_fault_campaign" faults "$@"
