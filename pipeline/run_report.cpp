#include "pipeline/run_report.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "common/log.h"

namespace gloss {
namespace {

std::string text_of(const char* format, auto... values) {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

void warn_of(std::string_view name, const std::string& reason, const NotedLines& pairs) {
  if (pairs.count == 0) return;
  log_warning(std::to_string(pairs.count) + " " + std::string(name) + " pairs left out: " + reason + " (" +
              pairs.text() + ")");
}

std::string score_text(const Validation& scores) {
  return text_of("loss %.4f  perplexity %.2f  BLEU %.2f (greedy)", scores.loss, std::exp(scores.loss), *scores.bleu);
}

void report_scores(RunFolder& folder, const std::string& event, Json fields, const ValidationReport& validation) {
  fields.update(summary(validation));
  fields["samples"] = Json::array();
  for (const auto& [line, source, reference, translation] : validation.samples) {
    const auto number = "  line " + std::to_string(line);
    log_info(number + "  source       " + printable(source));
    log_info(number + "  reference    " + printable(reference));
    log_info(number + "  translation  " + printable(translation));
    fields["samples"].push_back(
        {{"line", line}, {"source", source}, {"reference", reference}, {"translation", translation}});
  }
  folder.log(event, std::move(fields));
}

}  // namespace

void report_step(RunFolder& folder, const TrainingReport& report) {
  const double perplexity = std::exp(report.loss);
  log_info(
      text_of("step %lld of %lld  epoch %lld  loss %.4f  perplexity %.2f  %.0f target tokens/s  learning rate %.3g",
              static_cast<long long>(report.step), static_cast<long long>(report.last_step),
              static_cast<long long>(report.epoch), report.loss, perplexity, report.tokens_per_second,
              report.learning_rate) +
      "  " + duration_text(report.seconds_left) + " left");
  folder.log("step", {{"step", report.step},
                      {"last_step", report.last_step},
                      {"epoch", report.epoch},
                      {"loss", report.loss},
                      {"perplexity", perplexity},
                      {"learning_rate", report.learning_rate},
                      {"gradient_norm", report.gradient_norm},
                      {"target_tokens_per_second", report.tokens_per_second},
                      {"seconds_left", report.seconds_left},
                      {"skipped_updates", report.skipped}});
}

void show_progress(const TrainingProgress& progress) { log_progress(progress_text(progress)); }

std::string progress_text(const TrainingProgress& progress) {
  constexpr std::int64_t kWidth = 30;
  const auto [step, last_step, seconds_left] = progress;
  const auto tenths = last_step > 0 ? 1000 * step / last_step : 1000;
  const auto done = static_cast<std::size_t>(kWidth * tenths / 1000);
  return '[' + std::string(done, '#') + std::string(kWidth - done, '.') +
         text_of("] %3lld %%  step %lld of %lld  ", static_cast<long long>(tenths / 10), static_cast<long long>(step),
                 static_cast<long long>(last_step)) +
         duration_text(seconds_left) + " left";
}

void report_validation(RunFolder& folder, std::int64_t step, const ValidationReport& validation) {
  log_info("validation at step " + std::to_string(step) + "  " + score_text(validation.scores));
  report_scores(folder, "validation", {{"step", step}}, validation);
}

void report_model(RunFolder& folder, std::span<const std::int64_t> steps, const ValidationReport& validation) {
  std::string text;
  for (const auto step : steps) text += (text.empty() ? "" : ", ") + std::to_string(step);
  log_info((steps.size() == 1 ? "the model is that of step " : "the model is the mean of those of steps ") + text +
           "  " + score_text(validation.scores));
  report_scores(folder, "model", {{"weights_of_steps", steps}}, validation);
}

void warn_of(std::string_view name, const CorpusReport& report, std::int64_t max_length) {
  warn_of(name, "not UTF-8", report.invalid_utf8);
  warn_of(name, "one side is empty", report.empty);
  warn_of(name, "more than data.max_length = " + std::to_string(max_length) + " pieces", report.too_long);
  if (report.crlf) log_warning("the " + std::string(name) + " text has Windows line ends (CR LF); they were dropped");
}

Json summary(const Bleu& bleu) { return {{"bleu", bleu.score}, {"signature", bleu_signature(bleu.tokenizer)}}; }

Json summary(const ValidationReport& validation) {
  return {{"loss", validation.scores.loss},
          {"perplexity", std::exp(validation.scores.loss)},
          {"greedy_bleu", *validation.scores.bleu},
          {"signature", validation.signature}};
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  const auto minutes = whole / 60, hours = minutes / 60, days = hours / 24;
  if (minutes == 0) return text_of("%lld s", whole);
  if (hours == 0) return text_of("%lld min", minutes);
  if (days == 0) return text_of("%lld h %02lld min", hours, minutes % 60);
  return text_of("%lld d %lld h", days, hours % 24);
}

}  // namespace gloss
