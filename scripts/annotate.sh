#!/usr/bin/env bash
# scripts/annotate.sh [--model FILE | --run DIR] [--sentence TEXT]... [--output FILE]: writes the annotated page.
#
#     scripts/annotate.sh                                     # build/docs/annotated.html
#     scripts/annotate.sh --run runs/en-de --sentence "A dog sleeps."
#
# The page explains the paper by the code of model/, training/ and decoding/: docs/annotated/*.md with
# listings, tests and figures that are taken from the sources and programs at this moment. Builds what
# is needed, and installs Python's packages markdown-it and Pygments. Without a model, takes that of
# scripts/demo.sh; if there is none, trains one on the built-in corpus, in two minutes, and keeps it in
# build/docs for the next time.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
docs=$root/build/docs
output=$docs/annotated.html
model=() sentences=()

usage() {
  sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

while (($# > 0)); do
  if [[ $1 == --* && $1 != --help && $# -lt 2 ]]; then usage >&2 && exit 2; fi
  case $1 in
    --model) model=(--model "$2") && shift 2 ;;
    --run) model=(--model "$2" --run "$2") && shift 2 ;;
    --sentence) sentences+=(--sentence "$2") && shift 2 ;;
    --output) output=$2 && shift 2 ;;
    -h | --help) usage && exit ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done

# Prints a Python 3 with the packages. Packages of the system are for its own Python, which need not be the first.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import markdown_it, pygments' 2>/dev/null; then echo "$python" && return; fi
  done
}

python=$(find_python)
if [[ -z $python ]]; then
  "$root/scripts/setup.sh" --page
  python=$(find_python)
fi
if [[ -z $python ]]; then
  echo "annotate: wanted Python 3 with markdown-it and Pygments, which could not be installed; see above" >&2
  exit 1
fi

"$python" "$root/scripts/annotated/build_page.py" --check
"$root/scripts/build.sh" release gloss annotated_figures copy_task shapes

# The folder of a run has a model only when the run is complete. The page is about English and German.
demo=$root/build/demo
if ((${#model[@]} == 0)) && [[ -e $demo/run/model.safetensors && $(cat "$demo/pair" 2>/dev/null) == en-de ]]; then
  model=(--model "$demo/run" --run "$demo/run")
fi
if ((${#model[@]} == 0)) && [[ ! -e $docs/run/model.safetensors ]]; then
  "$build/app/gloss" make-corpus demo --out "$docs/corpus" --overwrite --quiet
  texts=()
  for part in train valid test; do
    prefix=${part/train/}
    prefix=${prefix:+$prefix-}
    texts+=("--${prefix}source" "$docs/corpus/$part.source" "--${prefix}target" "$docs/corpus/$part.target")
  done
  "$build/app/gloss" train-translate --config "$root/configs/demo.json" "${texts[@]}" --out "$docs/run" --overwrite \
    >/dev/null
fi
if ((${#model[@]} == 0)); then model=(--model "$docs/run" --run "$docs/run"); fi

"$python" "$root/scripts/annotated/build_page.py" --gloss "$build/app/gloss" --examples "$build/examples" \
  "${model[@]}" ${sentences[@]+"${sentences[@]}"} --output "$output"
echo "annotate: open $output in a browser"
