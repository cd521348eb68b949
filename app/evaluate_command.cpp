#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/command_options.h"
#include "app/commands.h"
#include "app/score_text.h"
#include "app/standard_output.h"
#include "common/log.h"
#include "pipeline/evaluate.h"

namespace gloss {
namespace {

struct EvaluateOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> model, source, hypothesis;
  std::filesystem::path reference;
  std::optional<std::filesystem::path> groups;
  std::optional<BleuTokenizer> tokenize;
  bool json = false;
};

struct Judged {
  std::vector<std::string> hypotheses, references;
  BleuTokenizer tokenize;
};

Judged judged_lines(const EvaluateOptions& options) {
  if (!options.hypothesis && !options.model)
    throw UsageError("wanted --hypothesis, or --model and --source; see gloss evaluate --help");
  const auto machine = set_up(options.common);
  expect_file("--reference", options.reference);
  const auto& judged = options.hypothesis ? options.hypothesis : options.source;
  expect_file(options.hypothesis ? "--hypothesis" : "--source", *judged);
  if (options.groups) expect_file("--groups", *options.groups);
  auto [judged_texts, references] = read_test_set(*judged, options.reference, Passes::kOne);
  if (options.hypothesis)
    return {std::move(judged_texts), std::move(references), options.tokenize.value_or(BleuTokenizer::k13a)};
  const auto model = load_translation_model(*options.model, machine.device);
  return {translate_lines(model.translator(), model.config.decoding, judged_texts), std::move(references),
          options.tokenize.value_or(model.config.evaluation.tokenize)};
}

/// An option that knows one value.
void add_only(CLI::App& command, const OptionText& text, const std::string& only) {
  add_text(command, text, [only](const std::string& value) {
    if (value != only) throw std::invalid_argument(only);
  });
}

ExitCode evaluate(const EvaluateOptions& options) {
  const auto [hypotheses, references, tokenize] = judged_lines(options);
  const auto bleu = corpus_bleu(hypotheses, references, tokenize);
  std::map<std::string, GroupBleu> groups;
  if (options.groups)
    groups = bleu_by_group(hypotheses, references, read_lines(*options.groups, Passes::kOne), tokenize);
  Json result{{"bleu", to_json(bleu)}};
  if (options.groups) result["groups"] = to_json(groups);
  write_result(options.json ? to_text(result) + '\n' : to_lines(groups) + to_lines(bleu));
  log_event("evaluation", std::move(result));
  return ExitCode::kDone;
}

}  // namespace

void add_evaluate_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<EvaluateOptions>();
  auto& command =
      add_command(program, "evaluate", "Score a model, or a file of translations, against references", options->common);
  auto* model =
      add_path(command, {"--model", "FILE-OR-DIR", "a model file, or the folder of a finished run"}, options->model);
  auto* source = add_path(command, {"--source", "FILE", "the sentences for the model to translate"}, options->source);
  model->needs(source);
  source->needs(model);
  add_path(command, {"--hypothesis", "FILE", "translations, in place of a model"}, options->hypothesis)
      ->excludes(model)
      ->excludes(source);
  add_path(command, {"--reference", "FILE", "the translations that are wanted"}, options->reference)->required();
  add_path(command, {"--groups", "FILE", "a name for each line; the lines of each name are also scored apart"},
           options->groups);
  add_only(command, {"--metrics", "NAME", "bleu"}, "bleu");
  add_choice<std::optional<BleuTokenizer>, BleuTokenizer>(
      command,
      {"--tokenize", "NAME",
       "the tokenizer of BLEU: 13a, zh, char or none (default: the model's, without a model 13a)"},
      options->tokenize, {kBleuTokenizers.begin(), kBleuTokenizers.end()});
  add_flag(command, "--json", options->json, "one JSON object, the score unrounded");
  finish_command(command, "gloss evaluate --model runs/copy --source test.source --reference test.target");
  command.callback([options, &chosen] { chosen = [options] { return evaluate(*options); }; });
}

}  // namespace gloss
