#include "app/options/evaluate_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "common/error.h"
#include "common/log.h"
#include "common/text/split_text.h"
#include "evaluation/tokenize/lower_case.h"

namespace gloss {
namespace {

constexpr std::int64_t kMostResamples = 10'000'000;
constexpr std::array<std::int64_t, 5> kUsualLengthBounds = {10, 20, 30, 40, 50};
constexpr std::array<std::string_view, 4> kFormats = {"sacrebleu", "json", "text", "latex"};

std::optional<SacrebleuForm> form_called(std::string_view name) {
  if (name == "json") return SacrebleuForm::kJson;
  if (name == "text") return SacrebleuForm::kText;
  if (name == "latex") return SacrebleuForm::kLatex;
  return std::nullopt;
}

void add_files(CLI::App& command, EvaluateOptions& options) {
  group_options(command, "Texts");
  auto* model = add_models(command, options.models);
  auto* source = add_path(
      command,
      {"--source", "FILE", "the sentences for the model to translate; with --hypothesis scores by their length"},
      options.source);
  model->needs(source);
  add_texts(command,
            {"--hypothesis", "FILE",
             "translations, in place of a model; several systems, the first the baseline; -i and --input are the same "
             "(default without --model: stdin, several systems with tabs between them)"},
            [&options](const std::string& file) { options.hypotheses.emplace_back(file); })
      ->excludes(model);
  add_texts(command,
            {"references,--reference", "FILE",
             "the translations that are wanted; several files are several references of a line"},
            [&options](const std::string& file) { options.references.emplace_back(file); })
      ->required();
  add_text(command,
           {"--num-refs", "N", "a line of the reference file has N of them with tabs between; var: any number"},
           [&options](const std::string& text) {
             options.columns.any_number = text == "var";
             if (!options.columns.any_number) options.columns.count = parse_whole_number(text, {1, 10'000});
           });
  add_path(command, {"--groups", "FILE", "a name for each line; the lines of each name are also scored apart"},
           options.groups);
}

/// How the model translates, and where its translations are kept.
void add_model_options(CLI::App& command, EvaluateOptions& options) {
  const auto others = command.get_options().size();
  group_options(command, "Output");
  add_path(command,
           {"--output", "FILE", "also write the model's translations to FILE, which appears complete or not at all"},
           options.output);
  add_best_decoding_options(command, options.decoding);
  group_options(command, "Machine");
  add_precision(command, options.precision);
  add_plain(command, options.plain);
  const auto all = command.get_options();
  for (auto i = others; i < all.size(); ++i) all[i]->needs(command.get_option("--model"));
}

/// "10,20,30"
void add_length_bounds(std::vector<std::int64_t>& bounds, const std::string& text) {
  for (const auto part : split_text(text, ',')) {
    bounds.push_back(parse_whole_number(std::string(part), {}));
    if (bounds.size() > 1 && bounds.back() <= bounds[bounds.size() - 2])
      throw std::invalid_argument("rising numbers with commas between them");
  }
}

void add_statistics(CLI::App& command, EvaluateOptions& options) {
  const WholeRange samples{1, kMostResamples};
  group_options(command, "Statistics");
  add_flag(command, "--confidence", options.confidence, "an interval of 95 % by bootstrap resampling");
  add_whole_number(command, {"--confidence-n", "N", "resamples of --confidence (default: 1000)"}, options.confidence_n,
                   samples);
  auto* bootstrap = add_flag(command, "--paired-bs", options.paired_bs,
                             "test each system against the first by paired bootstrap resampling");
  add_flag(command, "--paired-ar", options.paired_ar, "the same by paired approximate randomization")
      ->excludes(bootstrap);
  add_whole_number(command, {"--paired-bs-n", "N", "resamples of --paired-bs (default: 1000)"}, options.paired_bs_n,
                   samples);
  add_whole_number(command, {"--paired-ar-n", "N", "trials of --paired-ar (default: 10000)"}, options.paired_ar_n,
                   samples);
  add_text(command, {"--seed", "N", "of the resampling, or none (default: SACREBLEU_SEED, else 12345)"},
           [&options](const std::string& text) {
             options.seed = ResamplingSeed::parse(text);
             if (!options.seed) throw std::invalid_argument("a whole number from 0, or none");
           });
}

void add_output(CLI::App& command, EvaluateOptions& options) {
  group_options(command, "Output");
  auto* json = add_flag(command, "--json", options.json, "one JSON object, the scores unrounded");
  add_text(command,
           {"--format", "NAME",
            "what sacreBLEU prints, to the byte but for the remarks below a paired test: json, text, latex, or "
            "sacrebleu for its default, json; SACREBLEU_FORMAT overrides it"},
           [&options](const std::string& name) {
             if (std::ranges::find(kFormats, name) == kFormats.end())
               throw std::invalid_argument("one of sacrebleu, json, text, latex");
             options.format = name;
           })
      ->excludes(json);
  add_flag(command, "--sentence-level", options.sentence_level, "a score for each line, BLEU with effective order");
  add_text(command,
           {"--length-buckets", "N,N...", "upper bounds of the words of a source line (default: 10,20,30,40,50)"},
           [&options](const std::string& text) { add_length_bounds(options.length_bounds, text); });
  add_whole_number(command, {"--differences", "N", "of two systems also the N lines where they differ most"},
                   options.differences, {1, kMostResamples});
  add_flag(command, "--short", options.short_signature, "short signatures");
  add_flag(command, "--score-only", options.score_only, "scores without signatures");
  add_whole_number(command, {"--width", "N", "digits behind the point (default: 2; of sacreBLEU's forms 1)"},
                   options.width, {0, 100});
  add_flag(command, "--no-color", options.no_color, "taken for sacreBLEU's sake; there are no colors");
}

void refuse_together(bool first, const std::string& name, bool second, const std::string& other) {
  if (first && second) throw UsageError(name + " and " + other + " exclude each other");
}

void expect_sensible_systems(const EvaluateOptions& options) {
  const auto files = options.system_files();
  const auto systems = std::ssize(files);
  const bool tested = options.paired().has_value();
  if (tested && systems < 2 && !options.systems_on_stdin())
    throw UsageError("--paired-bs and --paired-ar: wanted several systems, got one; give --hypothesis again");
  if (options.confidence && systems > 1)
    throw UsageError("--confidence: wanted one system, got " + std::to_string(systems) + "; give --paired-bs");
  if (options.sentence_level && systems > 1)
    throw UsageError("--sentence-level: wanted one system, got " + std::to_string(systems));
  if (options.differences > 0 && systems != 2 && !options.systems_on_stdin())
    throw UsageError("--differences: wanted two systems, got " + std::to_string(systems));
  for (auto file = files.begin(); file != files.end(); ++file)
    if (std::find(files.begin(), file, *file) != file)
      throw UsageError("--hypothesis: " + printable(file->string()) + " is given twice");
}

}  // namespace

std::optional<PairedTest> EvaluateOptions::paired() const {
  if (paired_bs) return PairedTest::kBootstrap;
  if (paired_ar) return PairedTest::kRandomization;
  return std::nullopt;
}

std::vector<std::filesystem::path> EvaluateOptions::system_files() const {
  auto files = hypotheses;
  if (paired() && !files.empty())
    files.erase(std::remove(files.begin() + 1, files.end(), hypotheses.front()), files.end());
  return files;
}

std::optional<SacrebleuForm> EvaluateOptions::sacrebleu_form() const {
  if (!format) return std::nullopt;
  const char* environment = std::getenv("SACREBLEU_FORMAT");
  if (const auto form = form_called(lower(environment == nullptr ? "" : environment))) return form;
  return form_called(*format).value_or(SacrebleuForm::kJson);
}

std::vector<MetricKind> EvaluateOptions::metric_kinds() const {
  auto kinds = metrics.metrics;
  if (kinds.empty()) kinds = {MetricKind::kBleu};
  if (!paired()) std::ranges::sort(kinds);
  return kinds;
}

std::vector<std::int64_t> EvaluateOptions::bounds_of_lengths() const {
  if (!length_bounds.empty()) return length_bounds;
  return {kUsualLengthBounds.begin(), kUsualLengthBounds.end()};
}

SacrebleuStyle EvaluateOptions::sacrebleu_style(SacrebleuForm form) const {
  return {form, width.value_or(SacrebleuStyle().width), short_signature, score_only};
}

ReportStyle EvaluateOptions::report_style() const {
  return {width.value_or(ReportStyle().width), short_signature, score_only};
}

void add_evaluate_options(CLI::App& command, EvaluateOptions& options) {
  add_files(command, options);
  group_options(command, "Metrics");
  add_metric_flags(command, options.metrics);
  add_statistics(command, options);
  add_output(command, options);
  add_model_options(command, options);
}

void expect_sensible(const EvaluateOptions& options) {
  expect_sensible_systems(options);
  const bool own = options.groups || options.scores_by_length() || options.differences > 0;
  const std::string own_names = "--groups, --differences and scores by --source";
  if (options.format && own) throw UsageError("--format: " + own_names + " are no part of sacreBLEU's output");
  if (!options.length_bounds.empty() && !options.source)
    throw UsageError("--length-buckets: wanted --source, whose lines have the lengths");
  refuse_together(options.json, "--json", options.short_signature, "--short");
  refuse_together(options.json, "--json", options.score_only, "--score-only");
  refuse_together(options.json, "--json", options.width.has_value(), "--width");
  if (!options.sentence_level) return;
  refuse_together(true, "--sentence-level", options.confidence, "--confidence");
  refuse_together(true, "--sentence-level", options.paired().has_value(), "a paired test");
  if (own) throw UsageError("--sentence-level: " + own_names + " are of the whole text");
  if (options.format && options.metric_kinds().size() > 1)
    throw UsageError("--sentence-level: wanted one metric with --format, got " +
                     std::to_string(options.metric_kinds().size()));
}

}  // namespace gloss
