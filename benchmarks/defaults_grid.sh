#!/usr/bin/env bash
# benchmarks/defaults_grid.sh PAIRS SOURCE TARGET [SETTING...]: compares settings on small texts.
#
#     benchmarks/defaults_grid.sh 5000 en de 'drop4 model.dropout=0.4 training.max_epochs=30'
#
# Trains on PAIRS evenly spaced pairs of Multi30k once for each setting and prints validation scores
# beside the processor time of the training. SOURCE and TARGET are en and de, or de and en. The
# training defaults that depend on the text (configs/README.md) are chosen from its tables in
# docs/measurements.md.
#
# A SETTING is a name and --set values in one word. Without a setting the defaults are trained. Each
# training has one thread, so that processor time measures its work on a busy machine, too.
# Environment: CORPUS, the folder of train.* and val.* (corpora/multi30k); GLOSS, the program
# (build/release/app/gloss); WORK, a folder that is kept (a temporary one).
set -euo pipefail
export LC_ALL=C

if (($# < 3)); then
  echo "usage: benchmarks/defaults_grid.sh PAIRS SOURCE TARGET [SETTING...]" >&2
  exit 2
fi
# shellcheck source=benchmarks/small_text.sh
source "$(dirname "${BASH_SOURCE[0]}")/small_text.sh"

# value EVENT KEY LOG: the number under KEY in the last EVENT.
value() { grep "\"event\":\"$1\"" "$3" | tail -1 | sed -n "s/.*\"$2\":\([-0-9.e+]*\).*/\1/p"; }

train_and_score() {
  local name=$1 run=$work/$1-$pairs-$source$target key times
  shift
  local overrides=()
  for key in "$@"; do overrides+=(--set "$key"); done
  echo "{\"data\": {\"train_source\": \"train$pairs.$source\", \"train_target\": \"train$pairs.$target\",
    \"valid_source\": \"$corpus/val.$source\", \"valid_target\": \"$corpus/val.$target\"}}" >"$run.json"
  TIMEFORMAT='%U'
  { time "$gloss" train-translate --config "$run.json" --out "$run" --overwrite --threads 1 "${overrides[@]}" \
    >/dev/null 2>"$run.log"; } 2>"$run.time"
  times=$(<"$run.time")
  "$gloss" translate --model "$run" --beam 5 --threads 1 <"$corpus/val.$source" >"$run.translation"
  printf '%-12s %9.0f %8.0f %9.3f %7.2f %7.2f  %s\n' "$name" "$times" "$(value step step "$run/log.jsonl")" \
    "$(value model loss "$run/log.jsonl")" "$(value model greedy_bleu "$run/log.jsonl")" \
    "$("$gloss" evaluate "$corpus/val.$target" -i "$run.translation" -b -w 2)" "$*"
}

printf '%-12s %9s %8s %9s %7s %7s  %s\n' setting 'user s' updates 'val loss' greedy 'beam 5' values
if ((${#settings[@]} == 0)); then settings=(defaults); fi
for setting in "${settings[@]}"; do
  # shellcheck disable=SC2086
  train_and_score $setting
done
