#include "pipeline/run/run_report.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <system_error>

#include "common/log/log.h"
#include "common/text/formatted.h"
#include "common/text/printable.h"
#include "common/text/shell_quoted.h"
#include "common/text/terminal_text.h"
#include "pipeline/progress_line.h"

namespace gloss {
namespace {

std::string text_of(const char* format, auto... values) {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

void warn_of(const std::string& where, std::string_view name, const std::string& reason, const NotedLines& pairs) {
  if (pairs.count == 0) return;
  const auto* const left_out = pairs.count == 1 ? " pair left out: " : " pairs left out: ";
  log_warning(where + std::to_string(pairs.count) + " " + std::string(name) + left_out + reason + " (" + pairs.text() +
              ")");
}

std::string score_text(const Validation& scores) {
  return text_of("loss %.4f  perplexity %.2f  BLEU %.2f (greedy)", scores.loss, std::exp(scores.loss), *scores.bleu);
}

constexpr std::size_t kLogColumns = 120;  // width of samples if stderr is not a terminal

void report_scores(RunFolder& folder, const std::string& event, Json fields, const ValidationReport& validation,
                   std::size_t samples) {
  fields.update(summary(validation));
  fields["samples"] = Json::array();
  for (const auto& sample : validation.samples) {
    if (fields["samples"].size() < samples)
      for (const auto& line : sample_lines(sample, terminal_columns().value_or(kLogColumns))) log_info(line);
    fields["samples"].push_back({{"line", sample.line},
                                 {"source", sample.source},
                                 {"reference", sample.reference},
                                 {"translation", sample.translation}});
  }
  folder.log(event, std::move(fields));
}

/// Returns "step 50 of about 1200". The number is exact if the step limit or the end is reached.
std::string step_text(std::int64_t step, std::int64_t last_step, std::int64_t step_limit) {
  return "step " + std::to_string(step) + (last_step < step_limit && step < last_step ? " of about " : " of ") +
         std::to_string(last_step);
}

/// Seconds after which a run prints its first loss unless the first report comes earlier.
constexpr double kSecondsToFirstLoss = 2;

}  // namespace

void report_step(RunFolder& folder, const TrainingReport& report, std::int64_t step_limit) {
  const double perplexity = std::exp(report.loss);
  log_info(fitting_line({{step_text(report.step, report.last_step, step_limit)},
                         {text_of("epoch %lld", static_cast<long long>(report.epoch))},
                         {text_of("loss %.4f", report.loss)},
                         {text_of("perplexity %.2f", perplexity), 2},
                         {text_of("%.0f target tokens/s", report.tokens_per_second), 1},
                         {text_of("learning rate %.3g", report.learning_rate), 3},
                         {duration_text(report.seconds_left) + " left"}},
                        terminal_columns()));
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

void ProgressDisplay::show(const TrainingProgress& progress) {
  if (!loss_printed_ && progress.seconds >= kSecondsToFirstLoss) {
    loss_printed_ = true;
    log_info(step_text(progress.step, progress.last_step, step_limit_) +
             text_of("  epoch %lld  loss %.4f  %.0f target tokens/s", static_cast<long long>(progress.epoch),
                     progress.loss, progress.tokens_per_second) +
             "  " + duration_text(progress.seconds_left) + " left");
  }
  if (const auto columns = progress_columns()) log_progress(progress_text(progress, *columns - 1));
}

std::string progress_text(const TrainingProgress& progress, std::size_t columns) {
  const auto step = static_cast<double>(progress.step), last_step = static_cast<double>(progress.last_step);
  const std::vector<std::string> parts = {
      duration_text(progress.seconds_left) + " left", text_of("loss %.3f", progress.loss),
      text_of("epoch %lld", static_cast<long long>(progress.epoch)),
      text_of("%.0f tokens/s", progress.tokens_per_second),
      text_of("step %lld/%lld", static_cast<long long>(progress.step), static_cast<long long>(progress.last_step))};
  return progress_line(last_step > 0 ? step / last_step : 1, parts, columns);
}

void report_validation(RunFolder& folder, std::int64_t step, const ValidationReport& validation, std::size_t samples) {
  log_info("validation at step " + std::to_string(step) + "  " + score_text(validation.scores));
  report_scores(folder, "validation", {{"step", step}}, validation, samples);
}

std::vector<std::string> sample_lines(const Sample& sample, std::optional<std::size_t> columns) {
  const auto line = [&](const std::string& name, const std::string& text) {
    const auto whole = "  line " + std::to_string(sample.line) + name + printable(text, std::string::npos);
    return columns ? shortened(whole, *columns) : whole;
  };
  return {line("  source       ", sample.source), line("  reference    ", sample.reference),
          line("  translation  ", sample.translation)};
}

void report_model(RunFolder& folder, std::span<const std::int64_t> steps, const ValidationReport& validation,
                  std::size_t samples) {
  std::string text;
  for (const auto step : steps) text += (text.empty() ? "" : ", ") + std::to_string(step);
  log_info((steps.size() == 1 ? "the model is that of step " : "the model is the mean of those of steps ") + text +
           "  " + score_text(validation.scores));
  report_scores(folder, "model", {{"weights_of_steps", steps}}, validation, samples);
}

void warn_of(std::string_view name, const CorpusReport& report, const DataConfig& data, const std::string& files) {
  const auto where = files.empty() ? "" : files + ": ";
  warn_of(where, name, "not UTF-8", report.invalid_utf8);
  warn_of(where, name, "one side is empty", report.empty);
  warn_of(where, name, "more than data.max_length = " + std::to_string(data.max_length) + " pieces", report.too_long);
  warn_of(where, name,
          text_of("one side has more than data.max_ratio = %g times the pieces of the other", data.filters.max_ratio),
          report.ratio);
  warn_of(where, name, "the target is the source (data.skip_copied)", report.copied);
  warn_of(where, name, "they repeat an earlier pair (data.skip_repeated)", report.repeated);
  if (report.crlf)
    log_warning(where + "the " + std::string(name) + " text has Windows line ends (CR LF); they were dropped");
}

std::vector<std::string> finished_lines(const std::filesystem::path& folder, const std::filesystem::path& model_file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(model_file, error);
  return {"the model is " + printable(model_file.string()) + (error ? "" : ", " + bytes_text(bytes)),
          "translate with: gloss translate --model " + shell_quoted(folder) + " < text",
          "see how it was trained: gloss explain --run " + shell_quoted(folder) + " --output training.html"};
}

void report_hold_out(const HoldOut& held_out) {
  const auto all = std::to_string(held_out.pairs_of_text());
  if (held_out.sources().empty())
    log_warning(
        "data.hold_out: none of the " + all +
        " pairs can be held out to validate on; the text is too small, or every pair shares a side with another");
  else
    log_info(std::to_string(held_out.sources().size()) + " of " + all +
             " pairs are held out of training to validate on; data.valid_source and data.valid_target name others");
}

std::string stage_text(std::span<const TrainingStage> stages, std::size_t stage) {
  const auto& [sources, epochs] = stages[stage];
  auto text = "stage " + std::to_string(stage + 1) + " of " + std::to_string(stages.size());
  if (epochs) text += ", " + std::to_string(*epochs) + (*epochs == 1 ? " epoch" : " epochs");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto& [source, target, weight] = sources[i];
    text += (i == 0 ? ": " : "; ") + names_of({source, target});
    if (weight != 1) text += text_of(" (weight %g)", weight);
  }
  return text;
}

Json summary(const Bleu& bleu) { return {{"bleu", bleu.score}, {"signature", bleu_signature(bleu.tokenizer)}}; }

Json summary(const ValidationReport& validation) {
  return {{"loss", validation.scores.loss},
          {"perplexity", std::exp(validation.scores.loss)},
          {"greedy_bleu", *validation.scores.bleu},
          {"signature", validation.signature}};
}

}  // namespace gloss
