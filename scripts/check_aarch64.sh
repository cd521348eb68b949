#!/usr/bin/env bash
# scripts/check_aarch64.sh [--model MODEL INPUT] [FOLDER...]: gloss for aarch64, checked on x86_64.
#
#     scripts/check_aarch64.sh                     # builds all; runs tests and translations under qemu
#     scripts/check_aarch64.sh kernels tensor      # the tests of these two folders
#
# On Debian or Ubuntu it installs the cross compiler and qemu, unpacks the libraries for aarch64 into
# .deps/aarch64 and builds everything with the preset aarch64. Under qemu it runs the tests of some
# folders of tests/: those listed below, or those that are named. At last it compares translations of
# the program for aarch64 with those of the program for x86_64, with models of the tests, or of the
# file INPUT with MODEL. Builds preset ci unless build/ci has the program for x86_64.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
deps=$PWD/.deps/aarch64
packages=(libc6-dev libsentencepiece-dev libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev libssl-dev zlib1g-dev
  libpugixml-dev libedit-dev libzip-dev libyaml-cpp-dev libicu-dev libboost-dev libcld2-dev libgloo-dev)
# Folders of tests that start no other program, which an emulated program cannot.
folders=(common kernels tensor tokenizer data evaluation model decoding translation)
models=(tests/golden/tiny_model.safetensors tests/golden/pre_norm_model.safetensors) input=

while (($#)); do
  case $1 in
  --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  --model) models=("${2:?--model needs a model}") input=${3:?--model needs a text, too} && shift 3 ;;
  *) break ;;
  esac
done
if (($#)); then folders=("$@"); fi

# apt_aarch64 ARGUMENT...: apt-get with a state of its own. The packages of this system stay as they are, since some
# cannot be installed for two processors at once.
apt_aarch64() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$work/state" \
    -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" ${sources[@]+"${sources[@]}"} "$@" </dev/null
}

# Unpacks the packages, and those that they depend on, into $deps/sysroot.
make_sysroot() {
  local work sources=() package link target
  work=$(mktemp -d "$deps/fetch.XXXXXX")
  mkdir -p "$work"/{state/lists,cache/archives}/partial
  touch "$work/status"
  if grep -q '^ID=ubuntu' /etc/os-release; then  # its servers for aarch64 are others
    sed -n 's|^VERSION_CODENAME=\(.*\)|deb http://ports.ubuntu.com/ubuntu-ports \1 main universe|p' /etc/os-release \
      >"$work/sources.list"
    sources=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=-)
  fi
  apt_aarch64 update
  apt_aarch64 install -y --no-install-recommends --download-only "${packages[@]}"
  for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$work/sysroot"; done
  # Absolute links would lead to libraries of this system.
  find "$work/sysroot" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
    ln -sfnr "$work/sysroot$target" "$link"
  done
  # qemu 7 shows the file of this system, with which LibTorch's cpuinfo crashes: a Cortex-A72 in its place.
  mkdir "$work/sysroot/proc"
  printf '%s\n' 'processor: 0' 'Features: fp asimd' 'CPU implementer: 0x41' 'CPU architecture: 8' 'CPU variant: 0x0' \
    'CPU part: 0xd08' 'CPU revision: 0' '' >"$work/sysroot/proc/cpuinfo"
  mv "$work/sysroot" "$deps/sysroot"
  rm -rf -- "$work"
}

# Prints lines of the pieces of the tests' models, and one of other characters.
sample() {
  sed -n 's/^{"source": "\([^"]*\)".*/\1/p' tests/golden/alignment.json
  echo 'Der Käse 東京'
}

# translations MODEL TEXT PROGRAM...: prints the best three of each line, without their scores, whose last digits depend
# on the processor.
translations() {
  "${@:3}" translate --model "$1" --beam 5 --n-best 3 --quiet <"$2" | sed 's/ ||| [^|]*$//'
}

mkdir -p "$deps"
if [[ ! -d $deps/sysroot ]]; then make_sysroot; fi
if [[ ! -x build/ci/app/gloss_run ]]; then scripts/build.sh ci gloss_run; fi
scripts/build.sh aarch64
# Left out: qemu sets no limits of memory and starts no program anew, as the tests of processes that end need.
for folder in "${folders[@]}"; do
  ctest --test-dir "build/aarch64/tests/$folder" --output-on-failure --no-tests=error --timeout 1800 \
    --exclude-regex 'DeathTest$|/KernelTableTest$'
done

work=build/aarch64/translations
mkdir -p "$work"
if [[ -z $input ]]; then sample >"$work/input.txt"; fi
for model in "${models[@]}"; do
  translations "$model" "${input:-$work/input.txt}" build/ci/app/gloss_run >"$work/x86_64.txt"
  translations "$model" "${input:-$work/input.txt}" qemu-aarch64 -L "$deps/sysroot" build/aarch64/app/gloss_run \
    >"$work/aarch64.txt"
  diff "$work/x86_64.txt" "$work/aarch64.txt"
  echo "$model: $(wc -l <"$work/aarch64.txt") translations are those of x86_64"
done
