#include "app/output/sacrebleu_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "app/output/report_text.h"
#include "app/output/text_layout.h"
#include "common/config/json.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "evaluation/tokenize/characters.h"

namespace gloss {
namespace {

constexpr double kSignificance = 0.05;

/// Prefix of the baseline's name if the name is that of a file.
constexpr std::string_view kBaselineMark = "Baseline:";

constexpr std::string_view kMeaningOfTest =
    R"(   p: how probable so great a difference is if both translate equally well. Below 0.05 (*) chance alone is an
   unlikely cause. It says that two systems differ, not which of them is the better one.

)";

/// The powers of ten between which repr() writes no exponent: from the first to before the second.
constexpr int kMinPlainExponent = -4;
constexpr int kFirstLargeExponent = 16;

/// Returns Python's repr(value), which has the fewest digits that parse to an equal number and at least one after the
/// point. "NaN" and "Infinity" are spelled as by Python's json.
std::string python_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 400> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string with_exponent(buffer.data(), scientific.ptr);
  const int exponent = std::atoi(with_exponent.c_str() + with_exponent.find('e') + 1);
  if (value != 0 && (exponent < kMinPlainExponent || exponent >= kFirstLargeExponent)) return with_exponent;
  const auto plain = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  const std::string text(buffer.data(), plain.ptr);
  return text.find('.') == text.npos ? text + ".0" : text;
}

/// Returns a JSON string as Python's json writes it. With `ascii`, its default, all characters outside printable ASCII
/// are escaped as \uXXXX.
std::string python_json_string(const std::string& text, bool ascii) {
  return Json(text).dump(-1, ' ', ascii, Json::error_handler_t::replace);
}

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

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const auto& part : parts) text.append(text.empty() ? "" : between).append(part);
  return text;
}

/// Returns "μ = 64.1 ± 6.3", or nothing unless there is a positive mean.
std::optional<std::string> confidence(const MetricResult& result, int width) {
  if (!result.mean || !(*result.mean > 0)) return std::nullopt;
  return "μ = " + fixed(*result.mean, width) + " ± " + fixed(*result.half_width, width);
}

std::string score_alone(const MetricResult& result, int width) {
  const auto interval = confidence(result, width);
  return fixed(result.score.score, width) + (interval ? " (" + *interval + ")" : "");
}

std::string line_of_score(const MetricResult& result, const std::string& signature, const SacrebleuStyle& style) {
  const auto score = score_alone(result, style.width);
  if (style.score_only) return score;
  const auto& details = result.score.details;
  return result.score.name + "|" + signature + " = " + score + (details.empty() ? "" : " " + details);
}

/// Parses the text and returns the number in Python's spelling.
std::string json_number(const std::string& text) { return python_number(std::strtod(text.c_str(), nullptr)); }

/// Adds "key": value for each part of "nrefs:1|case:mixed".
void add_signature(std::vector<std::string>& members, std::string_view signature) {
  for (const auto part : split_text(signature, '|')) {
    const auto colon = part.find(':');
    members.push_back(python_json_string(std::string(part.substr(0, colon)), false) + ": " +
                      python_json_string(std::string(part.substr(colon + 1)), false));
  }
}

std::string json_object(const MetricResult& result, const std::string& signature, int width) {
  std::vector<std::string> members{"\"name\": " + python_json_string(result.score.name, false),
                                   "\"score\": " + json_number(fixed(result.score.score, width)),
                                   "\"signature\": " + python_json_string(signature, false)};
  if (const auto interval = confidence(result, width)) {
    members.push_back("\"confidence_mean\": " + json_number(fixed(*result.mean, width)));
    members.push_back("\"confidence_var\": " + json_number(fixed(*result.half_width, width)));
    members.push_back("\"confidence\": " + python_json_string(*interval, false));
  }
  if (!result.score.details.empty())
    members.push_back("\"verbose_score\": " + python_json_string(result.score.details, false));
  add_signature(members, signature);
  return "{\n " + joined(members, ",\n ") + "\n}";
}

/// Returns the lines with their first equality signs aligned in one column; lines without one come first.
std::string aligned(const std::vector<std::string>& lines) {
  std::string text;
  std::vector<std::size_t> lengths;  // of the text before " =", in characters
  for (const auto& line : lines) {
    const auto sign = line.find('=');
    if (sign == line.npos) {
      text += line + '\n';
    } else {
      lengths.push_back(count_code_points(line.substr(0, sign)) - 1);
    }
  }
  for (std::size_t i = 0; i < lengths.size(); ++i)
    text += std::string(std::ranges::max(lengths) - lengths[i], ' ') + lines[i] + '\n';
  return text;
}

std::string one_system(const ScoreReport& report, const SacrebleuStyle& style) {
  const bool as_json = style.form == SacrebleuForm::kJson;
  const auto& metrics = report.systems.front().metrics;
  std::vector<std::string> results;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (as_json && !style.score_only) {
      results.push_back(json_object(metrics[i], report.signatures[i], style.width));
    } else {
      results.push_back(
          line_of_score(metrics[i], (style.short_signature ? report.short_signatures : report.signatures)[i], style));
    }
  }
  if (results.size() == 1) return results.front() + '\n';
  return as_json ? "[\n" + joined(results, ",\n") + "\n]\n" : aligned(results);
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

std::string sacrebleu_text(const ScoreReport& report, const SacrebleuStyle& style) {
  return report.systems.size() == 1 ? one_system(report, style) : sacrebleu_table(report, style);
}

std::string sacrebleu_text(const LineScores& lines, const SacrebleuStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < lines.scores.size(); ++i) {
    MetricResult result;
    result.score = {lines.name, lines.scores[i], lines.details[i], {}};
    text += line_of_score(result, (style.short_signature ? lines.short_signatures : lines.signatures)[i], style) + '\n';
  }
  return text;
}

}  // namespace gloss
