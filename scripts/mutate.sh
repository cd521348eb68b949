#!/usr/bin/env bash
# scripts/mutate.sh [-l|-c] [PART...]: plants faults in the sources, reports which the tests detect.
#
#     scripts/mutate.sh                  # every fault in tests/mutations
#     scripts/mutate.sh common_ _ter_    # those whose name contains one of the parts
#     scripts/mutate.sh -l data_         # only lists them
#     scripts/mutate.sh -c               # only checks that the patches apply to the sources
#
# It works on a copy of the tracked files in build/mutate; the sources stay as they are. It applies
# one patch at a time, builds the test program that the patch names, runs the tests of its filter
# and restores the copy. A fault is detected when a test fails, crashes or runs longer than TIMEOUT
# seconds (120) or needs more than 16 GiB. The same tests must pass without the fault.
# Environment: TIMEOUT; PRESET (release), a preset of CMakePresets.json; JOBS (all processors).
#
# A patch begins with these lines; a diff that `git apply` accepts follows them:
#
#     # fault: nine rounds of Philox
#     # test: gloss_common_test
#     # filter: *RandomStreamTest.*
#     # build: gloss          (optional: another target that the tests need)
#
# Exit code: 0 if every fault was detected, 1 if one was missed or could not be tried, 2 for wrong
# arguments.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${PRESET:-release}
copy=$root/build/mutate/source
build=$copy/build/$preset
log=$root/build/mutate/log

# matches NAME PART...: NAME contains one of the parts, or there are none.
matches() {
  local name=$1 part
  shift
  (($# > 0)) || return 0
  for part in "$@"; do
    if [[ $name == *"$part"* ]]; then return 0; fi
  done
  return 1
}

# header PATCH KEY: the values of the lines "# KEY: VALUE" before the diff.
header() { sed -n "/^diff /q; s/^# $2: //p" "$1"; }

report() { printf '%-44s %s\n' "$1" "$2"; }

mode=try
case ${1:-} in
  -l) mode=list ;;
  -c) mode=check ;;
esac
if [[ $mode != try ]]; then shift; fi
patches=()
for patch in "$root"/tests/mutations/*.patch; do
  if matches "$(basename "$patch" .patch)" "$@"; then patches+=("$patch"); fi
done
if ((${#patches[@]} == 0)); then
  echo "mutate: no patch in tests/mutations has a name that contains: $*" >&2
  exit 2
fi
if [[ $mode == list ]]; then
  for patch in "${patches[@]}"; do report "$(basename "$patch" .patch)" "$(header "$patch" fault)"; done
  exit 0
fi
if [[ $mode == check ]]; then
  stale=0
  for patch in "${patches[@]}"; do
    git -C "$root" apply --check "$patch" || stale=$((stale + 1))
  done
  echo "mutate: $stale of ${#patches[@]} patches do not apply"
  exit $((stale > 0))
fi

# update_copy: makes the copy equal to the sources. A file that is equal already keeps its time and is not built again.
update_copy() {
  local file
  mkdir -p "$copy"
  while read -r -d '' file; do
    if [[ ! -f $root/$file ]] || cmp -s "$root/$file" "$copy/$file"; then continue; fi
    mkdir -p "$(dirname "$copy/$file")"
    cp "$root/$file" "$copy/$file"
  done < <(git -C "$root" ls-files -z)
  while read -r -d '' file; do
    if [[ ! -e $root/$file ]]; then rm "$copy/$file"; fi
  done < <(cd "$copy" && find . \( -path ./build -o -path ./.deps \) -prune -o -type f -print0)
  if [[ -d $root/.deps ]]; then ln -sfn "$root/.deps" "$copy/.deps"; fi
}

# run_logged COMMAND...: its output goes to the log.
run_logged() { "$@" >"$log" 2>&1; }

build_targets() { run_logged cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target "$@"; }

# run_tests PROGRAM FILTER: to be called in a subshell, whose folder and limits it changes.
run_tests() {
  local program
  program=$(find "$build/tests" -name "$1" -type f)
  cd "$(dirname "$program")"
  ulimit -v $((16 << 20))  # KiB; a fault may allocate without end
  run_logged env OMP_NUM_THREADS=1 timeout --kill-after=10 "${TIMEOUT:-120}" "$program" --gtest_filter="$2"
}

# The repository around the copy is hidden from git, which would look for the files of the patch in it.
apply() { GIT_CEILING_DIRECTORIES=$(dirname "$copy") run_logged git -C "$copy" apply "$1"; }

# passes PROGRAM FILTER TARGET...: the tests pass without a fault, and there are some. Tried once for each filter.
declare -A known
passes() {
  local key="$1 $2"
  if [[ -z ${known[$key]:-} ]]; then
    known[$key]=no
    if build_targets "$1" "${@:3}" && (run_tests "$1" "$2") && ! grep -q 'Running 0 tests' "$log"; then
      known[$key]=yes
    fi
  fi
  [[ ${known[$key]} == yes ]]
}

first_failure() { sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$log" | grep -m 1 . || echo "a crash or the time limit"; }

# try_fault PATCH: prints "detected: TEST", "MISSED" or "NOT TRIED: REASON".
try_fault() {
  local program filter others=()
  program=$(header "$1" test)
  filter=$(header "$1" filter)
  mapfile -t others < <(header "$1" build)
  if [[ -z $program || -z $filter ]]; then
    echo "NOT TRIED: the patch names no test program or no filter"
  elif ! passes "$program" "$filter" "${others[@]}"; then
    echo "NOT TRIED: without the fault $program --gtest_filter='$filter' fails or runs no test"
  elif ! apply "$1"; then
    echo "NOT TRIED: the patch does not apply"
  elif ! build_targets "$program" "${others[@]}"; then
    echo "NOT TRIED: it does not compile: $(grep -m 1 'error:' "$log" || true)"
  elif (run_tests "$program" "$filter"); then
    echo "MISSED"
  else
    echo "detected: $(first_failure)"
  fi
}

# restore PATCH: copies its files anew, with the time of now, so that they are built again.
restore() { sed -n 's|^+++ b/||p' "$1" | while read -r file; do cp "$root/$file" "$copy/$file"; done; }

update_copy
if ! run_logged cmake -S "$copy" --preset "$preset" -D GLOSS_BUILD_BENCHMARKS=OFF; then
  cat "$log" >&2
  exit 1
fi
detected=0 others=0
for patch in "${patches[@]}"; do
  result=$root/build/mutate/result
  try_fault "$patch" >"$result"  # not in a subshell, which would forget what passes
  restore "$patch"
  report "$(basename "$patch" .patch)" "$(<"$result")"
  if [[ $(<"$result") == detected* ]]; then detected=$((detected + 1)); else others=$((others + 1)); fi
done
echo "mutate: $detected of ${#patches[@]} faults were detected"
((others == 0))
