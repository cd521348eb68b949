// How fast libgloss translates: one call of many lines, and many threads that call with one line each. Ends with one
// JSON line.
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gloss/translator.h>

namespace gloss {
namespace {

struct Options {
  std::filesystem::path model, input;
  std::size_t lines = 1000, callers = 64;
  int threads = 0, repeat = 3, beam = 5;
};

std::vector<std::string> read_input(const Options& options) {
  std::ifstream file(options.input);
  std::vector<std::string> lines;
  for (std::string line; lines.size() < options.lines && std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Returns the seconds of the fastest of the rounds.
template <typename Work>
double best_of(int rounds, const Work& work) {
  auto best = std::chrono::steady_clock::duration::max();
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  return std::chrono::duration<double>(best).count();
}

void library_speed(const Options& options) {
  const auto lines = read_input(options);
  const Translator translator(options.model, {.device = "cpu", .threads = options.threads});
  const TranslationOptions decoding{.beam_size = options.beam};
  // Parts of as many lines as there are callers.
  const auto in_parts = [&](const auto& translate_part) {
    for (std::size_t first = 0; first < lines.size(); first += options.callers)
      translate_part(std::span(lines).subspan(first, std::min(options.callers, lines.size() - first)));
  };
  const auto one_by_one = [&] {
    std::vector<std::thread> callers;
    for (std::size_t caller = 0; caller < options.callers; ++caller)
      callers.emplace_back([&, caller] {
        for (auto i = caller; i < lines.size(); i += options.callers) translator.translate_line(lines[i], decoding);
      });
    for (auto& caller : callers) caller.join();
  };
  const auto seconds = best_of(options.repeat, [&] { translator.translate(lines, decoding); });
  const auto seconds_of_parts = best_of(options.repeat, [&] {
    in_parts([&](std::span<const std::string> part) { translator.translate(part, decoding); });
  });
  const auto seconds_one_by_one = best_of(options.repeat, one_by_one);
  const auto speed = [&](double of) { return static_cast<double>(lines.size()) / of; };
  std::cout << "{\"beam\":" << options.beam << ",\"callers\":" << options.callers << ",\"lines\":" << lines.size()
            << ",\"sentences_per_second\":" << speed(seconds)
            << ",\"sentences_per_second_of_callers\":" << speed(seconds_one_by_one)
            << ",\"sentences_per_second_of_parts\":" << speed(seconds_of_parts) << "}\n";
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  gloss::Options options;
  CLI::App app("How fast libgloss translates on this machine; the best of the rounds counts");
  app.add_option("--model", options.model, "model file or folder of a finished run")->required();
  app.add_option("--input", options.input, "source text, a sentence a line")->required()->check(CLI::ExistingFile);
  app.add_option("--lines", options.lines, "only the first lines");
  app.add_option("--callers", options.callers, "threads that call with one line each")->check(CLI::PositiveNumber);
  app.add_option("--beam", options.beam, "beam size; 1 is greedy");
  app.add_option("--repeat", options.repeat, "rounds")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "0: as many as the process may use");
  CLI11_PARSE(app, argc, argv);
  try {
    gloss::library_speed(options);
  } catch (const std::exception& fault) {
    std::cerr << "library_speed: " << fault.what() << '\n';
    return 1;
  }
}
