#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/decoding_options.h"
#include "app/options/translate_options.h"
#include "app/output/standard_output.h"
#include "app/output/translation_text.h"
#include "common/error.h"
#include "common/files/text_pairs.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "translation/models/score_pairs.h"
#include "translation/models/translation_ensemble.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

/// Sums over the pairs that were printed.
struct Totals {
  std::int64_t pairs = 0, tokens = 0;
  double log_probability = 0;
  NotedLines truncated;

  void add(const ScoredPair& pair) {
    ++pairs;
    tokens += std::ssize(pair.forced.tokens);
    log_probability += pair.forced.log_probability;
    if (pair.truncated) truncated.note(pairs);
  }
  /// Returns the perplexity per token; 1 if there are no tokens.
  double perplexity() const {
    return std::exp(-log_probability / static_cast<double>(std::max<std::int64_t>(tokens, 1)));
  }
};

std::string to_json_line(std::int64_t line, const ScoredPair& pair) {
  std::vector<LineTranslation::Token> tokens;
  for (std::size_t i = 0; i < pair.pieces.size(); ++i)
    tokens.push_back({.piece = pair.pieces[i], .log_probability = pair.forced.tokens[i], .span = {}});
  return to_text({{"line", line},
                  {"score", pair.score},
                  {"log_probability", pair.forced.log_probability},
                  {"tokens", to_json(tokens)}}) +
         '\n';
}

}  // namespace

ExitCode run(const ScoreOptions& options) {
  const StopOnSignal stop(kSecondsToStop);
  auto inputs = model_inputs(options.models);
  inputs.insert(inputs.end(), {{"--source", options.source}, {"--target", options.target}});
  const auto machine = set_up(options.common, {std::move(inputs)});
  expect_input_file("--source", options.source);
  expect_input_file("--target", options.target);
  const auto models = load_models(options.models, options.languages, machine.device);
  const auto decoding = options.decoding.over(decoding_settings(), models.first().config.decoding);
  std::optional<PairScorer> made;
  name_by_option(translation_names(), [&] { made.emplace(models, decoding, options.precision, options.plain); });
  warn_of_ignored(options.precision, models);
  const auto& scorer = *made;

  TextPairs texts(options.source, options.target);
  Totals totals;
  for (LinePairs some; some = texts.next(lines_at_once(decoding)), !some.sources.empty();) {
    std::string output;
    for (const auto& pair : scorer.score(some, totals.pairs + 1)) {
      totals.add(pair);
      output += options.json_lines ? to_json_line(totals.pairs, pair) : printed_score(pair.score) + '\n';
    }
    write_result(output);
  }
  if (totals.pairs == 0) throw DataError(printable(options.source.string()) + ": wanted sentences, got none");
  warn_of_truncated("the source", totals.truncated, models.max_source_length());
  log_info(counted(totals.pairs, "pair") + ", " + counted(totals.tokens, "token") + ", perplexity " +
           number_text(totals.perplexity(), 4));
  log_event("score", {{"pairs", totals.pairs},
                      {"tokens", totals.tokens},
                      {"log_probability", totals.log_probability},
                      {"perplexity", totals.perplexity()}});
  return ExitCode::kDone;
}

}  // namespace gloss
