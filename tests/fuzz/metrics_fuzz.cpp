// Metrics: a text scores best against itself, scores lie in their range, and neither the order nor the neighbors of
// lines change the statistics. An input is a byte of options and lines: translations and references in turn.

#include <cmath>
#include <vector>

#include "evaluation/scoring/metric_set.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {
namespace {

MetricOptions options_of(unsigned mode) {
  MetricOptions options;
  options.bleu.tokenizer = kBleuTokenizers[mode % kBleuTokenizers.size()].second;
  options.bleu.smoothing = kBleuSmoothings[mode / 8 % kBleuSmoothings.size()].second;
  options.bleu.effective_order = true;
  options.bleu.lowercase = options.chrf.lowercase = mode & 32;
  options.chrf.word_order = mode / 64 % 3;
  options.chrf.whitespace = mode & 32;
  options.ter = {.normalized = (mode & 8) != 0, .no_punct = (mode & 16) != 0, .asian_support = (mode & 32) != 0};
  return options;
}

bool is_near(double a, double b) { return std::abs(a - b) < 1e-7; }

void check_metric(const MetricOptions& options, MetricKind kind, const std::vector<std::string>& lines,
                  const std::vector<std::string>& references) {
  const auto made = make_metric(kind, options);
  const auto& metric = *made;
  const auto statistics = metric.statistics(lines, References::single(references));
  const auto score = metric.score(sum_of_rows(statistics)).score;
  expect(score >= 0 && (kind == MetricKind::kTer || score < 100 + 1e-7));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto alone = metric.statistics({&lines[i], 1}, References::single({&references[i], 1}));
    expect(std::ranges::equal(alone.row(0), statistics.row(static_cast<std::int64_t>(i))));
  }
  const std::vector<std::string> turned(lines.rbegin(), lines.rend()), others(references.rbegin(), references.rend());
  expect(is_near(metric.score(sum_of_rows(metric.statistics(turned, References::single(others)))).score, score));
  const auto itself = metric.score(sum_of_rows(metric.statistics(lines, References::single(lines)))).score;
  // sacreBLEU normalizes references twice, which splits "$ 3.50 ." otherwise than once.
  if (kind == MetricKind::kTer) return expect(itself == 0 || options.ter.normalized);
  expect(itself == 0 || is_near(itself, 100));
  if (score > 0 && kind == MetricKind::kBleu) expect(is_near(itself, 100));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = input_text(data, size);
  const auto mode = take_byte(text);
  std::vector<std::string> lines, references;
  while (!text.empty() && lines.size() < 20) {
    lines.push_back(repair_utf8(take_line(text)));
    references.push_back(repair_utf8(take_line(text)));
  }
  if (lines.empty()) return 0;
  const auto options = options_of(mode);
  for (const auto& [name, kind] : kMetrics) check_metric(options, kind, lines, references);
  return 0;
}

}  // namespace gloss
