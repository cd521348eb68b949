#!/usr/bin/env bash
# scripts/check_documents.sh --model FILE-OR-DIR [OPTION]...: translates documents that other
# programs have written, and opens the translations in these programs.
#
#     scripts/check_documents.sh --model runs/en-de                  # 20 documents of each format
#     scripts/check_documents.sh --model runs/en-de --count 4        # a few minutes
#     scripts/check_documents.sh --model runs/en-de --only docx,odt  # some formats
#
# Captions with random formatting are written by LibreOffice, pandoc, xgettext, po2xliff and ffmpeg:
# run splits, tracked changes, footnotes, fields, tables, text boxes. Each document is translated,
# and both are converted to text by the program of the format. Segments, tags, times and other parts
# are counted. A table, the differences and one JSON line are printed; the exit code is 1 if
# something differs.
#
# --gloss FILE is the program (default: it builds ci). --work DIR keeps all files (default:
# build/documents/work). --seed N and --threads N are 1 by default. The model translates from
# English. Needs Python 3 with venv, and as root installs the Debian packages that are missing; the
# Python packages are installed into build/documents/venv (PIP_OPTIONS adds options to pip).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gloss="" work="$root/build/documents/work" count=20 seed=1 threads=1 models=() only=()
while (($#)); do
  case $1 in
  --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  --model) models+=(--model "${2:?--model needs a file}") ;;
  --gloss) gloss=${2:?--gloss needs a file} ;;
  --work) work=${2:?--work needs a folder} ;;
  --count) count=${2:?--count needs a number} ;;
  --only) only=(--only "${2:?--only needs formats}") ;;
  --seed) seed=${2:?--seed needs a number} ;;
  --threads) threads=${2:?--threads needs a number} ;;
  *)
    echo "check_documents: unknown option $1; see --help" >&2
    exit 2
    ;;
  esac
  shift 2
done
if ((${#models[@]} == 0)); then echo "check_documents: --model is missing; see --help" >&2 && exit 2; fi

# Programs, and the Debian packages that have them.
declare -A packages=([swriter]=libreoffice-writer [scalc]=libreoffice-calc [simpress]=libreoffice-impress
  [msgfmt]=gettext [xmllint]=libxml2-utils [ffmpeg]=ffmpeg [pandoc]=pandoc [chromium]=chromium)
missing=()
for program in "${!packages[@]}"; do
  case $program in
  swriter | scalc | simpress) [[ -x /usr/lib/libreoffice/program/$program ]] || missing+=("${packages[$program]}") ;;
  *) command -v "$program" >/dev/null || missing+=("${packages[$program]}") ;;
  esac
done
if ((${#missing[@]} > 0)); then
  if ((EUID != 0)); then
    echo "check_documents: missing programs; run: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi

venv="$root/build/documents/venv"
requirements="$root/scripts/documents/requirements.txt"
if ! cmp -s "$requirements" "$venv/installed.txt"; then
  [[ -x $venv/bin/pip ]] || python3 -m venv "$venv"
  # shellcheck disable=SC2086  # several options
  "$venv/bin/pip" install --quiet --disable-pip-version-check ${PIP_OPTIONS:-} --requirement "$requirements"
  cp "$requirements" "$venv/installed.txt"
fi
if [[ -z $gloss ]]; then
  "$root/scripts/build.sh" ci gloss
  gloss="$root/build/ci/app/gloss"
fi

mkdir -p "$work"
"$venv/bin/python" "$root/scripts/documents/make_documents.py" \
  --work "$work" --count "$count" --seed "$seed" ${only[@]+"${only[@]}"}
exec "$venv/bin/python" "$root/scripts/documents/check_documents.py" \
  --work "$work" --count "$count" --gloss "$gloss" --threads "$threads" "${models[@]}" ${only[@]+"${only[@]}"}
