#include "evaluation/bleu/bleu_metric.h"

#include <algorithm>

#include "common/config/config_section.h"
#include "common/error.h"
#include "common/text/formatted.h"
#include "common/text/printable.h"
#include "evaluation/bleu/bleu_lines.h"
#include "evaluation/bleu/bleu_score.h"
#include "evaluation/parallel_for.h"

namespace gloss {
namespace {

/// Returns "67.9/50.0/33.3/20.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)".
std::string details_of(const BleuScore& bleu, double hypothesis_length, double reference_length) {
  std::string text;
  for (const double precision : bleu.precisions)
    text.append(text.empty() ? "" : "/").append(formatted("%.1f", precision));
  const double ratio = reference_length == 0 ? 0 : hypothesis_length / reference_length;
  return text + formatted(" (BP = %.3f ratio = %.3f hyp_len = %.0f ref_len = %.0f)", bleu.brevity_penalty, ratio,
                          hypothesis_length, reference_length);
}

std::vector<std::int64_t> whole(std::span<const double> counts) { return {counts.begin(), counts.end()}; }

}  // namespace

std::string_view bleu_smoothing_name(BleuSmoothing smoothing) {
  return choice_name(smoothing, Choices<BleuSmoothing>(kBleuSmoothings));
}

double BleuOptions::smoothing_value_in_use() const {
  return smoothing_value.value_or(smoothing == BleuSmoothing::kAddK ? 1 : 0.1);
}

void BleuOptions::validate() const {
  if (max_order < 1 || max_order > kMaxOrder)
    throw UsageError("BLEU's max_order: wanted 1 to " + std::to_string(kMaxOrder) + ", got " +
                     std::to_string(max_order));
  if (smoothing_value && !(*smoothing_value >= 0 && *smoothing_value <= kMaxSmoothingValue))
    throw UsageError(formatted("BLEU's smoothing value: wanted 0 to %g, got %g", kMaxSmoothingValue, *smoothing_value));
  if (own_tokenizer && (own_tokenizer->name.empty() || own_tokenizer->name.find_first_of("|:") != std::string::npos))
    throw UsageError("the name of a tokenizer of BLEU: wanted one without | and :, got \"" +
                     printable(own_tokenizer->name) + "\"");
}

BleuMetric::BleuMetric(BleuOptions options) : options_(std::move(options)) { options_.validate(); }

std::vector<SignatureEntry> BleuMetric::settings() const {
  std::string smoothing(bleu_smoothing_name(options_.smoothing));
  if (options_.smoothing == BleuSmoothing::kFloor || options_.smoothing == BleuSmoothing::kAddK)
    smoothing += formatted("[%.2f]", options_.smoothing_value_in_use());
  return {
      {"case", "c", options_.lowercase ? "lc" : "mixed"},
      {"eff", "e", options_.effective_order ? "yes" : "no"},
      {"tok", "tok",
       options_.own_tokenizer ? options_.own_tokenizer->name : std::string(bleu_tokenizer_name(options_.tokenizer))},
      {"smooth", "s", smoothing}};
}

SegmentStatistics BleuMetric::statistics(std::span<const std::string> hypotheses, const References& references,
                                         int threads) const {
  expect_scorable(name(), hypotheses, references);
  SegmentStatistics statistics{BleuLines::width(options_), {}};
  statistics.values.resize(hypotheses.size() * static_cast<std::size_t>(statistics.width));
  parallel_for(std::ssize(hypotheses), threads, [&](std::int64_t begin, std::int64_t end) {
    BleuLines lines(options_);
    const auto width = static_cast<std::size_t>(statistics.width);
    for (auto line = static_cast<std::size_t>(begin); line < static_cast<std::size_t>(end); ++line)
      lines.count(hypotheses[line], references.of_line[line],
                  std::span(statistics.values).subspan(line * width, width));
  });
  return statistics;
}

MetricScore BleuMetric::score(std::span<const double> sums) const {
  const auto bleu = bleu_score(options_, sums);
  const auto orders = static_cast<std::size_t>(options_.max_order);
  return {.name = name(),
          .score = bleu.score,
          .details = details_of(bleu, sums[0], sums[1]),
          .json = {{"score", bleu.score},
                   {"precisions", bleu.precisions},
                   {"brevity_penalty", bleu.brevity_penalty},
                   {"matches", whole(sums.subspan(2, orders))},
                   {"totals", whole(sums.subspan(2 + orders, orders))},
                   {"hypothesis_length", static_cast<std::int64_t>(sums[0])},
                   {"reference_length", static_cast<std::int64_t>(sums[1])}}};
}

std::string BleuMetric::details(std::span<const double> sums) const {
  return details_of(bleu_score(options_, sums), sums[0], sums[1]);
}

double BleuMetric::value(std::span<const double> sums) const { return bleu_score(options_, sums).score; }

double BleuMetric::value(std::span<const float> sums) const {
  const std::vector<double> same(sums.begin(), sums.end());
  return bleu_score(options_, same, BleuNumbers::kNumpyFloat32).score;
}

double BleuMetric::trial_value(std::span<const double> sums) const {
  return bleu_score(options_, sums, BleuNumbers::kNumpyInt64).score;
}

std::int64_t lines_with_tokenized_period(std::span<const std::string> hypotheses) {
  return std::ranges::count_if(hypotheses, [](const auto& line) { return line.ends_with(" ."); });
}

}  // namespace gloss
