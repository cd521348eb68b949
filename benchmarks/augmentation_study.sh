#!/usr/bin/env bash
# benchmarks/augmentation_study.sh PAIRS SOURCE TARGET [SETTING...]: what data.augment_* does to BLEU.
#
#     benchmarks/augmentation_study.sh 10000 en de 'base' 'upper data.augment_upper_case=0.05'
#
# Trains on PAIRS evenly spaced pairs of Multi30k once for each setting, as defaults_grid.sh does, and prints BLEU on
# test_2016_flickr and on its changed copies (changed_texts.py), greedy, beside the processor time of the training.
# `kept` is the share of placeholders that a translation has once; their BLEU is computed without them.
#
# A SETTING is a name and --set values in one word. Each training has one thread. Environment: CORPUS, the folder of
# train.*, val.* and test_2016_flickr.* (corpora/multi30k); GLOSS, the program (build/release/app/gloss); WORK, a folder
# that is kept, with trainings that are not repeated (a temporary one).
set -euo pipefail
export LC_ALL=C.UTF-8

if (($# < 4)); then
  echo "usage: benchmarks/augmentation_study.sh PAIRS SOURCE TARGET SETTING..." >&2
  exit 2
fi
# shellcheck source=benchmarks/small_text.sh
source "$(dirname "${BASH_SOURCE[0]}")/small_text.sh"
texts=$root/benchmarks/changed_texts.py
changes=(clean upper title lower no_end_mark typos placeholders)
python3 "$texts" make "$corpus"/test_2016_flickr.{"$source","$target"} "$work/texts"

bleu() { "$gloss" evaluate "$1" -i "$2" -b -w 2; }

train_and_score() {
  local name=$1 run=$work/$1-$pairs-$source$target key change
  shift
  local overrides=()
  for key in "$@"; do overrides+=(--set "$key"); done
  if [[ ! -e $run.time ]]; then
    TIMEFORMAT='%U'
    { time "$gloss" train-translate --source "$work/train$pairs.$source" --target "$work/train$pairs.$target" \
      --set data.valid_source="$corpus/val.$source" --set data.valid_target="$corpus/val.$target" --out "$run" \
      --overwrite --threads 1 "${overrides[@]}" \
      >/dev/null 2>"$run.log"; } 2>"$run.part"
    mv "$run.part" "$run.time"
  fi
  printf '%-14s %7.0f' "$name" "$(<"$run.time")"
  for change in "${changes[@]}"; do
    "$gloss" translate --model "$run" --threads 1 <"$work/texts/$change.source" >"$run.$change" 2>>"$run.log"
  done
  for change in "${changes[@]:0:6}"; do printf ' %11.2f' "$(bleu "$work/texts/$change.target" "$run.$change")"; done
  python3 "$texts" strip "$run.placeholders" >"$run.stripped"
  printf ' %11.2f %6.1f  %s\n' "$(bleu "$work/texts/clean.target" "$run.stripped")" \
    "$(python3 "$texts" count "$work/texts/placeholders.source" "$run.placeholders")" "$*"
}

printf '%-14s %7s' setting 'user s'
printf ' %11s' "${changes[@]}"
printf ' %6s  %s\n' kept values
for setting in "${settings[@]}"; do
  # shellcheck disable=SC2086
  train_and_score $setting
done
