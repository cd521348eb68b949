# scripts/peak_memory.sh: functions for scripts that measure memory; to be sourced, not run.

# measure NAME COMMAND...: runs the command in the folder $work; its stdin is the file `in`, its stdout becomes `out`.
# Prints the name, the seconds of the clock and of the processor, and the peak of resident memory.
measure() {
  (set +o pipefail && cd "$work" && cat in | python3 -c '
import resource, subprocess, sys, time
begin = time.time()
code = subprocess.run(sys.argv[2:], stdout=open("out", "w"), stderr=open("err", "w")).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]:36} {time.time() - begin:9.1f} {used.ru_utime + used.ru_stime:9.1f} {used.ru_maxrss / 1024:9.1f}")
sys.exit(code)' "$@") || {
    cat "$work/err" >&2
    exit 1
  }
}

printf '%-36s %9s %9s %9s\n' command seconds processor 'peak MiB'
