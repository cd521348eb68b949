#!/usr/bin/env bash
# scripts/check_interop.sh [OPTION]...: compares gloss's import and export with other programs.
#
#     scripts/check_interop.sh                                 # 200 random models of each kind
#     scripts/check_interop.sh --count 12                      # a few minutes
#     scripts/check_interop.sh --multi30k corpora/multi30k     # also trained models, 1,000 lines each
#     scripts/check_interop.sh --only marian --count 20        # one check
#
# Random models of transformers, CTranslate2 and Marian's formats are imported, random gloss models
# are exported, and the logits, searches and pieces of both sides are compared (docs/interop.md).
# Each check ends with its counts and largest differences; the exit code is 1 if one failed.
# Marian's own code is compared if there is a Python 3.10 (pyenv, uv, PATH).
# --help prints all options. Needs Python 3 with venv, and 3 GB of disk: the packages are installed
# into build/interop/venv. PIP_OPTIONS adds options to pip, for example --find-links FOLDER with a
# torch for the processor. GLOSS_BUILD names a build to use as it is (default: it builds ci).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command -v python3 >/dev/null || { echo "check_interop: wanted Python 3, found none; install python3" >&2 && exit 1; }
program="$root/scripts/interop/interop.py"
if [[ " $* " == *" --help "* ]]; then exec python3 "$program" --help; fi
venv="$root/build/interop/venv"
requirements="$root/scripts/interop/requirements.txt"
if ! cmp -s "$requirements" "$venv/installed.txt"; then
  [[ -x $venv/bin/pip ]] || python3 -m venv "$venv"
  # shellcheck disable=SC2086  # several options
  "$venv/bin/pip" install --quiet --disable-pip-version-check ${PIP_OPTIONS:-} --requirement "$requirements"
  cp "$requirements" "$venv/installed.txt"
fi
if [[ -z ${GLOSS_BUILD:-} ]]; then "$root/scripts/build.sh" ci gloss gloss_print_logits; fi
run=("$venv/bin/python" "$program" --build "${GLOSS_BUILD:-$root/build/ci}" "$@")
if [[ " $* " == *" --only "* && " $* " != *" --only saved "* ]]; then exec "${run[@]}"; fi
# The check "saved" also runs with an older transformers, which writes other files.
older="$root/build/interop/transformers4"
if [[ ! -d $older ]]; then
  # shellcheck disable=SC2086
  "$venv/bin/pip" install --quiet --disable-pip-version-check ${PIP_OPTIONS:-} --no-deps --target "$older" \
    transformers==4.57.6 tokenizers==0.22.2 huggingface_hub==0.36.2
fi
result=0
"${run[@]}" || result=$?
PYTHONPATH="$older" "${run[@]}" --only saved || result=$?
exit "$result"
