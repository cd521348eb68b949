#!/usr/bin/env bash
# annotated_page_test.sh GLOSS EXAMPLES GOLDEN: builds the annotated page with a small model and opens it in Chromium.
set -euo pipefail

for program in chromium chromedriver; do
  command -v "$program" >/dev/null || { echo "annotated_page_test: skipped, there is no $program" && exit 77; }
done
gloss=$1
examples=$2
golden=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for python in python3 /usr/bin/python3 ""; do
  if [[ -z $python ]]; then
    echo "annotated_page_test: skipped, no Python has markdown-it and Pygments" && exit 77
  fi
  if "$python" -c 'import markdown_it, pygments' 2>/dev/null; then break; fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The copy task takes its time and is a test of its own; documents_test.py checks that these lines have its format.
mkdir "$folder/examples"
ln -s "$examples"/{annotated_figures,shapes} "$folder/examples"
cat >"$folder/examples/copy_task" <<'END'
#!/bin/sh
printf 'update %3d: %.4f nats a token\n' 20 2.6267 100 0.4638 1500 0.0001
echo "64 of 64 copies are exact"
END
chmod +x "$folder/examples/copy_task"

"$gloss" make-corpus copy --size 200 --out "$folder/corpus" --quiet
"$gloss" train-translate --source "$folder/corpus/train.source" --target "$folder/corpus/train.target" \
  --out "$folder/run" --threads 1 --quiet --set training.max_steps=20 --set training.validate_every=10 >/dev/null
"$python" "$here/../../scripts/annotated/build_page.py" --gloss "$gloss" --examples "$folder/examples" \
  --model "$golden/pre_norm_model.safetensors" --run "$folder/run" --sentence "ana nipa" \
  --sentence "lemu <b>ana</b> ratu" --output "$folder/annotated.html"
"$python" "$here/page_test.py" "$folder/annotated.html"
