#!/usr/bin/env bash
# gloss_pages_test.sh GLOSS GOLDEN PYTHON: runs page_test.py, also with pages that gloss wrote. GOLDEN holds two small
# models: one with post-norm and learned positions, one with pre-norm, sinusoids and two tokenizers.
set -euo pipefail

for program in chromium chromedriver; do
  command -v "$program" >/dev/null || { echo "gloss_pages_test: skipped, there is no $program" && exit 77; }
done
gloss=$1
golden=$2
python=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# explain NAME ARGUMENT...: writes the document gloss_NAME.json and the page gloss_NAME.html.
explain() {
  local name=gloss_$1
  shift
  "$gloss" explain "$@" --threads 1 --json >"$folder/$name.json"
  "$gloss" explain "$@" --threads 1 --output "$folder/$name.html"
}

first=$golden/tiny_model.safetensors
second=$golden/pre_norm_model.safetensors
explain two_models --model "$first" --model "$second" "ana nipa" "lemu ana ratu" --without positions
explain forced --model "$second" "ana nipa" --target "dumo kapi" --quick
explain markup --model "$first" "</script><b title=\"x\">ana & 'nipa'" --beam 2
"$gloss" make-corpus copy --size 200 --out "$folder/corpus" --quiet
"$gloss" train-translate --source "$folder/corpus/train.source" --target "$folder/corpus/train.target" \
  --out "$folder/run" --threads 1 --quiet --set training.max_steps=60 --set training.validate_every=20 \
  --set 'lens.sentences=["a b c", "<b>d</b>"]' >/dev/null
explain run --run "$folder/run" --run "$folder/run"

# untrained NAME SETTING...: pages of a network with these settings, as it is before training.
untrained() {
  local name=$1 settings=()
  shift
  for setting in "$@"; do settings+=(--set "model.$setting"); done
  "$gloss" train-translate --source "$folder/corpus/train.source" --target "$folder/corpus/train.target" \
    --out "$folder/$name" --threads 1 --quiet --set training.max_steps=0 "${settings[@]}" >/dev/null
  explain "$name" --model "$folder/$name" "a b c d" "b d a c"
}
untrained recurrent architecture=recurrent
untrained no_attention architecture=recurrent recurrent_attention=none
untrained no_residual residual=false norm_type=none
untrained relative positions=relative attention_score=cosine norm_type=batch encoder_mask=causal
"$python" "$here/page_test.py" - "$folder"/*.json
