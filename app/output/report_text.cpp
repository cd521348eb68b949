#include "app/output/report_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

std::string score_text(const MetricScore& score, int width) { return score.name + " = " + fixed(score.score, width); }

/// Returns "BLEU = 53.73 (μ = 53.50 ± 2.10) (p = 0.0123)".
std::string score_text(const MetricResult& result, const ReportStyle& style) {
  auto text = style.score_only ? fixed(result.score.score, style.width) : score_text(result.score, style.width);
  if (result.mean)
    text += " (μ = " + fixed(*result.mean, style.width) + " ± " + fixed(*result.half_width, style.width) + ")";
  if (result.p_value) text += " (p = " + fixed(*result.p_value, 4) + ")";
  return text;
}

std::string padded_name(const std::string& name, std::size_t width) {
  const auto text = printable(name);
  return text + std::string(width - count_code_points(text), ' ');
}

/// Returns a line for each part: "because             60 lines  BLEU = 96.40".
std::string part_lines(const std::vector<PartOfLines>& parts, const ReportStyle& style) {
  std::size_t width = 0;
  for (const auto& part : parts) width = std::max(width, count_code_points(printable(part.name)));
  std::string lines;
  for (const auto& part : parts) {
    lines += padded_name(part.name, width) + formatted("%8lld lines", static_cast<long long>(part.lines));
    for (const auto& score : part.scores) lines += "  " + score_text(score, style.width);
    lines += '\n';
  }
  return lines;
}

std::string difference_lines(const ScoreReport& report, const std::vector<DifferenceTexts>& texts,
                             const ReportStyle& style) {
  std::string lines;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& difference = report.differences[i];
    lines += "line " + std::to_string(difference.line) + "  " + report.systems.front().metrics.front().score.name +
             " = " + fixed(difference.first, style.width) + " and " + fixed(difference.second, style.width) + '\n';
    if (texts[i].source) lines += "  source     " + printable(*texts[i].source) + '\n';
    lines += "  reference  " + printable(texts[i].reference) + '\n';
    for (std::size_t system = 0; system < texts[i].hypotheses.size(); ++system)
      lines += "  system " + std::to_string(system + 1) + "   " + printable(texts[i].hypotheses[system]) + '\n';
  }
  if (!texts.empty() && !style.score_only)
    lines += (style.short_signature ? report.short_differences_signature : report.differences_signature) + '\n';
  return lines;
}

std::string one_system_lines(const ScoreReport& report, const ReportStyle& style) {
  const auto& signatures = style.short_signature ? report.short_signatures : report.signatures;
  const auto& metrics = report.systems.front().metrics;
  std::string lines;
  for (std::size_t i = 0; i < metrics.size(); ++i)
    lines += score_text(metrics[i], style) + '\n' + (style.score_only ? "" : signatures[i] + '\n');
  return lines;
}

std::string several_systems_lines(const ScoreReport& report, const ReportStyle& style) {
  std::string lines;
  for (const auto& system : report.systems) {
    lines += printable(system.name) + '\n' + part_lines(system.groups, style) + part_lines(system.lengths, style);
    for (const auto& result : system.metrics) lines += "  " + score_text(result, style) + '\n';
  }
  if (style.score_only) return lines;
  for (const auto& text : style.short_signature ? report.short_signatures : report.signatures) lines += text + '\n';
  return lines;
}

Json to_json(const MetricScore& score, const std::string& signature) {
  Json object{{"score", score.score}, {"signature", signature}};
  for (const auto& [name, figure] : score.figures) std::visit([&](const auto& value) { object[name] = value; }, figure);
  return object;
}

Json to_json(const MetricResult& result, const std::string& signature) {
  auto object = to_json(result.score, signature);
  if (result.mean) object["confidence"] = {{"mean", *result.mean}, {"half_width", *result.half_width}};
  if (result.p_value) object["p_value"] = *result.p_value;
  return object;
}

/// Returns an object by name of the part, with its number of lines and its scores. With several metrics, each has an
/// object of its own.
Json to_json(const std::vector<PartOfLines>& parts, const ScoreReport& report) {
  Json result = Json::object();
  for (const auto& part : parts) {
    Json object = Json::object();
    for (std::size_t i = 0; i < part.scores.size(); ++i) {
      auto score = to_json(part.scores[i], report.signatures[i]);
      if (part.scores.size() == 1) {
        object = std::move(score);
      } else {
        object[report.keys[i]] = std::move(score);
      }
    }
    object["lines"] = part.lines;
    result[part.name] = std::move(object);
  }
  return result;
}

Json to_json(const SystemResult& system, const ScoreReport& report) {
  Json object = Json::object();
  for (std::size_t i = 0; i < system.metrics.size(); ++i)
    object[report.keys[i]] = to_json(system.metrics[i], report.signatures[i]);
  if (!system.groups.empty()) object["groups"] = to_json(system.groups, report);
  if (!system.lengths.empty()) object["lengths"] = to_json(system.lengths, report);
  return object;
}

Json difference_json(const LineDifference& difference, const DifferenceTexts& texts, const std::string& signature) {
  Json object{{"line", difference.line},
              {"scores", {difference.first, difference.second}},
              {"signature", signature},
              {"reference", texts.reference},
              {"hypotheses", texts.hypotheses}};
  if (texts.source) object["source"] = *texts.source;
  return object;
}

}  // namespace

std::string fixed(double value, int digits) { return std::isnan(value) ? "nan" : formatted("%.*f", digits, value); }

std::string to_lines(const ScoreReport& report, const std::vector<DifferenceTexts>& texts, const ReportStyle& style) {
  const auto& first = report.systems.front();
  const auto scores = report.systems.size() == 1 ? part_lines(first.groups, style) + part_lines(first.lengths, style) +
                                                       one_system_lines(report, style)
                                                 : several_systems_lines(report, style);
  return difference_lines(report, texts, style) + scores;
}

std::string to_lines(const std::vector<LineScores>& metrics, const ReportStyle& style) {
  std::string lines;
  for (std::size_t line = 0; line < metrics.front().scores.size(); ++line) {
    for (const auto& metric : metrics) lines.append(fixed(metric.scores[line], style.width)).append("\t");
    lines.back() = '\n';
  }
  return lines;
}

Json to_json(const ScoreReport& report, const std::vector<DifferenceTexts>& texts) {
  if (report.systems.size() == 1) return to_json(report.systems.front(), report);
  Json result{{"systems", Json::array()}};
  for (const auto& system : report.systems) {
    auto object = to_json(system, report);
    object["name"] = system.name;
    result["systems"].push_back(std::move(object));
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    result["differences"].push_back(difference_json(report.differences[i], texts[i], report.differences_signature));
  return result;
}

Json to_json(const std::vector<LineScores>& metrics) {
  Json result = Json::object();
  for (const auto& metric : metrics) {
    auto& object = result[metric.key];
    object["signature"] = metric.signature;
    object["lines"] = metric.scores;
  }
  return result;
}

}  // namespace gloss
