#!/usr/bin/env bash
# Makes a machine ready to build gloss. Skips what is installed, so it can be run at any time.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/.deps
machine=$(uname -m)
version=2.13.0
pytorch_index=https://download.pytorch.org/whl/cpu
archive_url=${GLOSS_LIBTORCH_URL:-https://download.pytorch.org/libtorch/cpu/libtorch-shared-with-deps-2.13.0%2Bcpu.zip}
archive_sha256=${GLOSS_LIBTORCH_SHA256:-edbf4cbed78433d803e90a65f1752e57783d164bce66c95c0872b2ab8f5c159e}

# Of the wheel of version +cpu for x86_64, and of the other wheel for aarch64; that of +cpu for aarch64 is checked if you
# give its sum.
cpu_wheel_sha256=6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b
cuda_wheel_sha256=092790c696a760c729fd5722835f50b9d81fd7c8f141571f3f3cf4081a8f664c

usage() {
  cat <<END
usage: scripts/setup.sh [--developer] [--page] [--clang] [--cuda] [--aarch64] [--help]

Installs with apt what the build needs and is not there (through sudo where you are not root), then sees to LibTorch,
the C++ half of PyTorch. The first of these is used:
  1. where you point: GLOSS_LIBTORCH, Torch_DIR or CMAKE_PREFIX_PATH in the environment
  2. .deps/libtorch in the source tree
  3. the torch of an installed Python, if it fits
  4. the wheel torch==$version+cpu by pip, as pip is set up here; then from $pytorch_index
  5. for x86_64, the archive $archive_url
     for aarch64, the wheel torch==$version by pip, without its half for CUDA
4 and 5 are unpacked into .deps/libtorch. Nothing is installed into any Python.

  --developer   also install clang-format, which scripts/check.sh needs, Chromium for the tests of pages, and the Python
                packages of scripts/annotate.sh
  --page        also install these packages
  --clang       also install clang with libFuzzer, clang-tidy and LLVM's OpenMP, for the preset clang, scripts/tidy.sh
                and scripts/fuzz.sh
  --cuda        only a LibTorch with CUDA will do; none is fetched
  --aarch64     for scripts/check_aarch64.sh, also install the cross compiler and qemu, and fetch the LibTorch for aarch64
                into .deps/aarch64
Environment: GLOSS_WHEEL_SHA256 is the sum of another wheel for 4. GLOSS_LIBTORCH_URL and GLOSS_LIBTORCH_SHA256 name
another archive for 5.
END
}

say() { echo "setup: $*"; }
die() {
  echo "setup: $*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null; }

# libomp.so, which clang links to, stands beside clang's own files.
has_llvm_openmp() {
  local resources
  resources=$(clang++ -print-resource-dir 2>/dev/null) && compgen -G "$resources/../../libomp.so" >/dev/null
}

has_libfuzzer() {
  local resources
  resources=$(clang++ -print-resource-dir 2>/dev/null) && compgen -G "$resources/lib/*/*clang_rt.fuzzer*" >/dev/null
}

# Prints the Debian name of each package of which something is missing. One run of the preprocessor sees all headers.
missing_packages() {
  local tool header package
  for tool in g++ cmake ninja:ninja-build ccache "$@"; do
    have "${tool%:*}" || echo "${tool#*:}"
  done
  if [[ " $* " == *" clang++:clang "* ]]; then
    has_llvm_openmp || echo libomp-dev
    has_libfuzzer || echo libclang-rt-dev
  fi
  for header in sentencepiece_processor.h:libsentencepiece-dev CLI/CLI.hpp:libcli11-dev \
    nlohmann/json.hpp:nlohmann-json3-dev gtest/gtest.h:libgtest-dev gmock/gmock.h:libgmock-dev \
    openssl/evp.h:libssl-dev zlib.h:zlib1g-dev pugixml.hpp:libpugixml-dev histedit.h:libedit-dev; do
    package=${header#*:}
    printf '#if !__has_include(<%s>)\n%s\n#endif\n' "${header%:*}" "$package"
  done | if have g++; then g++ -std=c++20 -E -P -x c++ -; else grep -v '^#'; fi
}

# What to look for where there is no apt.
describe() {
  case $1 in
    g++) echo "g++ 12 or newer" ;;
    cmake) echo "CMake 3.22 or newer" ;;
    ninja-build) echo "Ninja" ;;
    ccache) echo "ccache" ;;
    clang-format-14) echo "clang-format 14, as clang-format-14" ;;
    clang) echo "clang 14 or newer" ;;
    clang-tidy) echo "clang-tidy 14 or newer" ;;
    libomp-dev) echo "LLVM's OpenMP run-time for clang" ;;
    libclang-rt-dev) echo "LLVM's compiler-rt for clang, with libFuzzer" ;;
    libsentencepiece-dev) echo "SentencePiece with its headers, https://github.com/google/sentencepiece" ;;
    libcli11-dev) echo "CLI11 2.1 or newer, https://github.com/CLIUtils/CLI11" ;;
    nlohmann-json3-dev) echo "nlohmann_json 3.11 or newer, https://github.com/nlohmann/json" ;;
    libgtest-dev | libgmock-dev) echo "GoogleTest 1.12 or newer with gmock, https://github.com/google/googletest" ;;
    libssl-dev) echo "OpenSSL 3 with its headers" ;;
    zlib1g-dev) echo "zlib with its headers, https://zlib.net" ;;
    libpugixml-dev) echo "pugixml 1.11 or newer, https://pugixml.org" ;;
    libedit-dev) echo "libedit with its headers, https://thrysoee.dk/editline (optional: line editing in translate)" ;;
  esac
}

# apt_install PACKAGE... sudo asks for a password only where somebody can type it.
apt_install() {
  local as_root=()
  if ((EUID != 0)); then
    if have sudo && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    elif have sudo && [[ -t 0 && -t 2 ]]; then
      as_root=(sudo)
    else
      echo "setup: installing needs root. As root, run: apt-get update && apt-get install $*" >&2
      return 1
    fi
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a)
  say "installing with apt: $*"
  "${as_root[@]}" apt-get -q -o Acquire::Retries=3 update </dev/null ||
    say "apt-get update failed; going on with the lists that are there"
  "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
    install -y --no-install-recommends "$@" </dev/null
}

install_packages() {
  local missing package
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} > 0)) || return 0
  if [[ ${missing[*]} =~ ^(ccache|libedit-dev|ccache libedit-dev)$ ]]; then
    say "not there: ${missing[*]}; the build does without"
    return
  fi
  if ! have apt-get; then
    echo "setup: there is no apt here. Install these in this system's own way, then run this again:" >&2
    for package in "${missing[@]}"; do echo "  $(describe "$package")" >&2; done
    exit 1
  fi
  apt_install "${missing[@]}" || die "not installed: ${missing[*]}. Mend what is said above and run this again"
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || die "still missing after apt-get install: ${missing[*]}"
}

# at_least TOOL WANTED GOT: ends here where GOT is older. Versions are compared number by number.
at_least() {
  [[ $(printf '%s\n' "$2" "$3" | sort -V | head -n 1) == "$2" ]] ||
    die "$1 $3 is too old: gloss needs $2 or newer (Debian 12 and Ubuntu 24.04 bring it). Install one that comes first in PATH"
}

# Without Gloo's headers gloss trains with one process only; not every system has the package.
install_gloo() {
  if echo '#include <gloo/context.h>' | g++ -E -x c++ - >/dev/null 2>&1; then return; fi
  have apt-get && apt_install libgloo-dev ||
    say "Gloo's headers (libgloo-dev) were not installed; gloss will train with one process only"
}

# Without these gloss neither imports models of Marian nor translates office documents and YAML; without ICU it reads no
# SRX files.
install_formats() {
  local headers='#include <zip.h>\n#include <yaml-cpp/yaml.h>\n#include <unicode/uregex.h>\n'
  if printf "$headers" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1; then return; fi
  have apt-get && apt_install libzip-dev libyaml-cpp-dev libicu-dev ||
    say "libzip (libzip-dev), yaml-cpp (libyaml-cpp-dev) or ICU (libicu-dev) was not installed; gloss will do without" \
      "models of Marian and without some formats of documents"
}

# Without Boost gloss does not serve; without CLD2 a server does not detect languages.
install_serving() {
  local headers='#include <boost/beast/version.hpp>\n#include <cld2/public/compact_lang_det.h>\n'
  if printf "$headers" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1; then return; fi
  have apt-get && apt_install libboost-dev libcld2-dev ||
    say "Boost (libboost-dev) or CLD2 (libcld2-dev) was not installed; gloss serve will be missing, or detect no languages"
}

# Without a browser the tests of pages are skipped, so it may be missing.
install_browser() {
  if have chromium && have chromedriver; then return; fi
  have apt-get && apt_install chromium chromium-driver fonts-dejavu-core ||
    say "Chromium with its driver was not installed; the tests of pages will be skipped"
}

# Without these packages of Python the annotated page cannot be built and its test is skipped, so they may be missing.
install_page_packages() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import markdown_it, pygments' 2>/dev/null; then return; fi
  done
  have apt-get && apt_install python3-markdown-it python3-pygments ||
    say "markdown-it and Pygments were not installed; scripts/annotate.sh cannot run"
}

check_versions() {
  at_least CMake 3.22 "$(cmake --version | sed -n '1s/.*version //p')"
  if [[ -z ${CXX-} ]]; then at_least g++ 12 "$(g++ -dumpfullversion)"; fi
}

# locate_libtorch [-D CHECK=DIR]: prints the folder of a LibTorch that fits, or nothing; fails where the user points to
# one that does not.
locate_libtorch() {
  local line
  while read -r line; do
    case $line in
      "refused: "*) say "${line#refused: }" >&2 ;;
      "found: "*) echo "${line#found: }" ;;
      "pointed: "*) die "${line#pointed: } names no LibTorch that can be used. Change or unset it" ;;
    esac
  done < <(cmake -D GLOSS_CUDA="$cuda" -D CMAKE_SYSTEM_PROCESSOR="$machine" "$@" -P "$root/cmake/locate_libtorch.cmake")
}

# Prints the LibTorch to use, or nothing. For --aarch64 it is always the one that was fetched.
find_libtorch() {
  if [[ $deps != */aarch64 ]]; then
    locate_libtorch
  elif [[ -d $deps/libtorch ]]; then
    echo "$deps/libtorch"
  fi
}

# Prints a Python that has pip.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
}

# download_wheels FOLDER [PIP OPTION...] REQUIREMENT...: for Python 3.11, whatever Python there is.
download_wheels() {
  local folder=$1 python
  shift
  python=$(python_with_pip)
  [[ -n $python ]] || return 1
  "$python" -m pip download --no-deps --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 \
    --platform "manylinux_2_28_$machine" --dest "$folder" "$@" </dev/null
}

# fetch_wheel FOLDER SHA256 [PIP OPTION...] REQUIREMENT: only the C++ half of the wheel is used, so any Python may fetch
# the same one.
fetch_wheel() {
  local folder=$1 sha256=${GLOSS_WHEEL_SHA256:-$2}
  shift 2
  download_wheels "$folder" "$@" || return
  if [[ -n $sha256 ]] && ! (cd "$folder" && sha256sum --status -c <<<"$sha256  $(echo torch-*.whl)"); then
    say "this wheel has another SHA-256 than $sha256; if you trust it, set GLOSS_WHEEL_SHA256"
    rm -f -- "$folder"/torch-*.whl
    return 1
  fi
  (cd "$folder" && unpack_wheel torch-*.whl)
}

# fetch_cuda_wheel FOLDER: PyPI has a wheel for CUDA only. Its half for CPUs asks for two libraries of CUDA's.
fetch_cuda_wheel() {
  local libraries=nvidia/cu13/lib
  [[ $machine == aarch64 ]] || return 1
  fetch_wheel "$1" "$cuda_wheel_sha256" "torch==$version" || return
  download_wheels "$1" --platform manylinux_2_25_aarch64 --platform manylinux2014_aarch64 \
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85 || return
  (cd "$1" && cmake -E tar xf nvidia_cuda_runtime-*.whl -- $libraries/libcudart.so.13 &&
    cmake -E tar xf nvidia_cuda_cupti-*.whl -- $libraries/libcupti.so.13 && mv $libraries/* libtorch/lib/ &&
    rm -f libtorch/lib/lib{torch,torch_cuda*,c10_cuda,caffe2_nvrtc,torch_nvshmem,torch_global_deps,torch_python}.so)
}

# Keeps the license texts, too, for packages of gloss (docs/third_party.md).
# The wheels for aarch64 keep what LibTorch loads in a folder beside it; the loader looks in torch/lib, too.
unpack_wheel() {
  cmake -E tar xf "$1" -- torch/include torch/lib || return
  if cmake -E tar xf "$1" -- 'torch-*.dist-info/licenses' 2>/dev/null; then
    mv torch-*.dist-info/licenses torch/ || return
  fi
  if cmake -E tar tf "$1" | grep '^torch.libs/' >/dev/null; then
    cmake -E tar xf "$1" -- torch.libs && mv torch.libs/* torch/lib/ || return
  fi
  mv torch libtorch
}

# fetch_archive FOLDER: CMake downloads it, since a bare machine has neither curl nor wget.
fetch_archive() {
  [[ $machine == x86_64 ]] || return 1
  cmake -D URL="$archive_url" -D FILE="$1/libtorch.zip" -D SHA256="$archive_sha256" -P "$root/cmake/download.cmake" &&
    (cd "$1" && cmake -E tar xf libtorch.zip)
}

# Everything is done in a folder beside the goal; only what was unpacked whole and fits is moved there.
fetch_libtorch() {
  local sha256=
  [[ $machine == aarch64 ]] || sha256=$cpu_wheel_sha256
  rm -rf "$deps"/fetch.*  # left by a set-up that was killed
  work=$(mktemp -d "$deps/fetch.XXXXXX")
  trap 'rm -rf -- "$work"' EXIT
  if [[ -z $(python_with_pip) ]] && have apt-get; then
    apt_install python3 python3-pip ca-certificates || say "going on without pip"
  fi
  say "fetching the wheel torch==$version+cpu (190 MB) by pip"
  fetch_wheel "$work" "$sha256" "torch==$version+cpu" || {
    say "pip did not find it; trying $pytorch_index"
    fetch_wheel "$work" "$sha256" --retries 1 --index-url "$pytorch_index" "torch==$version+cpu"
  } || {
    say "not found there either; trying $archive_url, or for aarch64 the wheel torch==$version (430 MB)"
    fetch_archive "$work" || fetch_cuda_wheel "$work"
  } || die "LibTorch could not be fetched. Check the network, or point GLOSS_LIBTORCH to an unpacked LibTorch"
  [[ -n $(locate_libtorch -D CHECK="$work/libtorch") ]] || die "the LibTorch that was fetched does not fit"
  rm -rf "$deps/libtorch"
  mv "$work/libtorch" "$deps/libtorch"
}

main() {
  local tools=() argument libtorch cuda=OFF developer=no page=no
  for argument in "$@"; do
    case $argument in
      --developer)
        tools+=(clang-format-14)
        developer=yes page=yes
        ;;
      --page) page=yes ;;
      --clang) tools+=(clang++:clang clang-tidy) ;;
      --cuda) cuda=ON ;;
      --aarch64)
        tools+=(aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user)
        machine=aarch64 deps+=/aarch64
        ;;
      -h | --help) usage && exit ;;
      *) die "unknown argument $argument; see scripts/setup.sh --help" ;;
    esac
  done
  install_packages "${tools[@]}"
  install_gloo
  install_formats
  install_serving
  if [[ $developer == yes ]]; then
    install_browser
  fi
  if [[ $page == yes ]]; then install_page_packages; fi
  check_versions
  libtorch=$(find_libtorch)
  if [[ -z $libtorch && $cuda == ON ]]; then
    die "no LibTorch with CUDA was found. Point GLOSS_LIBTORCH to one: an unpacked LibTorch for CUDA, or the folder \
site-packages/torch of a Python with PyTorch for CUDA"
  fi
  if [[ -z $libtorch ]]; then
    mkdir -p "$deps"
    exec 9>"$deps/lock"
    flock 9  # another set-up of the same tree may be fetching
    libtorch=$(find_libtorch)
    [[ -n $libtorch ]] || fetch_libtorch
    libtorch=${libtorch:-$deps/libtorch}
  fi
  say "all there; LibTorch is $libtorch"
}

main "$@"
