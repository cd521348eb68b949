#!/usr/bin/env bash
# scripts/demo.sh [PAIR]: the whole job on a corpus that gloss writes (docs/built_in_corpus.md).
#
#     scripts/demo.sh            # English to German
#     scripts/demo.sh en-zh      # also de-en, zh-en
#
# Builds, writes the corpus, trains a translator in a few minutes, translates one sentence of each
# construction whose words never occurred together in training, scores the test, and writes a page that
# shows the inside of the translator on a sentence.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gloss=$root/build/release/app/gloss
demo=$root/build/demo
test=$demo/corpus/test
pair=${1:-en-de}

"$root/scripts/build.sh" release gloss libgloss  # all that `cmake --install` writes
rm -rf "$demo"
mkdir -p "$demo"
echo "$pair" >"$demo/pair"  # for scripts/annotate.sh
"$gloss" make-corpus demo --pair "$pair" --out "$demo/corpus"  # where configs/demo.json looks for it
tokenize=13a
normalization=nmt_nfkc
if [[ $pair == *zh* ]]; then normalization=identity; fi  # keeps full-width punctuation
if [[ $pair == *-zh ]]; then tokenize=zh; fi
"$gloss" train-translate --config "$root/configs/demo.json" --out "$demo/run" \
  --set evaluation.tokenize=$tokenize --set tokenizer.normalization=$normalization >/dev/null
"$gloss" translate --model "$demo/run" <"$test.source" >"$demo/translation"

echo
echo "Sentences that it has never seen, one of each construction:"
paste "$test.constructions" "$test.source" "$demo/translation" "$test.target" |
  awk -F '\t' '!seen[$1]++ { printf "  %s\n    source       %s\n    translation  %s%s\n", $1, $2, $3, $3 == $4 ? "" : "\n    reference    " $4 }'
echo
"$gloss" evaluate --hypothesis "$demo/translation" --reference "$test.target" --groups "$test.constructions" --tokenize $tokenize

echo
echo "Inside the translator, on the first of these sentences; open the page in a browser:"
"$gloss" explain --model "$demo/run" "$(head -n 1 "$test.source")" --output "$demo/explain.html" --quiet
echo "  $demo/explain.html"

echo
echo "Serve it, and open http://127.0.0.1:5000 in a browser (docs/serving.md):"
echo "  $gloss serve --model $pair=$demo/run"
