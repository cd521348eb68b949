#!/usr/bin/env bash
# scripts/check_documents.sh --model FILE-OR-DIR [OPTION]...: translates documents that other
# programs have written, and opens the translations in the programs that people use for them.
#
#     scripts/check_documents.sh --model runs/en-de                  # 20 documents of each format
#     scripts/check_documents.sh --model runs/en-de --count 4        # a few minutes
#     scripts/check_documents.sh --model runs/en-de --only docx,odt  # some formats
#
# Documents come from public repositories at fixed commits (Word's, Excel's and PowerPoint's files
# of Apache POI, captions, translation files of programs, and others), about 300 MB. Both versions
# are opened by LibreOffice, Chromium, pandoc, epubcheck, ffmpeg, gettext, Qt, Android's aapt2,
# xmllint with OASIS's schemas, or Translate Toolkit. Segments, tags and placeholders, and other
# parts are compared. A table, the differences and one JSON line are printed; the exit code is 1 if
# something differs.
#
# --gloss FILE is the program (default: it builds ci). --work DIR keeps all files (default:
# build/documents). --threads N is 1 by default. The model translates from English to German. As
# root it installs the Debian packages that are missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gloss="" work="$root/build/documents" count=20 threads=1 models=() only=()
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
declare -A packages=([aapt2]=aapt [chromium]=chromium [epubcheck]=epubcheck [ffmpeg]=ffmpeg [java]=default-jre-headless
  [lrelease]=qttools5-dev-tools [msgfmt]=gettext [pandoc]=pandoc [prop2po]=translate-toolkit [xmllint]=libxml2-utils)
missing=()
for program in "${!packages[@]}"; do
  command -v "$program" >/dev/null || missing+=("${packages[$program]}")
done
for program in writer calc impress; do
  [[ -x /usr/lib/libreoffice/program/s$program ]] || missing+=("libreoffice-$program")
done
python3 -c "import yaml" 2>/dev/null || missing+=(python3-yaml)
if ((${#missing[@]} > 0)); then
  if ((EUID != 0)); then
    echo "check_documents: missing programs; run: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi
if [[ -z $gloss ]]; then
  "$root/scripts/build.sh" ci gloss
  gloss="$root/build/ci/app/gloss"
fi

mkdir -p "$work"
python3 "$root/scripts/documents/prepare_documents.py" --work "$work" --count "$count" ${only[@]+"${only[@]}"} \
  >"$work/sources.txt"
exec python3 "$root/scripts/documents/check_documents.py" --work "$work" --count "$count" --gloss "$gloss" \
  --threads "$threads" "${models[@]}" ${only[@]+"${only[@]}"}
