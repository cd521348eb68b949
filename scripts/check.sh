#!/usr/bin/env bash
# Checks formatting, which folder includes which (docs/architecture.md), rules for comments and documents, and that
# named files exist.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=(common kernels tensor tokenizer data model training decoding translation alignment evaluation run interchange
  explain documents serve app library tests benchmarks examples)
failed=0

fault() {
  echo "check: $*" >&2
  failed=1
}

# check_formatting FILE...: other versions of clang-format lay lines out differently, so it is one version.
check_formatting() {
  if ! command -v clang-format-14 >/dev/null; then
    fault "clang-format-14 is not installed; run scripts/setup.sh --developer"
  elif ! clang-format-14 --dry-run -Werror "$@"; then
    fault "these files are not formatted; run clang-format-14 -i on them"
  fi
}

# may_include FOLDER INCLUDED...: nothing in FOLDER includes from a folder of ours but itself and INCLUDED.
may_include() {
  local folder=$1 others
  others=$(printf '%s\n' "${folders[@]}" | grep -vxF "$(printf '%s\n' "$@")" | paste -sd '|')
  if grep -rnE "^#include \"($others)/" "$folder"; then
    fault "$folder may include from ${*:2} and itself only (see the lines above)"
  fi
}

# no_torch FOLDER...
no_torch() {
  if grep -rnE '^#include [<"](torch|ATen|c10|caffe2)/' "$@"; then
    fault "these folders must not include torch: $* (see the lines above)"
  fi
}

# plain_comments FOLDER...: comments of these folders begin with what the thing is or does.
plain_comments() {
  if grep -rnE '(^ *|  )//[/<]* (What|Those|The same|Of (these|those)|Where [^,.]*,) ' \
    --include='*.h' --include='*.cpp' --include='*.js' "$@"; then
    fault "begin a comment with what the thing is or does (see the lines above)"
  fi
  if grep -rnE '//.*\bbehind\b' --include='*.h' --include='*.cpp' --include='*.js' "$@"; then
    fault "write after or past, not behind (see the lines above)"
  fi
}

# american_spelling FILE...: normalize and color; public names stay: LengthNormalisation, the keys "optimised" and
# legacy_behaviour.
american_spelling() {
  local british='(capital|categor|central|character|factor|general|initial|maxim|minim|modern|normal|optim|organ|penal'
  british+='|quant|real|recogn|regular|serial|special|standard|summar|synchron|token|util|visual)is(e|ation|ing)'
  british+='|(behavi|col|fav|flav|hon|lab|neighb)our|catalogue|centre|learnt|licence|spelt'
  if grep -niE "$british" "$@" |
    grep -viE 'length_?normalisation|"optimised"|legacy_behaviour'; then
    fault "spell in American English (see the lines above)"
  fi
}

# short_lines DOCUMENT...: at most 100 characters in a line, or in a cell of a table. Targets of links do not count.
short_lines() {
  if awk '{ line = $0; gsub(/\]\([^)]*\)/, "]", line) }
          /^\|/ { n = split(line, cells, "|") } !/^\|/ { n = 1; cells[1] = line }
          { for (i = 1; i <= n; ++i)
              if (length(cells[i]) > (n > 1 ? 102 : 100)) { print FILENAME ":" FNR ": " $0; bad = 1 } }
          END { exit !bad }' "$@"; then
    fault "lines of documents and cells of their tables have at most 100 characters (see the lines above)"
  fi
}

# short_build_lines: at most 120 characters in a line of CMake files, as clang-format ensures for C++.
short_build_lines() {
  if git grep -nE '^.{121}' -- '*CMakeLists.txt' '*.cmake'; then
    fault "lines of code have at most 120 characters (see the lines above)"
  fi
}

# readmes FILE...: each folder of these sources has a README.md.
readmes() {
  local folder
  while read -r folder; do
    [[ -f $folder/README.md ]] || fault "$folder has no README.md: purpose, where to begin, what it may include"
  done < <(printf '%s\n' "$@" | sed 's|/[^/]*$||' | sort -u)
}

# no_cycles: no folder includes itself by way of others. The classes of model choose among the parts in fast and
# alternatives, which take the types of model: these three are one folder here.
no_cycles() {
  local cycles
  cycles=$(grep -rE '^#include "[a-z_0-9]+/' "${folders[@]}" --include='*.h' --include='*.cpp' |
    sed -nE 's|^(.+)/[^/]+:#include "(.+)/[^/]+".*|\1 \2|p' | sed -E 's|model/(fast\|alternatives)\b|model|g' |
    awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: //') || true
  if [[ -n $cycles ]]; then
    echo "$cycles" >&2
    fault "folders include each other in a circle (see the lines above)"
  fi
}

mapfile -t files < <(find "${folders[@]}" cmake -name '*.h' -o -name '*.cpp' -o -name '*.c')
check_formatting "${files[@]}"

may_include common
may_include kernels common
may_include tensor common kernels
may_include tokenizer common
may_include data common tokenizer
may_include model common kernels tensor
may_include training common kernels tensor tokenizer data model
may_include decoding common tensor model
may_include translation common tensor tokenizer model decoding
may_include evaluation common
may_include alignment common tokenizer
may_include run common kernels tensor tokenizer data model training decoding translation evaluation
may_include interchange common tensor tokenizer model decoding translation
may_include explain common tensor tokenizer model decoding translation
may_include documents common model decoding translation tokenizer tensor
may_include serve common tensor tokenizer model decoding translation explain documents
may_include app common kernels tensor tokenizer data model training decoding translation alignment evaluation run \
  interchange explain documents serve
may_include library common tensor tokenizer model decoding translation documents
may_include examples common tensor tokenizer data model training
no_cycles
no_torch common kernels tokenizer data alignment evaluation library/include
no_torch serve/http serve/access serve/settings
no_torch documents/model documents/formats documents/markup documents/office
no_torch app/options app/help app/main.cpp app/command_line.* app/report_failure.* app/version_text.*
if grep -rnE '^#include "(app/(commands|input)|tensor|translation)/' app/options app/help app/main.cpp app/command_line.*; then
  fault "the small program knows options only (see the lines above)"
fi
if grep -rn '^#include "interchange/export/' interchange/import ||
  grep -rn '^#include "interchange/import/' interchange/export ||
  grep -rnE '^#include "interchange/(import|export)/' interchange/formats interchange/*.{h,cpp}; then
  fault "import and export share the folder above, and it includes neither (see the lines above)"
fi
if grep -rnE '^#include "' library/include; then
  fault "an installed header includes none that is not installed (see the lines above)"
fi
if grep -rnE '^#include (<torch/torch.h>|"\.)' "${folders[@]}"; then
  fault "torch/torch.h takes 25 s to compile, and paths start at the repository's root (see the lines above)"
fi

plain_comments "${folders[@]}" cmake web
mapfile -t documents < <(git ls-files '*.md')
american_spelling "${files[@]}" "${documents[@]}"
short_lines "${documents[@]}"
short_build_lines
scripts/check_paths.py || fault "these files are named or linked, but do not exist (see the lines above)"
mapfile -t sources < <(git ls-files '*.h' '*.cpp' '*.py' '*.js' ':!tests/' ':!library/include/')
readmes "${sources[@]}"

((failed == 0)) || exit 1
echo "check: ${#files[@]} files are formatted and include downwards only"
