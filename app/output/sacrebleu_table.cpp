#include "app/output/sacrebleu_table.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "app/output/python_text.h"
#include "app/output/text_table.h"
#include "evaluation/tokenize/strip.h"

namespace gloss {
namespace {

constexpr double kSignificance = 0.05;

/// Prefix of the baseline's name if the name is that of a file.
constexpr std::string_view kBaselineMark = "Baseline:";

constexpr std::string_view kMeaningOfTest =
    R"(   p: how probable so great a difference is if both translate equally well. Below 0.05 (*) chance alone is an
   unlikely cause. It says that two systems differ, not which of them is the better one.

)";

std::string number_or_null(const std::optional<double>& value) { return value ? python_number(*value) : "null"; }

std::string json_member(const ScoreReport& report, const MetricResult& result, int width) {
  const auto name = "        " + python_json_string(result.score.name, true) + ": ";
  if (!report.paired) return name + python_json_string(fixed(result.score.score, width), true);
  const std::string indent(12, ' ');
  return name + "{\n" + indent + "\"score\": " + python_number(result.score.score) + ",\n" + indent +
         "\"p_value\": " + number_or_null(result.p_value) + ",\n" + indent +
         "\"mean\": " + number_or_null(result.mean) + ",\n" + indent + "\"ci\": " + number_or_null(result.half_width) +
         "\n        }";
}

std::string json_table(const ScoreReport& report, int width) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < report.systems.size(); ++i) {
    const auto& system = report.systems[i];
    text += "    {\n        \"system\": " + python_json_string(system.name, true);
    for (const auto& result : system.metrics) text += ",\n" + json_member(report, result, width);
    text += i + 1 < report.systems.size() ? "\n    },\n" : "\n    }\n";
  }
  return text + "]\n";
}

std::string cell(const MetricResult& result, const SacrebleuStyle& style) {
  auto text = fixed(result.score.score, style.width);
  if (result.mean)
    text += " (" + fixed(*result.mean, style.width) + " ± " + fixed(*result.half_width, style.width) + ")";
  if (result.p_value)
    text += (style.form == SacrebleuForm::kText ? "\n(p = " : " (p = ") + fixed(*result.p_value, 4) +
            (*result.p_value > kSignificance ? ")" : ")*");
  return text;
}

TextTable table_of(const ScoreReport& report, const SacrebleuStyle& style) {
  TextTable table{{"System"}, {}};
  for (const auto& result : report.systems.front().metrics)
    table.headers.push_back(result.score.name + (result.mean ? " (μ ± 95% CI)" : ""));
  for (const auto& system : report.systems) {
    table.rows.push_back({std::string(strip(system.name))});
    for (const auto& result : system.metrics) table.rows.back().push_back(cell(result, style));
  }
  return table;
}

std::string explanation(const ScoreReport& report) {
  const bool bootstrap = report.paired == PairedTest::kBootstrap;
  const auto title = std::string("Paired ") + (bootstrap ? "bootstrap resampling" : "approximate randomization") +
                     " test with " + std::to_string(report.trials) + (bootstrap ? " resampling trials" : " trials");
  const std::string rule(title.size(), '-');
  const auto& baseline = report.systems.front().name;
  return rule + '\n' + title + '\n' + rule + "\n - Compared with " +
         (baseline.starts_with(kBaselineMark) ? baseline : "the first system") +
         (bootstrap ? "; mean and 95 % interval are of the resamples" : "") + ".\n" + std::string(kMeaningOfTest);
}

}  // namespace

std::string sacrebleu_table(const ScoreReport& report, const SacrebleuStyle& style) {
  if (style.form == SacrebleuForm::kJson) return json_table(report, style.width);
  const auto table = table_of(report, style);
  auto text = (style.form == SacrebleuForm::kText ? fancy_grid(table) : latex_booktabs(table)) + '\n';
  if (report.paired) text += explanation(report);
  text += "-----------------\nMetric signatures\n-----------------\n";
  const auto& signatures = style.short_signature ? report.short_signatures : report.signatures;
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    auto name = report.systems.front().metrics[i].score.name;
    if (name.size() < 10) name.resize(10, ' ');
    text += " - " + name + ' ' + signatures[i] + '\n';
  }
  return text;
}

}  // namespace gloss
