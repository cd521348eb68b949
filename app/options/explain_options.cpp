#include "app/options/explain_options.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "common/error.h"

namespace gloss {
namespace {

void add_subject(CLI::App& command, ExplainOptions& options) {
  group_options(command, "Subject");
  add_models(command, options.models,
             "explain a model file or the model of a finished run; repeated: several models side by side");
  add_repeated(command,
               {.help = "explain these sentences",
                .flag = "sentences",
                .shown_default = "lines of stdin",
                .placeholder = "SENTENCE"},
               [&options](const std::string& text) { options.sentences.push_back(text); });
  add_option(command,
             {.help = "force this translation; with --heads-report: read the reference translations from this file",
              .flag = "--target",
              .placeholder = "TEXT"},
             options.target);
  add_repeated(
      command,
      {.help = "also show the sentences without PART: encoder.0, decoder.1.self, decoder.1.cross.2, positions, "
               "tokens, or source.3 (a word)",
       .flag = "--without",
       .placeholder = "PART"},
      [&options](const std::string& text) { options.without.push_back(text); })
      ->allow_extra_args(false);
  add_option(
      command,
      {.help = "show the training of this run, which may still be going on", .flag = "--run", .placeholder = "DIR"},
      options.runs)
      ->allow_extra_args(false);
  add_option(
      command,
      {.help = "rank all layers and heads by the loss on --source and --target without them", .flag = "--heads-report"},
      options.heads_report);
  add_option(command, {.help = "read the sentences for --heads-report from FILE", .flag = "--source"}, options.source);
  add_languages(command, options.languages);
}

void add_output(CLI::App& command, ExplainOptions& options) {
  group_options(command, "Output");
  add_option(command,
             {.help = "write a page to FILE, which a current browser opens without a network", .flag = "--output"},
             options.output);
  add_json(command, options.json);
  add_option(command, {.help = "print the curves of --run as CSV", .flag = "--csv"}, options.csv);
  add_option(command,
             {.help = "write the curves of --run into DIR as files of events for TensorBoard",
              .flag = "--tensorboard",
              .placeholder = "DIR"},
             options.tensorboard);
  add_option(command, {.help = "write the attention map that --map names to FILE", .flag = "--svg"}, options.svg);
  add_option(command,
             {.help = "the map of --svg: decoder.1.cross.0 is a head, decoder.1.cross the mean of its heads",
              .flag = "--map",
              .placeholder = "PART"},
             options.map);
  add_option(command, {.help = "print each stage from text to probabilities", .flag = "--trace"}, options.trace);
  add_option(command,
             {.help = "leave out the slow part: the passes without each word, head and layer", .flag = "--quick"},
             options.quick);
  add_overwrite(command, options.overwrite);
}

/// Throws UsageError for the first option that has no effect on `subject`.
void refuse_beside(const std::string& subject, std::initializer_list<std::pair<const char*, bool>> options) {
  for (const auto& [name, given] : options)
    if (given) throw UsageError(std::string(name) + ": has no effect beside " + subject + "; leave it out");
}

void require_together(bool first, const char* name, bool second, const char* other) {
  if (first && !second) throw UsageError(std::string(name) + ": has an effect beside " + other + " only");
}

}  // namespace

void expect_sensible(const ExplainOptions& options) {
  const bool searches = !options.decoding.values().empty(), sentences = !options.sentences.empty();
  const bool without = !options.without.empty(), runs = !options.runs.empty();
  const bool languages = !options.languages.source.empty() || !options.languages.target.empty();
  if (!runs && options.models.empty())
    throw UsageError("--model: wanted the model to explain, or --run with the folder of a run; got neither");
  if (runs)
    refuse_beside("--run", {{"--heads-report", options.heads_report},
                            {"--model", !options.models.empty()},
                            {"a sentence", sentences},
                            {"--target", options.target.has_value()},
                            {"--without", without},
                            {"--svg", options.svg.has_value()},
                            {"--trace", options.trace},
                            {"--quick", options.quick},
                            {"a language", languages},
                            {"an option of the search", searches}});
  if (options.heads_report) {
    refuse_beside("--heads-report", {{"a sentence", sentences},
                                     {"--without", without},
                                     {"--output", options.output.has_value()},
                                     {"--svg", options.svg.has_value()},
                                     {"--map", options.map.has_value()},
                                     {"--trace", options.trace},
                                     {"--quick", options.quick},
                                     {"--overwrite", options.overwrite},
                                     {"an option of the search", searches}});
    if (!options.source || !options.target)
      throw UsageError("--heads-report: wanted --source and --target with the two sides of a text");
    if (options.models.size() > 1)
      throw UsageError("--heads-report: wanted one model, got " + std::to_string(options.models.size()));
    return;
  }
  require_together(options.source.has_value(), "--source", options.heads_report, "--heads-report");
  require_together(options.map.has_value(), "--map", options.svg.has_value(), "--svg");
  require_together(options.csv, "--csv", runs, "--run");
  require_together(options.tensorboard.has_value(), "--tensorboard", runs, "--run");
  require_together(options.svg.has_value(), "--svg", options.map.has_value(), "--map");
  const int outputs = int(options.output.has_value()) + int(options.json) + int(options.csv) +
                      int(options.tensorboard.has_value()) + int(options.svg.has_value()) + int(options.trace);
  if (outputs != 1)
    throw UsageError(std::string("explain: wanted one of --output, --json, ") +
                     (runs ? "--csv and --tensorboard" : "--svg and --trace") + ", got " +
                     std::string(outputs == 0 ? "none" : "several"));
  if (options.svg) {
    refuse_beside("--svg", {{"--quick", options.quick}});
    if (options.models.size() > 1)
      throw UsageError("--svg: wanted one model to draw a map of, got " + std::to_string(options.models.size()));
  }
  if (options.trace) refuse_beside("--trace", {{"--quick", options.quick}});
  if (options.json || options.trace)
    refuse_beside(options.json ? "--json" : "--trace", {{"--overwrite", options.overwrite}});
}

void add_explain_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ExplainOptions>();
  auto& command = add_command(program, "explain",
                              "Show attention, layers and decoding inside a model, as a page, numbers or a picture",
                              options->common);
  add_subject(command, *options);
  add_output(command, *options);
  add_decoding_options(command, options->decoding,
                       {"beam_size", "length_penalty", "length_penalty_kind", "patience", "coverage_penalty",
                        "max_length", "min_length", "no_repeat_ngram", "repetition_penalty", "no_unk"});
  finish_command(command,
                 "gloss explain --model runs/en-de \"A dog sleeps.\" --output dog.html\n"
                 "gloss explain --model runs/en-de \"A dog sleeps.\" --without decoder.1.cross.0 --json\n"
                 "gloss explain --model runs/en-de \"A dog sleeps.\" --svg map.svg --map decoder.1.cross\n"
                 "gloss explain --run runs/en-de --output training.html\n"
                 "gloss explain --run runs/en-de --csv > training.csv\n"
                 "gloss explain --model runs/en-de --heads-report --source val.en --target val.de");
  command.callback([options, &chosen] {
    expect_sensible(*options);
    chosen = Parsed<ExplainOptions>(options);
  });
}

}  // namespace gloss
