# shellcheck shell=bash disable=SC2034
# Sourced by defaults_grid.sh and augmentation_study.sh with their arguments, PAIRS SOURCE TARGET [SETTING...]: sets
# pairs, source, target, settings, and corpus, gloss and work from the environment, and writes PAIRS evenly spaced pairs
# of Multi30k to $work/train$pairs.*. A folder that WORK does not name is removed at the end.
pairs=$1 source=$2 target=$3
settings=("${@:4}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
corpus=$(realpath "${CORPUS:-$root/corpora/multi30k}")
gloss=$(realpath "${GLOSS:-$root/build/release/app/gloss}")
work=${WORK:-}
if [[ -z $work ]]; then
  work=$(mktemp -d)
  trap 'rm -rf -- "$work"' EXIT
fi
mkdir -p "$work"

lines=$(wc -l <"$corpus/train.$source")
for language in "$source" "$target"; do
  awk -v wanted="$pairs" -v lines="$lines" 'int(NR * wanted / lines) != int((NR - 1) * wanted / lines)' \
    "$corpus/train.$language" >"$work/train$pairs.$language"
done
