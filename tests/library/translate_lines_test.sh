#!/usr/bin/env bash
# translate_lines_test.sh GLOSS MODEL PAGE SOURCE COMMAND...: an example of a language, which is COMMAND, translates as
# the program GLOSS does, and PAGE shows its SOURCE without the first line.
set -euo pipefail

gloss=$1 model=$2 page=$3 source=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fault() {
  echo "translate_lines_test: $*" >&2
  exit 1
}

long=$(printf 'ä%.0s' {1..40000})
printf '%s\n' 'ana baka dalo emi' '' 'yoze' 'mo nipa quso ratu sive' "a$long" >"$folder/lines"
"$gloss" translate --model "$model" --device cpu --threads 1 <"$folder/lines" >"$folder/wanted"
"$@" "$model" <"$folder/lines" >"$folder/got" 2>"$folder/streamed"
diff "$folder/wanted" "$folder/got" || fault "$* translates otherwise than the program"

code=0
"$@" "$folder/missing" </dev/null 2>"$folder/error" || code=$?
[[ $code == 2 ]] || fault "a missing model is exit code $code"
grep -q "$folder/missing" "$folder/error" || fault "a missing model is not named: $(cat "$folder/error")"

code=0
"$@" </dev/null 2>"$folder/error" || code=$?
[[ $code == 2 && $(<"$folder/error") == "usage: translate_lines"* ]] ||
  fault "without a model: exit code $code, $(<"$folder/error")"

[[ $(<"$page") == *"$(sed '1d; s/^\(.\)/    \1/' "$source")"* ]] || fault "$page shows another example than $source"
