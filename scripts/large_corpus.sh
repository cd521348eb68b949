#!/usr/bin/env bash
# scripts/large_corpus.sh [FACTOR [STEPS [FOLDER [CONFIG]]]]: compares a large corpus with a small one.
#
#     scripts/large_corpus.sh 100 300 corpora/multi30k        # the defaults
#
# Trains STEPS steps (more than 100) of CONFIG (configs/multi30k_en_de.json) on the corpus in FOLDER
# and on FACTOR times its text, each from text and again from corpus.cache. `gloss make-corpus copy`
# writes such a FOLDER, too. Prints the time to the first step, the speed after step 100, and the peak
# memory in all and without pages of mapped files. Needs the space of the repeated text and twice its
# corpus.cache in TMPDIR. GLOSS names another program than the one that is built.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
factor=${1:-100}
steps=${2:-300}
if ! [[ $steps =~ ^[1-9][0-9]{2,}$ ]] || ((steps <= 100)); then
  echo "large_corpus.sh: STEPS: wanted more than 100 (speed is measured after step 100), got $steps" >&2
  exit 2
fi
corpus=$(realpath "${3:-$root/corpora/multi30k}")
config=$(realpath "${4:-$root/configs/multi30k_en_de.json}")
pieces=$(grep -o '"vocabulary_size": *[0-9]*' "$config" | grep -o '[0-9]*$')
languages=(en de)
if [[ -e $corpus/train.source ]]; then languages=(source target); fi
if [[ -z ${GLOSS:-} ]]; then "$root/scripts/build.sh" release gloss; fi
gloss=${GLOSS:-$root/build/release/app/gloss}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf -- "$work"' EXIT
trap 'exit 1' INT TERM

"$gloss" tokenizer train --input "${languages[@]/#/$corpus/train.}" --vocabulary-size "$pieces" --type bpe \
  --output "$work/tokenizer.model"
for language in "${languages[@]}"; do
  ln -s "$corpus/train.$language" "$work/once.$language"
  for ((i = 0; i < factor; ++i)); do cat "$corpus/train.$language"; done >"$work/repeated.$language"
done

since() { awk -v begin="$1" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.2f", end - begin }'; }
kibibytes() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status" 2>/dev/null || true; }

# measure TEXT ROW [ARGUMENT]
measure() {
  local begin=$EPOCHREALTIME out=$work/run-$1 first='' peak=0 own=0 now
  "$gloss" train-translate --config "$config" --out "$out" "${@:3}" \
    --set data.train_source="$work/$1.${languages[0]}" --set data.train_target="$work/$1.${languages[1]}" \
    --set tokenizer.model_file="$work/tokenizer.model" \
    --set data.valid_source= --set data.valid_target= --set data.test_source= --set data.test_target= \
    --set training.max_steps="$steps" --set training.save_every=1000000 >/dev/null 2>"$work/stderr" &
  local process=$!
  while kill -0 $process 2>/dev/null; do
    if [[ -z $first ]] && grep -q ' sentence pairs, ' "$work/stderr"; then first=$(since "$begin"); fi
    now=$(kibibytes $process VmHWM) && ((${now:-0} > peak)) && peak=$now
    now=$(kibibytes $process RssAnon) && ((${now:-0} > own)) && own=$now
    sleep 0.02
  done
  wait $process || {
    cat "$work/stderr" >&2
    exit 1
  }
  local speed
  speed=$(grep -o '"step":[0-9]*\|"target_tokens_per_second":[0-9.e+]*' "$out/log.jsonl" | awk -F : '
    $1 == "\"step\"" { step = $2 } $1 != "\"step\"" { speed[step] = $2 }
    END { for (step in speed) if (step + 0 > 100) { sum += speed[step]; ++count } printf "%.0f", count ? sum / count : 0 }')
  printf '%-24s %20s %24s %14d %9d\n' "$2" "$first" "$speed" $((peak / 1024)) $((own / 1024))
}

begin=$EPOCHREALTIME
"$gloss" --version >/dev/null
echo "loading the program takes $(since "$begin") s; $("$gloss" --version | head -1)"
printf '%-24s %20s %24s %14s %9s\n' corpus 's to the first step' target_tokens_per_second peak_memory_mib 'own MiB'
measure once 'once, from text'
measure once 'once, cached' --overwrite
measure repeated "$factor times, from text"
measure repeated "$factor times, cached" --overwrite
