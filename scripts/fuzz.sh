#!/usr/bin/env bash
# scripts/fuzz.sh [--runs N] [--seconds N] [--short] [TARGET...]: fuzzes what reads bytes of others.
#
#     scripts/fuzz.sh                             # 10^7 executions of each target, 10^6 of those with LibTorch
#     scripts/fuzz.sh --runs 10000 forms routes   # some of them, shortly
#     scripts/fuzz.sh --short                     # all without LibTorch, two minutes together
#
# Builds the programs of tests/fuzz with clang's libFuzzer and the sanitizers for addresses and
# undefined behavior (preset fuzz), writes first inputs and dictionaries, and runs each target on one
# processor. A target ends after --runs executions or --seconds, whichever comes first. Inputs that
# reach new code stay in build/fuzzing and begin the next run. Prints a line for each target; the exit
# code is 1 if one has found a fault, whose input stays in build/fuzzing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work="$root/build/fuzzing" runs="" seconds=0 is_short=no targets=()
torch=" checkpoint foreign_files import model_file routes run_file " # targets with LibTorch
all=("$root"/tests/fuzz/*_fuzz.cpp)                                  # a target for each file
all=("${all[@]##*/}")
all=("${all[@]%_fuzz.cpp}")
while (($#)); do
  case $1 in
  --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  --runs) runs=${2:?--runs needs a number} && shift 2 ;;
  --seconds) seconds=${2:?--seconds needs a number} && shift 2 ;;
  --short) is_short=yes && shift ;;
  *)
    if [[ " ${all[*]} " != *" $1 "* ]]; then
      echo "fuzz: there is no target $1, only ${all[*]}" >&2
      exit 2
    fi
    targets+=("$1") && shift
    ;;
  esac
done
if ((${#targets[@]} == 0)); then
  for target in "${all[@]}"; do
    if [[ $is_short == no || $torch != *" $target "* ]]; then targets+=("$target"); fi
  done
fi
if [[ $is_short == yes ]]; then seconds=$((120 / ${#targets[@]})); fi

mkdir -p "$work"
if ! {
  "$root/scripts/setup.sh" --clang
  "$root/scripts/build.sh" fuzz "${targets[@]/#/fuzz_}"
} >"$work/build.log" 2>&1; then
  tail -n 30 "$work/build.log" >&2
  echo "fuzz: the targets were not built; see $work/build.log" >&2
  exit 1
fi
"$root/tests/fuzz/make_seeds.py" "$work/seeds"
TMPDIR=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")") # of files that inputs become
trap 'rm -rf "$TMPDIR"' EXIT

# The counts of entropic schedules would take most of the time of routes, and so would searches for leaks while threads
# keep memory; the leaks of all inputs are reported at the end.
options=(-max_total_time="$seconds" -entropic=0 -detect_leaks=0 -timeout=30 -rss_limit_mb=2048 -print_final_stats=1)
# The threads of LibTorch would wait for each other actively. Its functions keep no frame pointers: longer stacks of
# allocations would differ each time, and AddressSanitizer's table of them would fill the memory.
export TMPDIR OMP_NUM_THREADS=1 ASAN_OPTIONS=malloc_context_size=2
failed=0
for target in "${targets[@]}"; do
  log="$work/$target.log"
  count=$([[ $torch == *" $target "* ]] && echo 1000000 || echo 10000000)
  mkdir -p "$work/corpus/$target" "$work/seeds/$target"
  if "$root/build/fuzz/tests/fuzz/fuzz_$target" "${options[@]}" -runs="${runs:-$count}" \
    -dict="$work/seeds/$target.dict" -artifact_prefix="$work/$target-" \
    "$work/corpus/$target" "$work/seeds/$target" >"$log" 2>&1; then
    found="nothing found"
  else
    found="a fault found: see $log" failed=1
  fi
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  covered=$(sed -n 's/.* cov: \([0-9]*\) ft: \([0-9]*\) corp: \([0-9]*\).*/\1 edges, \2 features, \3 inputs/p' "$log" |
    tail -n 1)
  echo "$target: ${count:-?} executions, ${rate:-?}/s, ${covered:-?}, $found"
done
exit "$failed"
