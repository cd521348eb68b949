#include "app/options/evaluate_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "evaluation/tokenize/characters.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxResamples = 10'000'000;
constexpr std::array<std::int64_t, 5> kUsualLengthBounds = {10, 20, 30, 40, 50};

std::optional<SacrebleuForm> form_called(std::string_view name) {
  if (name == "json") return SacrebleuForm::kJson;
  if (name == "text") return SacrebleuForm::kText;
  if (name == "latex") return SacrebleuForm::kLatex;
  return std::nullopt;
}

/// Throws std::invalid_argument unless `text` is a whole number in the range.
std::int64_t parse_whole_number(const std::string& text, const Range& range) {
  Setting setting{.range = range};
  setting.type = SettingType::kWholeNumber;
  return parse_value(setting, text).get<std::int64_t>();
}

void add_files(CLI::App& command, EvaluateOptions& options) {
  group_options(command, "Texts");
  auto* model = add_models(command, options.models);
  auto* source = add_option(command,
                            {.help = "read the sentences that the model translates; with --hypothesis: score by their "
                                     "length",
                             .flag = "--source"},
                            options.source);
  model->needs(source);
  add_option(command,
             {.help = "score these translations; several files are several systems, the first the baseline; also -i "
                      "and --input",
              .flag = "--hypothesis",
              .shown_default = "without --model: stdin, with tabs between several systems"},
             options.hypotheses)
      ->excludes(model);
  add_option(command,
             {.help = "score against these references; several files are several references for each line",
              .flag = "references,--reference"},
             options.references)
      ->required();
  add_parsed(command,
             {.help = "split lines of the reference file into N references at tabs; var: any number",
              .flag = "--num-refs",
              .placeholder = "N"},
             [&options](const std::string& text) {
               options.columns.any_number = text == "var";
               if (!options.columns.any_number) options.columns.count = parse_whole_number(text, between(1, 10'000));
             });
  add_option(
      command,
      {.help = "also score groups of lines; line n of FILE is the name of the group of line n", .flag = "--groups"},
      options.groups);
}

/// Adds the options of translation and of the translations' file.
void add_model_options(CLI::App& command, EvaluateOptions& options) {
  const auto others = command.get_options().size();
  group_options(command, "Output");
  add_option(command,
             {.help = "also write the model's translations to FILE, complete or not at all", .flag = "--output"},
             options.output);
  group_options(command, "Texts");
  add_languages(command, options.languages);
  add_best_decoding_options(command, options.decoding);
  group_options(command, "Machine");
  add_precision(command, options.precision);
  add_plain(command, options.plain);
  const auto all = command.get_options();
  for (auto i = others; i < all.size(); ++i) all[i]->needs(command.get_option("--model"));
}

/// Appends the numbers of a list such as "10,20,30". Throws std::invalid_argument unless they are whole, at least 0 and
/// ascending.
void add_length_bounds(std::vector<std::int64_t>& bounds, const std::string& text) {
  for (const auto part : split_text(text, ',')) {
    bounds.push_back(parse_whole_number(std::string(part), at_least(0)));
    if (bounds.size() > 1 && bounds.back() <= bounds[bounds.size() - 2])
      throw std::invalid_argument("rising numbers with commas between them");
  }
}

void add_statistics(CLI::App& command, EvaluateOptions& options) {
  const auto samples = between(1, kMaxResamples);
  group_options(command, "Statistics");
  add_option(command, {.help = "compute an interval of 95 % by bootstrap resampling", .flag = "--confidence"},
             options.confidence);
  add_option(command,
             {.help = "resample N times for --confidence",
              .range = samples,
              .flag = "--confidence-n",
              .shown_default = "1000"},
             options.confidence_n);
  auto* bootstrap = add_option(
      command, {.help = "test each system against the first by paired bootstrap resampling", .flag = "--paired-bs"},
      options.paired_bs);
  add_option(command,
             {.help = "test each system against the first by paired approximate randomization", .flag = "--paired-ar"},
             options.paired_ar)
      ->excludes(bootstrap);
  add_option(
      command,
      {.help = "resample N times for --paired-bs", .range = samples, .flag = "--paired-bs-n", .shown_default = "1000"},
      options.paired_bs_n);
  add_option(
      command,
      {.help = "run N trials for --paired-ar", .range = samples, .flag = "--paired-ar-n", .shown_default = "10000"},
      options.paired_ar_n);
  add_parsed(command,
             {.help = "resample with this seed; none: a random one",
              .wanted = "none or a whole number from 0",
              .flag = "--seed",
              .shown_default = "SACREBLEU_SEED, else 12345",
              .placeholder = "N"},
             [&options](const std::string& text) {
               options.seed = ResamplingSeed::parse(text);
               if (!options.seed) throw std::invalid_argument("none or a whole number from 0");
             });
}

void add_output(CLI::App& command, EvaluateOptions& options) {
  group_options(command, "Output");
  auto* json = add_json(command, options.json);
  Setting format{.help = "print as sacreBLEU does, except remarks below a paired test; SACREBLEU_FORMAT overrides it",
                 .flag = "--format"};
  format.type = SettingType::kChoice;
  format.choices = {"sacrebleu", "json", "text", "latex"};
  add_parsed(command, format, [format, &options](const std::string& name) {
    options.format = parse_value(format, name).get<std::string>();
  })->excludes(json);
  add_option(command, {.help = "print a score for each line, BLEU with effective order", .flag = "--sentence-level"},
             options.sentence_level);
  add_parsed(command,
             {.help = "score by length of the source, with these upper bounds in words",
              .flag = "--length-buckets",
              .shown_default = "10,20,30,40,50",
              .placeholder = "N,N..."},
             [&options](const std::string& text) { add_length_bounds(options.length_bounds, text); });
  add_option(command,
             {.help = "print the N lines where two systems differ most",
              .range = between(1, kMaxResamples),
              .flag = "--differences"},
             options.differences);
  add_option(command, {.help = "print short signatures", .flag = "--short"}, options.short_signature);
  add_option(command, {.help = "print scores without signatures", .flag = "--score-only"}, options.score_only);
  add_option(command,
             {.help = "print N digits after the point",
              .range = between(0, 100),
              .flag = "--width",
              .shown_default = "2; 1 with --format"},
             options.width);
  add_option(command, {.help = "has no effect; accepted because sacreBLEU has it", .flag = "--no-color"},
             options.no_color);
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

void add_evaluate_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<EvaluateOptions>();
  auto& command =
      add_command(program, "evaluate", "Score a model or files of translations against references, as sacreBLEU does",
                  options->common);
  add_files(command, *options);
  group_options(command, "Metrics");
  add_metric_flags(command, options->metrics);
  add_statistics(command, *options);
  add_output(command, *options);
  add_model_options(command, *options);
  finish_command(command,
                 "gloss evaluate --model runs/en-de --source test.en --reference test.de\n"
                 "gloss evaluate --hypothesis output.de --reference test.de --metrics bleu,chrf --confidence\n"
                 "gloss evaluate --hypothesis first.de second.de --reference test.de --paired-bs");
  command.callback([options, &chosen] { chosen = Parsed<EvaluateOptions>(options); });
}

void expect_sensible(const EvaluateOptions& options) {
  expect_sensible_systems(options);
  for (auto file = options.references.begin(); file != options.references.end(); ++file)
    if (std::find(options.references.begin(), file, *file) != file)
      throw UsageError("--reference: " + printable(file->string()) +
                       " is given twice; wanted each file of references once, with or without --reference");
  if (options.seed && options.decoding.has("sampling.enabled") && !options.confidence && !options.paired())
    throw UsageError(
        "--seed: is the seed of resampling, which --confidence, --paired-bs or --paired-ar turns on; the seed of "
        "--sample is --sample-seed");
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
