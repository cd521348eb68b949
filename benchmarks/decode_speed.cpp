// How fast translating runs: the searches of translate, timed without tokenizing. Ends with one JSON line.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "benchmarks/study/measuring.h"
#include "common/files/atomic_file.h"
#include "common/files/text_pairs.h"
#include "decoding/batched_search.h"
#include "decoding/scorers/make_scorer.h"
#include "model/weights.h"
#include "tensor/accelerator.h"
#include "tensor/runtime.h"
#include "tensor/workers.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, input, output;
  DecodingConfig decoding{.beam_size = 5, .batch_size = 64};
  std::optional<WeightPrecision> precision;
  std::int64_t fixed_length = 0, lines = 0;
  int threads = 0, repeat = 3;
  std::string device = "cpu";
};

std::vector<Ids> sources_of(const Options& options, const Tokenizer& tokenizer) {
  auto lines = read_lines(options.input, Passes::kOne);
  if (options.lines > 0 && options.lines < std::ssize(lines)) lines.resize(static_cast<std::size_t>(options.lines));
  std::vector<Ids> sources;
  for (const auto& line : lines) {
    sources.push_back(tokenizer.encode(line));
    if (!sources.back().empty()) sources.back().push_back(kEos);
  }
  return sources;
}

/// Returns the lines of each batch, the longest first; at least as many batches as threads.
std::vector<std::vector<std::size_t>> batches_of(const std::vector<Ids>& sources, std::size_t batch_size, int threads) {
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sources[i].size(); });
  const auto share = (order.size() + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads);
  const auto size = std::clamp<std::size_t>(share, 1, batch_size);
  std::vector<std::vector<std::size_t>> batches;
  for (auto rest = std::span(order); !rest.empty(); rest = rest.subspan(std::min(size, rest.size()))) {
    const auto batch = rest.first(std::min(size, rest.size()));
    batches.emplace_back(batch.begin(), batch.end());
  }
  return batches;
}

/// Operations in the weight matrices: 2 a weight for each piece that it is multiplied with. The weights of a decoder
/// meet `rows` rows for each piece of a translation, those for keys and values of cross-attention the pieces of the
/// source.
double operations(const TranslationModel& model, double source_pieces, double target_pieces, double rows) {
  double of_source = 0, of_target = 0;
  const auto generator = stored_name(kGeneratorMatrix, model.config.model.tie_embeddings);
  for (const auto& [name, info] : network_weights(model.config.model, model.file.vocabularies)) {
    const auto weights = static_cast<double>(c10::multiply_integers(info.shape));
    const bool is_matrix = info.kind == WeightKind::kMatrix;
    const bool reads_source = name.starts_with("encoder.") || name.find("cross_attention.key") != name.npos ||
                              name.find("cross_attention.value") != name.npos;
    if (is_matrix && reads_source) of_source += weights;
    if ((is_matrix && !reads_source) || name == generator) of_target += weights;
  }
  return 2 * (source_pieces * of_source + target_pieces * rows * of_target);
}

void decode_speed(Options options) {
  const int threads = set_up_runtime(options.threads);
  const auto device = parse_device(options.device);
  const int parallel = is_accelerator(device) ? 1 : threads;
  expect_translating_precision(options.precision, device, /*plain=*/false);
  const auto loaded = load_translation_model(options.model, device);
  const auto sources = sources_of(options, *loaded.source_tokenizer);
  if (options.fixed_length > 0) options.decoding.min_length = options.decoding.max_length = options.fixed_length;
  const auto precision =
      options.precision.value_or(translating_precision(loaded.file.precision, loaded.file.model.device));
  const auto scorer = make_scorer(loaded.file.model, loaded.config.model, DecodingConfig::kMaxTargetLength, precision);

  std::vector<std::vector<Hypothesis>> found(sources.size());
  const auto batches = batches_of(sources, static_cast<std::size_t>(options.decoding.batch_size), parallel);
  Workers workers(parallel);
  const double best = best_of(options.repeat, [&] {
    workers.run(std::ssize(batches), [&](std::int64_t batch) {
      const auto& lines = batches[static_cast<std::size_t>(batch)];
      std::vector<Ids> of_batch;
      for (const auto line : lines) of_batch.push_back(sources[line]);
      batched_search(*scorer, of_batch, options.decoding, {},
                     {.on_found = [&](std::int64_t sentence, const auto& hypotheses) {
                       found[lines[static_cast<std::size_t>(sentence)]] = hypotheses;
                     }});
    });
  });
  std::size_t tokens = 0, source_pieces = 0;
  for (const auto& ids : sources) source_pieces += ids.size();
  std::string text;
  for (const auto& hypotheses : found) {
    if (!hypotheses.empty()) {
      tokens += hypotheses.front().ids.size();
      text += loaded.target_tokenizer->decode(hypotheses.front().ids);
    }
    text += '\n';
  }
  if (!options.output.empty()) {
    AtomicFile file(options.output);
    file.write(text);
    file.commit();
  }
  const auto memory = peak_memory_mib(device);
  const double peak = device.is_cpu() ? dot_product_peak(precision) : 0;
  const auto arithmetic = operations(loaded, static_cast<double>(source_pieces),
                                     static_cast<double>(tokens + sources.size()),  // with eos
                                     static_cast<double>(options.decoding.beam_size));
  const Json line = {{"beam", options.decoding.beam_size},
                     {"batch", options.decoding.batch_size},
                     {"threads", threads},
                     {"sentences_per_second", static_cast<double>(sources.size()) / best},
                     {"tokens_per_second", static_cast<double>(tokens) / best},
                     {"peak_memory_mib", memory ? Json(*memory) : Json()},
                     {"dot_product_peak_gops", peak > 0 ? Json(peak / 1e9) : Json()},
                     {"share_of_dot_product_peak", peak > 0 ? Json(arithmetic / best / (peak * threads)) : Json()}};
  std::cout << line.dump() << '\n';
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  gloss::Options options;
  CLI::App app("How fast translating runs on this machine; the best of the rounds counts");
  app.add_option("--model", options.model, "model file or folder of a finished run")->required();
  app.add_option("--input", options.input, "source text, a sentence a line")->required()->check(CLI::ExistingFile);
  app.add_option("--output", options.output, "keep the translations here");
  app.add_option("--beam", options.decoding.beam_size, "beam size; 1 is greedy");
  app.add_option("--batch", options.decoding.batch_size, "sentences searched together");
  app.add_option("--length-penalty", options.decoding.length_penalty, "0 ranks by plain sums");
  app.add_option("--fixed-length", options.fixed_length, "exactly so many tokens a sentence");
  app.add_option("--lines", options.lines, "only the first lines; 0: all");
  app.add_option("--precision", options.precision,
                 "float32, bfloat16, int8 or float16 (default: as the file, where that is fast)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, gloss::WeightPrecision>(
          gloss::kTranslatingPrecisions.begin(), gloss::kTranslatingPrecisions.end())));
  app.add_option("--repeat", options.repeat, "rounds")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "0: as many as the process may use");
  app.add_option("--device", options.device, "auto, cpu or cuda[:N]; default: cpu");
  CLI11_PARSE(app, argc, argv);
  return gloss::run_benchmark("decode_speed", [&] { gloss::decode_speed(options); });
}
