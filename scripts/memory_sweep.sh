#!/usr/bin/env bash
# scripts/memory_sweep.sh [FIRST STEP LAST [THREADS]]: runs gloss with little address space.
#
#     scripts/memory_sweep.sh 300 20 900 2        # 300, 320, ... 900 MiB, two threads: the defaults
#
# Translates and trains with each limit and prints the exit codes. Expected are 0, 7 (out of memory)
# and 127 (the loader of shared libraries). Exit code: 1 if another one occurred. Needs a build;
# GLOSS names the program.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gloss=${GLOSS:-$root/build/release/app/gloss}
first=${1:-300} step=${2:-20} last=${3:-900} threads=${4:-2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$gloss" make-corpus copy --out "$folder/corpus" --size 200 --quiet
cat > "$folder/run.json" <<'RUN'
{
  "defaults": "fixed",
  "tokenizer": {"vocabulary_size": 40, "type": "char"},
  "data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target", "max_length": 64, "batch_tokens": 512},
  "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 32, "heads": 2},
  "training": {"max_steps": 10}
}
RUN
train() { "$gloss" train-translate --config "$folder/run.json" --out "$folder/run" --overwrite --device cpu "$@"; }
train --quiet
cp "$folder/run/model.safetensors" "$folder/model.safetensors"

wrong=0
for mebibytes in $(seq "$first" "$step" "$last"); do
  for command in translate train; do
    code=0
    (
      ulimit -v $((mebibytes * 1024))
      if [[ $command == train ]]; then
        train --quiet --threads "$threads"
      else
        "$gloss" translate --model "$folder/model.safetensors" --quiet --threads "$threads" < "$folder/corpus/test.source"
      fi
    ) > "$folder/out" 2> "$folder/err" || code=$?
    case $code in
      0 | 7 | 127) ;;
      *) wrong=1 ;;
    esac
    echo "$mebibytes MiB, $command: $code $(head -c 200 "$folder/err" | tr '\n' ' ')"
  done
done
exit $wrong
