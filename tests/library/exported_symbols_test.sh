#!/usr/bin/env bash
# exported_symbols_test.sh NM LIBRARY HEADER LIST: the C functions that the library exports are those of the list, and
# those that the header declares. A function never leaves the list, since programs were linked with it.
set -euo pipefail
export LC_ALL=C

nm=$1 library=$2 header=$3 list=$4
exported=$("$nm" -D --defined-only "$library" | awk '$3 ~ /^gloss_/ { print $3 }' | sort)
declared=$(grep -E '^GLOSS_PUBLIC' "$header" | grep -oE 'gloss_[a-z_]+\(' | tr -d '(' | sort)
[[ -n $exported ]]
diff "$list" - <<<"$exported" || { echo "the library exports other functions (>) than the list (<)"; exit 1; }
diff "$list" - <<<"$declared" || { echo "the header declares other functions (>) than the list (<)"; exit 1; }
# Besides these there are C++ names only, and those of the linker.
others=$("$nm" -D --defined-only "$library" | awk '$3 !~ /^(gloss_|_Z|_init$|_fini$|_edata$|_end$|__bss_start$)/' |
  grep -vE ' (__asan|__ubsan|__tsan|__odr|__sanitizer)' || true)
[[ -z $others ]] || { echo "the library exports other C names: $others"; exit 1; }
