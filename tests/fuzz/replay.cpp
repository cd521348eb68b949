// fuzz_NAME FOLDER COUNT: a fuzz target in a build without libFuzzer.
//
// Runs the inputs in FOLDER, then COUNT more that are made of them by small changes, the same in each run. An input
// that ends the program is written to the file failed_input.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "common/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gloss {
namespace {

constexpr std::size_t kMaxLength = 4096;

std::string input;  // of the current run

void keep_input(int signal) {
  const int file = ::open("failed_input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  static_cast<void>(!::write(file, input.data(), input.size()));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Random numbers in sequence.
class Draws {
 public:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : stream_.below(bound, next_++); }

 private:
  RandomStream stream_{1, "inputs"};
  std::uint64_t next_ = 0;
};

/// Changes a byte, or removes, doubles or inserts some; what is inserted is a part of `other`.
void change(std::string& text, const std::string& other, Draws& draws) {
  const auto begin = draws.below(text.size()), count = 1 + draws.below(8);
  switch (draws.below(5)) {
    case 0:
      if (!text.empty()) text[begin] = static_cast<char>(draws.below(256));
      break;
    case 1:
      if (!text.empty()) text[begin] = static_cast<char>(text[begin] ^ 1 << draws.below(8));
      break;
    case 2:
      text.erase(begin, count);
      break;
    case 3:
      text.insert(begin, text.substr(draws.below(text.size()), count * count));
      break;
    default:
      text.insert(begin, other.substr(draws.below(other.size()), count * count));
  }
}

void run(std::string next) {
  input = std::move(next);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

int run_all(const std::filesystem::path& folder, std::size_t count) {
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) return 1;
  std::ranges::sort(seeds);
  for (const auto signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, keep_input);
  for (const auto& seed : seeds) run(seed);
  Draws draws;
  for (std::size_t i = 0; i < count; ++i) {
    auto text = seeds[draws.below(seeds.size())];
    for (auto changes = 1 + draws.below(6); changes > 0; --changes)
      change(text, seeds[draws.below(seeds.size())], draws);
    text.resize(std::min(text.size(), kMaxLength));
    run(std::move(text));
  }
  std::printf("%zu inputs of %zu seeds\n", seeds.size() + count, seeds.size());
  return 0;
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]);
    return 2;
  }
  return gloss::run_all(argv[1], std::stoul(argv[2]));
}
