#!/usr/bin/env bash
# The whole job on the smallest task: makes lines to copy, learns to copy them, copies three, prints the test's score.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gloss=$root/build/release/app/gloss
demo=$root/build/demo

"$root/scripts/build.sh" release gloss
rm -rf "$demo"
mkdir -p "$demo"
"$gloss" make-corpus copy --out "$demo/corpus"  # where configs/copy.json looks for it
"$gloss" train-translate --config "$root/configs/copy.json" --out "$demo/run" --overwrite >"$demo/result.txt"

head -n 3 "$demo/corpus/test.source" >"$demo/source.txt"
"$gloss" translate --model "$demo/run" <"$demo/source.txt" >"$demo/translation.txt"
paste -d '\n' <(sed 's/^/in:  /' "$demo/source.txt") <(sed 's/^/out: /' "$demo/translation.txt")
echo
cat "$demo/result.txt"
