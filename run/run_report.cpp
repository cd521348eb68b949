#include "run/run_report.h"

#include <cmath>
#include <string>
#include <system_error>

#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/terminal_text.h"
#include "run/config/run_files.h"

namespace gloss {
namespace {

void warn_of(const std::string& where, std::string_view name, const std::string& reason, const NotedLines& pairs) {
  if (pairs.count == 0) return;
  log_warning(where + counted(pairs.count, std::string(name) + " pair") + " left out: " + reason + " (" + pairs.text() +
              ")");
}

constexpr std::int64_t kUsablePerUnusable = 10;  // of a usual text, at least

std::string score_text(const Validation& scores) {
  return formatted("loss %.4f", scores.loss) + "  perplexity " + number_text(std::exp(scores.loss)) +
         (scores.bleu ? formatted("  BLEU %.2f (greedy)", *scores.bleu) : "");
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
                         {formatted("epoch %lld", static_cast<long long>(report.epoch))},
                         {formatted("loss %.4f", report.loss)},
                         {"perplexity " + number_text(perplexity), 2},
                         {formatted("%.0f target tokens/s", report.tokens_per_second), 1},
                         {formatted("learning rate %.3g", report.learning_rate), 3},
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
             formatted("  epoch %lld  loss %.4f  %.0f target tokens/s", static_cast<long long>(progress.epoch),
                       progress.loss, progress.tokens_per_second) +
             "  " + duration_text(progress.seconds_left) + " left");
  }
  if (const auto columns = progress_columns()) log_progress(progress_text(progress, *columns - 1));
}

std::string progress_text(const TrainingProgress& progress, std::size_t columns) {
  const auto step = static_cast<double>(progress.step), last_step = static_cast<double>(progress.last_step);
  const std::vector<std::string> parts = {
      duration_text(progress.seconds_left) + " left", formatted("loss %.3f", progress.loss),
      formatted("epoch %lld", static_cast<long long>(progress.epoch)),
      formatted("%.0f tokens/s", progress.tokens_per_second),
      formatted("step %lld/%lld", static_cast<long long>(progress.step), static_cast<long long>(progress.last_step))};
  return progress_line(last_step > 0 ? step / last_step : 1, parts, columns);
}

void report_validation(RunFolder& folder, std::int64_t step, const ValidationReport& validation, std::size_t samples) {
  log_info("validation at step " + std::to_string(step) + "  " + score_text(validation.scores));
  report_scores(folder, "validation", {{"step", step}}, validation, samples);
}

std::string best_text(const ValidationScores& scores) {
  std::string text;
  if (const auto& loss = scores.best_loss)
    text += formatted("loss %.4f at step %lld", loss->value, static_cast<long long>(loss->step));
  if (const auto& bleu = scores.best_bleu)
    text += formatted("%sBLEU %.2f at step %lld", text.empty() ? "" : ", ", bleu->value,
                      static_cast<long long>(bleu->step));
  return text;
}

std::string rising_loss_hint(const ValidationScores& scores, std::int64_t step, std::int64_t last_step) {
  constexpr std::int64_t kPartsOfRun = 3;
  if (!scores.best_loss || (step - scores.best_loss->step) * kPartsOfRun < last_step || step == 0) return {};
  return "hint: the validation loss has not fallen for a third of the run; best so far: " + best_text(scores) +
         "; training longer may not pay; with training.early_stop.patience a run ends by itself and keeps its best "
         "model";
}

std::string worse_than_start(const ValidationScores& scores, const Validation& model) {
  constexpr double kMaxLossFactor = 1.01, kMaxBleuLoss = 0.5;  // what differs less may be chance
  const auto &loss = scores.start_loss, &bleu = scores.start_bleu;
  const double gain = bleu && model.bleu ? *model.bleu - bleu->value : 0;
  const bool has_higher_loss = loss && model.loss > loss->value * kMaxLossFactor;
  if (!loss || (gain >= -kMaxBleuLoss && !(has_higher_loss && gain <= 0))) return {};
  return "the model is worse than the one of training.start_from on the validation text: " + score_text(model) +
         " instead of " + score_text({loss->value, bleu ? std::optional(bleu->value) : std::nullopt}) +
         "; lower training.learning_rate or train for fewer updates; the model it started from is unchanged";
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
          formatted("one side has more than data.max_ratio = %g times the pieces of the other", data.filters.max_ratio),
          report.ratio);
  warn_of(where, name, "the target is the source (data.skip_copied)", report.copied);
  warn_of(where, name, "they repeat an earlier pair (data.skip_repeated)", report.repeated);
  const auto unusable = report.invalid_utf8.count + report.empty.count + report.too_long.count;
  if (unusable * kUsablePerUnusable > report.lines)
    log_warning(where + "only " + std::to_string(report.pairs) + " of the " + std::to_string(report.lines) + " " +
                std::string(name) +
                formatted(" pairs %s used: %.0f %% of the text is left out", report.pairs == 1 ? "is" : "are",
                          100 * static_cast<double>(unusable) / static_cast<double>(report.lines)) +
                "; gloss check-data shows its faults");
  if (report.crlf)
    log_warning(where + "the " + std::string(name) + " text has Windows line ends (CR LF); they were dropped");
}

std::vector<std::string> finished_lines(const std::filesystem::path& folder, const std::filesystem::path& model_file) {
  const auto bytes_of = [](const std::filesystem::path& file) {
    std::error_code error;
    const auto bytes = std::filesystem::is_symlink(file, error) ? 0 : std::filesystem::file_size(file, error);
    return error ? 0 : bytes;
  };
  const RunFiles files(folder);
  auto unneeded = bytes_of(files.corpus);
  for (const auto& file : files.checkpoint_files()) unneeded += bytes_of(file);
  return {"the model is " + printable(model_file.string()) + ", " + bytes_text(bytes_of(model_file)),
          "translate with: gloss translate --model " + shell_quoted(folder) + " < text",
          "see how it was trained: gloss explain --run " + shell_quoted(folder) + " --output training.html",
          "only training on needs its checkpoints and encoded text, " + bytes_text(unneeded) +
              "; to delete them: rm -r " + shell_quoted(files.checkpoints) + " " + shell_quoted(files.corpus)};
}

void report_hold_out(const HoldOut& held_out) {
  const auto all = counted(held_out.pairs_of_text(), "pair");
  if (held_out.sources().empty())
    log_warning("data.hold_out: wanted pairs to hold out to validate on, got none of " + all +
                "; the text is too small, or every pair shares a side with another");
  else
    log_info("held out of training to validate on: " + std::to_string(held_out.sources().size()) + " of " + all +
             "; data.valid_source and data.valid_target name others");
}

std::string stage_text(std::span<const TrainingStage> stages, std::size_t stage) {
  const auto& [sources, epochs] = stages[stage];
  auto text = "stage " + std::to_string(stage + 1) + " of " + std::to_string(stages.size());
  if (epochs) text += ", " + counted(*epochs, "epoch");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto& [source, target, weight, alignment] = sources[i];
    text += (i == 0 ? ": " : "; ") + names_of({source, target});
    if (weight != 1) text += formatted(" (weight %g)", weight);
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
