#!/usr/bin/env bash
# Checks what no compiler does: formatting, and which folder includes which (docs/architecture.md).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=(common kernels tensor tokenizer data model training decoding translation evaluation pipeline app library tests
  benchmarks)
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
    fault "these folders know no torch: $* (see the lines above)"
  fi
}

mapfile -t files < <(find "${folders[@]}" cmake -name '*.h' -o -name '*.cpp')
check_formatting "${files[@]}"

may_include common
may_include kernels common
may_include tensor common
may_include tokenizer common
may_include data common tokenizer
may_include model common kernels tensor
may_include training common kernels tensor tokenizer data model
may_include decoding common kernels tensor model
may_include translation common tensor tokenizer data model decoding
may_include evaluation common
may_include pipeline common kernels tensor tokenizer data model training decoding translation evaluation
may_include app common kernels tensor tokenizer data model training decoding translation evaluation pipeline
may_include library common kernels tensor tokenizer data model training decoding translation evaluation pipeline
no_torch common kernels tokenizer data evaluation library/include
if grep -rnE '^#include "' library/include; then
  fault "an installed header includes none that is not installed (see the lines above)"
fi
if grep -rnE '^#include (<torch/torch.h>|"\.)' "${folders[@]}"; then
  fault "torch/torch.h takes 25 s to compile, and paths start at the repository's root (see the lines above)"
fi

((failed == 0)) || exit 1
echo "check: ${#files[@]} files are formatted and include downwards only"
