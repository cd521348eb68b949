#!/usr/bin/env bash
# scripts/large_input.sh [LINES...]: translates and scores long files.
#
#     scripts/large_input.sh 10000 100000 1000000 # the defaults
#
# Prints the time and the peak memory of `gloss translate` from a pipe, `gloss score`, and `gloss evaluate` with each
# metric and with a model. The model is tests/golden/tiny_model, and the texts are random lines of its words. Exit code:
# 1 if a command fails or leaves out lines. GLOSS names another program than the one that is built.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ -z ${GLOSS:-} ]]; then "$root/scripts/build.sh" release gloss; fi
gloss=${GLOSS:-$root/build/release/app/gloss}
model=$root/tests/golden/tiny_model.safetensors
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' INT TERM
source "$root/scripts/peak_memory.sh"

# gloss_measured NAME COMMAND...
gloss_measured() { measure "$lines lines, $1" "$gloss" "${@:2}" --threads 1 --quiet; }
expect_lines() {
  local got
  got=$(wc -l <"$work/out")
  ((got == lines)) || {
    echo "large_input.sh: wanted $lines lines, got $got" >&2
    exit 1
  }
}

(($#)) || set -- 10000 100000 1000000
for lines; do
  awk -v lines="$lines" 'BEGIN {
    count = split("ana baka dalo emi fugo hina joka lemu mo nipa quso ratu sive waxi yoze", words)
    for (; lines > 0; --lines) {
      line = words[1 + int(rand() * count)]
      for (n = int(rand() * 5); n > 0; --n) line = line " " words[1 + int(rand() * count)]
      print line
    }
  }' >"$work/in"
  gloss_measured translate translate --model "$model" --beam 1 --max-length 6
  expect_lines
  mv "$work/out" "$work/target"
  gloss_measured score score --model "$model" --source in --target target
  expect_lines
  for metric in bleu chrf ter; do
    gloss_measured "evaluate, $metric" evaluate --reference in --hypothesis target --metrics $metric
  done
  gloss_measured 'evaluate, model' evaluate --model "$model" --source in --reference target --beam 1 --max-length 6
done
