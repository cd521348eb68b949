#!/usr/bin/env bash
# scripts/large_vocabulary.sh [PIECES [UPDATES [WIDTH]]]: trains and translates with a large vocabulary.
#
#     scripts/large_vocabulary.sh 250000 20 256   # the defaults
#
# The text has a million made-up words, some of them often. The model has 2 + 2 layers and d_model WIDTH. Prints the
# time and the peak memory of each command, and the MiB of the files. GLOSS names another program than the one that is
# built.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pieces=${1:-250000} updates=${2:-20} width=${3:-256}
if [[ -z ${GLOSS:-} ]]; then "$root/scripts/build.sh" release gloss; fi
gloss=${GLOSS:-$root/build/release/app/gloss}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' INT TERM
source "$root/scripts/peak_memory.sh"

# The word of a rank has one syllable for each digit of the rank's number to the base 60.
awk -v words=1000000 'BEGIN {
  consonants = "bdfgklmnprstvxz"; vowels = "aiou"
  for (line = 0; line < 200000; ++line) {
    text = ""
    for (n = 5 + int(rand() * 20); n > 0; --n) {
      word = ""
      for (rank = int(exp(rand() * log(words))); rank > 0; rank = int(rank / 60)) {
        word = word substr(consonants, 1 + int(rank / 4) % 15, 1) substr(vowels, 1 + rank % 4, 1)
      }
      text = text (text == "" ? "" : " ") word
    }
    print text
  }
}' >"$work/text"
cp "$work/text" "$work/copy"
head -n 1000 "$work/text" >"$work/in"
cat >"$work/run.json" <<END_OF_RUN
{"seed": 1, "defaults": "fixed",
 "data": {"train_source": "text", "train_target": "copy", "batch_tokens": 2048},
 "model": {"encoder_layers": 2, "decoder_layers": 2, "d_model": $width, "d_ff": $((4 * width)), "heads": 4},
 "training": {"max_steps": $updates, "save_every": $updates},
 "decoding": {"beam_size": 4, "max_length": 40}}
END_OF_RUN

measure "tokenizer train, $pieces pieces" \
  "$gloss" tokenizer train --input text --vocabulary-size "$pieces" --output pieces.model --quiet
measure "train-translate, $updates updates" "$gloss" train-translate --config run.json --out run --threads 2 \
  --set tokenizer.model_file=pieces.model
for precision in float32 bfloat16 int8; do
  measure "translate, 1000 lines, $precision" \
    "$gloss" translate --model run --precision $precision --threads 2 --quiet
done
measure 'score, 1000 lines' "$gloss" score --model run --source in --target in --threads 2 --quiet
"$gloss" inspect "$work/run" | sed -n '/^size:/p'
du -m "$work/pieces.model" "$work/run/model.safetensors"
