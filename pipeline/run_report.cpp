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

}  // namespace

void report_step(RunFolder& folder, const TrainingReport& report) {
  log_info(text_of("epoch %lld  step %lld  loss %.4f  perplexity %.2f  learning rate %.3g  %.0f tokens/s",
                   static_cast<long long>(report.epoch), static_cast<long long>(report.step), report.loss,
                   std::exp(report.loss), report.learning_rate, report.tokens_per_second));
  folder.log("step", {{"step", report.step},
                      {"epoch", report.epoch},
                      {"loss", report.loss},
                      {"perplexity", std::exp(report.loss)},
                      {"learning_rate", report.learning_rate},
                      {"gradient_norm", report.gradient_norm},
                      {"target_tokens_per_second", report.tokens_per_second},
                      {"skipped_updates", report.skipped}});
}

void report_validation(RunFolder& folder, std::int64_t step, const Validation& validation) {
  log_info(text_of("validation at step %lld  loss %.4f  perplexity %.2f  BLEU %.2f (greedy)",
                   static_cast<long long>(step), validation.loss, std::exp(validation.loss), *validation.bleu));
  auto fields = summary(validation);
  fields["step"] = step;
  fields["perplexity"] = std::exp(validation.loss);
  folder.log("validation", std::move(fields));
}

void warn_of(std::string_view name, const CorpusReport& report, std::int64_t max_length) {
  warn_of(name, "not UTF-8", report.invalid_utf8);
  warn_of(name, "one side is empty", report.empty);
  warn_of(name, "more than data.max_length = " + std::to_string(max_length) + " pieces", report.too_long);
  if (report.crlf) log_warning("the " + std::string(name) + " text has Windows line ends (CR LF); they were dropped");
}

Json summary(const Bleu& bleu) { return {{"bleu", bleu.score}, {"signature", bleu_signature()}}; }

Json summary(const Validation& validation) {
  return {{"loss", validation.loss}, {"greedy_bleu", *validation.bleu}, {"signature", bleu_signature()}};
}

}  // namespace gloss
