#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/metric_settings.h"
#include "app/commands/set_up.h"
#include "app/options/decoding_options.h"
#include "app/options/evaluate_options.h"
#include "app/output/report_text.h"
#include "app/output/sacrebleu_format.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/files/text_pairs.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/writing.h"
#include "evaluation/scoring/evaluation_config.h"
#include "evaluation/scoring/metric_set.h"
#include "evaluation/scoring/score_systems.h"
#include "evaluation/tokenize/characters.h"
#include "evaluation/tokenize/tokenize.h"
#include "translation/models/translation_ensemble.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

constexpr const char* kStandardInput = "stdin";

/// Minimum number of tokenized lines for a warning, as in sacreBLEU.
constexpr std::int64_t kManyTokenizedLines = 100;

/// The inputs and settings of an evaluation. All texts have the same number of lines.
struct EvaluationInput {
  std::vector<SystemOutput> systems;
  References references;
  std::optional<std::vector<std::string>> sources;
  MetricOptions settings;
  ScoringOptions scoring;
};

std::vector<NamedFile> texts_read(const EvaluateOptions& options) {
  std::vector<NamedFile> texts;
  for (const auto& file : options.references) texts.push_back({"--reference", file});
  for (const auto& file : options.hypotheses) texts.push_back({"--hypothesis", file});
  if (options.source) texts.push_back({"--source", *options.source});
  if (options.groups) texts.push_back({"--groups", *options.groups});
  return texts;
}

/// Returns the section `evaluation` of the run file that a model was trained with; the defaults of one without it.
EvaluationConfig evaluation_config_of(const ModelDescription& description) {
  return read_evaluation_config(ConfigSection(description.config, "").section("evaluation"));
}

/// Adds the model's translations of the sources, and the model's tokenizer for BLEU if the command line sets none. With
/// --output, also writes the translations to that file.
void translate_sources(const EvaluateOptions& options, const Machine& machine, EvaluationInput& judged) {
  std::optional<OutputFile> kept;
  if (options.output) kept.emplace(options.output);
  const auto models = load_models(options.models, options.languages, machine.device);
  if (!options.metrics.names_tokenizer())
    judged.settings.bleu.tokenizer = evaluation_config_of(models.first().file.description).tokenize;
  SystemOutput system;
  for (const auto& model : options.models) system.name += (system.name.empty() ? "" : " + ") + model.string();
  const auto decoding = decoding_config(options.decoding, models.first().config.decoding);
  std::optional<LineTranslator> translator;
  name_by_option(translation_names(), [&] {
    translator = models.translator(options.precision, /*aligns=*/false, options.plain).with_workers(machine.threads);
  });
  warn_of_ignored(options.precision, models);
  const auto [texts, truncated] = Translations(translate_texts(*translator, decoding, *judged.sources));
  warn_of_truncated("the test source", truncated, translator->max_source_length());
  for (const auto& line : texts) {
    if (kept) kept->write(line + '\n');
    system.lines.emplace_back(strip_end(line));
  }
  if (kept) kept->commit();
  judged.systems.push_back(std::move(system));
}

std::vector<SystemOutput> systems_of(const EvaluateOptions& options) {
  if (options.systems_on_stdin()) {
    Descriptor input(::dup(STDIN_FILENO));
    if (!input.is_open()) throw_io_error(kStandardInput, "open");
    if (::isatty(STDIN_FILENO))
      log_info(
          "type a translation for each line of the reference, Ctrl-D ends; --hypothesis FILE reads them from a file, "
          "--model FILE --source FILE translates");
    return read_tabbed_systems(std::move(input), kStandardInput);
  }
  std::vector<SystemOutput> systems;
  for (const auto& file : options.system_files()) systems.push_back({file.string(), read_scored_lines(file)});
  return systems;
}

/// Returns the metrics' settings. Throws UsageError if one is wrong.
MetricOptions sensible_settings(const EvaluateOptions& options) {
  auto settings = metric_settings(options.metrics, BleuTokenizer::k13a);
  name_by_option(kMetricOptionNames, [&] {
    for (const auto kind : options.metric_kinds()) make_metric(kind, settings);
  });
  return settings;
}

ScoringOptions scoring_options(const EvaluateOptions& options, const EvaluationInput& judged, int threads) {
  ScoringOptions scoring;
  scoring.threads = threads;
  scoring.resamples = options.confidence ? options.confidence_n : 0;
  scoring.paired = options.paired();
  scoring.trials = options.trials();
  scoring.differences = options.differences;
  if (options.confidence || scoring.paired)
    scoring.seed = options.seed ? *options.seed : ResamplingSeed::from_environment();
  if (options.groups) {
    const auto groups = read_scored_lines(*options.groups);
    expect_equal_lines(options.groups->string(), std::ssize(groups), options.references.front().string(),
                       judged.references.lines());
    scoring.groups = parts_by_name(groups);
  }
  if (options.scores_by_length()) scoring.lengths = parts_by_length(*judged.sources, options.bounds_of_lengths());
  return scoring;
}

/// Reads and checks all inputs, then translates if there is a model. Translation may take hours, so all other errors
/// are found before it.
EvaluationInput judged_texts(const EvaluateOptions& options, const Machine& machine) {
  EvaluationInput judged;
  judged.settings = sensible_settings(options);
  judged.references = read_references(options.references, options.columns);
  const auto reference_name = options.references.front().string();
  const auto expect_lines = [&](const std::string& name, std::int64_t lines) {
    expect_equal_lines(name, lines, reference_name, judged.references.lines());
  };
  if (options.source) {
    judged.sources = read_lines(*options.source, Passes::kOne);
    expect_lines(options.source->string(), std::ssize(*judged.sources));
  }
  judged.scoring = scoring_options(options, judged, machine.threads);
  if (options.models.empty()) {
    judged.systems = systems_of(options);
  } else {
    translate_sources(options, machine, judged);
  }
  for (const auto& system : judged.systems) expect_lines(system.name, std::ssize(system.lines));
  return judged;
}

/// Sets the systems' names to those of sacreBLEU's paired tests.
void name_baseline(std::vector<SystemOutput>& systems, bool on_stdin) {
  if (!on_stdin) {
    systems.front().name = "Baseline: " + systems.front().name;
    return;
  }
  systems.front().name = "Baseline";
  for (std::size_t i = 1; i < systems.size(); ++i) systems[i].name = "System " + std::to_string(i);
}

void expect_right_number(const EvaluateOptions& options, std::size_t systems) {
  if (options.paired() && systems < 2) throw DataError("paired test: wanted several systems on stdin, got one");
  if ((options.confidence || options.sentence_level) && systems > 1)
    throw DataError("--confidence and --sentence-level: wanted one system on stdin, got " + std::to_string(systems));
  if (options.differences > 0 && systems != 2)
    throw DataError("--differences: wanted two systems on stdin, with tabs between them, got " +
                    std::to_string(systems));
}

void warn_of_tokenized(const EvaluationInput& judged) {
  for (const auto& system : judged.systems)
    if (const auto lines = lines_with_tokenized_period(system.lines); lines >= kManyTokenizedLines)
      log_warning(printable(system.name) + ": " + std::to_string(lines) +
                  " lines end in a blank and a period; BLEU is meant for text that is not tokenized "
                  "(--force: no such warning)");
}

/// Warns if a metric counts words between spaces in references that have none there.
void warn_of_unspaced(const std::vector<MetricKind>& kinds, const EvaluationInput& judged) {
  const auto is_asked = [&](MetricKind kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
  const auto bleu = judged.settings.bleu.tokenizer;
  const auto& ter = judged.settings.ter;
  const bool warns_of_bleu =
      is_asked(MetricKind::kBleu) && (bleu == BleuTokenizer::k13a || bleu == BleuTokenizer::kIntl);
  const bool warns_of_ter = is_asked(MetricKind::kTer) && !(ter.normalized && ter.asian_support);
  if (!warns_of_bleu && !warns_of_ter) return;
  WritingCounts counts;
  for (const auto& line : judged.references.of_line) counts.add(line.front());
  const auto writing = counts.writing();
  const auto tokenizer = unspaced_tokenizer(writing);
  if (!tokenizer) return;
  const auto warn = [&](const std::string& metric, const std::string& advice) {
    log_warning("the references are " + std::string(writing_name(writing)) + ", and " + metric +
                " takes whole sentences for words there; " + advice + " (--force: no such warning)");
  };
  if (warns_of_bleu)
    warn("BLEU's tokenizer " + std::string(bleu_tokenizer_name(bleu)),
         "give --tokenize " + std::string(bleu_tokenizer_name(*tokenizer)));
  if (warns_of_ter)
    warn("TER", "give --ter-normalized --ter-asian-support for Chinese and Japanese, or --metrics chrf");
}

std::vector<DifferenceTexts> difference_texts(const ScoreReport& report, const EvaluationInput& judged) {
  std::vector<DifferenceTexts> texts;
  for (const auto& difference : report.differences) {
    const auto line = static_cast<std::size_t>(difference.line - 1);
    DifferenceTexts text{difference.line, {}, judged.references.of_line[line].front(), {}};
    if (judged.sources) text.source = (*judged.sources)[line];
    for (const auto& system : judged.systems) text.hypotheses.push_back(system.lines[line]);
    texts.push_back(std::move(text));
  }
  return texts;
}

ExitCode score_each_line(const EvaluateOptions& options, const EvaluationInput& judged) {
  const auto form = options.sacrebleu_form();
  const LineScoringOptions scoring{.threads = judged.scoring.threads, .details = form.has_value()};
  std::vector<LineScores> metrics;
  for (const auto kind : options.metric_kinds())
    metrics.push_back(score_lines(kind, judged.settings, judged.systems.front(), judged.references, scoring));
  const auto print = [&] {
    if (form) return sacrebleu_text(metrics.front(), options.sacrebleu_style(*form));
    return options.json ? to_text(to_json(metrics)) + '\n' : to_lines(metrics, options.report_style());
  };
  write_report(print());
  if (options.common.log.json_file) log_event("evaluation", to_json(metrics));
  return ExitCode::kDone;
}

ExitCode score_whole(const EvaluateOptions& options, EvaluationInput& judged) {
  const auto kinds = options.metric_kinds();
  if (!options.metrics.force) {
    if (std::ranges::find(kinds, MetricKind::kBleu) != kinds.end()) warn_of_tokenized(judged);
    warn_of_unspaced(kinds, judged);
  }
  const auto form = options.sacrebleu_form();
  if (form && options.paired()) name_baseline(judged.systems, options.systems_on_stdin());
  const auto report = score_systems(kinds, judged.settings, judged.systems, judged.references, judged.scoring);
  const auto texts = difference_texts(report, judged);
  const auto print = [&] {
    if (form) return sacrebleu_text(report, options.sacrebleu_style(*form));
    return options.json ? to_text(to_json(report, texts)) + '\n' : to_lines(report, texts, options.report_style());
  };
  write_report(print());
  if (options.common.log.json_file) log_event("evaluation", to_json(report, texts));
  return ExitCode::kDone;
}

}  // namespace

ExitCode run(const EvaluateOptions& options) {
  expect_sensible(options);
  const auto texts = texts_read(options);
  CommandFiles files{model_inputs(options.models)};
  files.inputs.insert(files.inputs.end(), texts.begin(), texts.end());
  if (options.systems_on_stdin()) files.inputs.push_back(standard_input());
  if (options.output) files.outputs.push_back({"--output", *options.output});
  const auto machine = set_up(options.common, files);
  for (const auto& [option, file] : texts) expect_input_file(option, file);
  auto judged = judged_texts(options, machine);
  expect_right_number(options, judged.systems.size());
  return options.sentence_level ? score_each_line(options, judged) : score_whole(options, judged);
}

}  // namespace gloss
