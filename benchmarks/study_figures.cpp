// The measurements of docs/study.md that no command of gloss makes. Prints one JSON object.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "benchmarks/study/figures.h"
#include "benchmarks/study/measuring.h"
#include "tensor/runtime.h"

namespace gloss {
namespace {

struct Options {
  std::string model = "{}";
  std::vector<std::int64_t> widths = {4, 16, 64, 256, 1024}, depths = {2, 6, 12}, lengths = {32, 64, 128, 256, 512};
  std::int64_t positions = 64, repeat = 3, vocabulary = 5, batch_tokens = 1024, updates = 5, steps = 20000,
               interval = 100;
  double epsilon = 0.4;
  int threads = 1;
};

ModelConfig model_of(const Options& options) {
  const auto section = parse_json(options.model);
  auto config = read_model_config(ConfigSection(section, "model"));
  config.validate();
  return config;
}

Json run(const std::string& command, const Options& options) {
  if (command == "scores") return study::attention_scores(options.widths, options.positions);
  if (command == "smoothing") return study::smoothing_curve(options.vocabulary, options.epsilon);
  if (command == "rates") return study::rate_curves(options.steps, options.interval);
  const auto config = model_of(options);
  if (command == "gradients") return study::gradient_norms(config, options.depths);
  if (command == "lengths") return study::length_costs(config, options.lengths, options.repeat);
  if (command == "decoding") return study::decoding_costs(config, options.lengths, options.repeat);
  return study::update_costs(config, options.batch_tokens, options.updates);
}

void add_commands(CLI::App& app, Options& options) {
  const auto list = [](CLI::App* command, const char* name, std::vector<std::int64_t>& values, const char* help) {
    command->add_option(name, values, help)->delimiter(',')->check(CLI::PositiveNumber);
  };
  const auto with_model = [&](CLI::App* command) {
    command->add_option("--model", options.model, "section `model` of a run file, as JSON");
    return command;
  };
  auto* const scores = app.add_subcommand("scores", "variance, entropy and gradient of attention scores by d_k");
  list(scores, "--widths", options.widths, "values of d_k");
  scores->add_option("--positions", options.positions, "queries and keys");

  auto* const gradients = with_model(app.add_subcommand("gradients", "gradient norm of each layer at the start"));
  list(gradients, "--depths", options.depths, "layers of encoder and decoder");

  auto* const lengths = with_model(app.add_subcommand("lengths", "time and memory by the length of a sentence"));
  list(lengths, "--lengths", options.lengths, "positions");
  lengths->add_option("--repeat", options.repeat, "calls, of which the fastest counts");

  auto* const decoding = with_model(app.add_subcommand("decoding",
                                                       "a parallel pass, and searches with and without "
                                                       "the cache"));
  list(decoding, "--lengths", options.lengths, "tokens of the target");
  decoding->add_option("--repeat", options.repeat, "calls, of which the fastest counts");

  auto* const updates = with_model(app.add_subcommand("updates", "speed and memory of an update"));
  updates->add_option("--batch-tokens", options.batch_tokens, "positions of the batch");
  updates->add_option("--updates", options.updates, "updates, of which the fastest counts");

  auto* const smoothing = app.add_subcommand("smoothing", "label smoothing: distribution and loss");
  smoothing->add_option("--vocabulary", options.vocabulary, "pieces");
  smoothing->add_option("--epsilon", options.epsilon, "share that is spread");

  auto* const rates = app.add_subcommand("rates", "the learning rate of noam");
  rates->add_option("--steps", options.steps, "updates");
  rates->add_option("--interval", options.interval, "updates between two points");
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  gloss::Options options;
  CLI::App app("Measurements of docs/study.md, on the classes that train and translate");
  app.require_subcommand(1);
  app.add_option("--threads", options.threads, "0: as many as the process may use");
  gloss::add_commands(app, options);
  CLI11_PARSE(app, argc, argv);
  return gloss::run_benchmark("study_figures", [&] {
    gloss::set_up_runtime(options.threads);
    std::cout << gloss::run(app.get_subcommands().front()->get_name(), options).dump() << '\n';
  });
}
