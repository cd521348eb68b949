#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/input/translation_input.h"
#include "app/options/explain_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/files/text_pairs.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "explain/explain.h"
#include "explain/heads_report.h"
#include "explain/map_picture.h"
#include "explain/page.h"
#include "model/part.h"
#include "run/config/run_files.h"
#include "run/run_curves.h"
#include "run/run_tables.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxSentences = 50;
constexpr auto kEventFile = "events.out.tfevents.gloss";

/// Returns the stages of each item of a document of docs/explanation_format.md, for a terminal.
std::string trace_text(const Json& document) {
  std::string text;
  for (const auto& item : document.at("items")) {
    if (!text.empty()) text += '\n';
    text += "source       " + printable(item.at("text").get<std::string>()) + '\n';
    text += "translation  " + printable(item.at("target").at("text").get<std::string>()) + '\n';
    for (const auto& name : item.at("without")) text += "without      " + name.get<std::string>() + '\n';
    for (const auto& stage : item.value("stages", Json::array())) {
      text += '\n' + stage.at("name").get<std::string>() + "  " + stage.at("shape").get<std::string>() + '\n';
      text += "  " + stage.at("formula").get<std::string>() + "  (" + stage.at("file").get<std::string>() + ")\n";
      for (const auto& line : stage.at("lines")) text += "    " + printable(line.get<std::string>()) + '\n';
    }
  }
  return text;
}

/// Returns a table of the parts, the greatest loss first.
std::string heads_text(const HeadsReport& report) {
  std::string text = "loss of the whole network " + formatted("%.4f", report.loss) + "\n\n";
  std::size_t width = 4;
  for (const auto& [part, loss] : report.parts) width = std::max(width, part.size());
  text += "part" + std::string(width - 4, ' ') + "    loss  change\n";
  for (const auto& [part, loss] : report.parts) {
    text += part + std::string(width - part.size(), ' ') + formatted("  %.4f  %+.4f\n", loss, loss - report.loss);
  }
  return text;
}

Json to_json(const HeadsReport& report) {
  Json parts = Json::array();
  for (const auto& [part, loss] : report.parts) parts.push_back({{"part", part}, {"loss", loss}});
  return {{"loss", report.loss}, {"parts", std::move(parts)}};
}

CommandFiles files_of(const ExplainOptions& options) {
  CommandFiles files{model_inputs(options.models)};
  if (options.models.empty()) {
    for (const auto& run : options.runs)
      for (const auto& file : {RunFiles(run).log, RunFiles(run).lens}) files.inputs.push_back({"--run", file});
  } else if (options.sentences.empty() && !options.heads_report) {
    files.inputs.push_back(standard_input());
  }
  if (options.heads_report) {
    files.inputs.push_back({"--source", *options.source});
    files.inputs.push_back({"--target", *options.target});
  }
  if (options.output) files.outputs.push_back({"--output", *options.output});
  if (options.svg) files.outputs.push_back({"--svg", *options.svg});
  return files;
}

/// Returns the sentences of the command line or of stdin. Throws UsageError if there are none or too many.
std::vector<std::string> read_sentences(const ExplainOptions& options) {
  auto sentences = options.sentences;
  if (sentences.empty()) {
    TranslationInput input(std::nullopt);
    while (sentences.size() <= kMaxSentences) {
      auto lines = input.next(1);
      if (lines.empty()) break;
      sentences.push_back(std::move(lines.front().text));
    }
  }
  if (sentences.empty()) throw UsageError("explain: wanted a sentence, on the command line or stdin, got none");
  if (sentences.size() > kMaxSentences)
    throw UsageError("explain: wanted at most " + std::to_string(kMaxSentences) + " sentences, got more");
  if (options.svg && sentences.size() > 1)
    throw UsageError("--svg: wanted one sentence to draw a map of, got " + std::to_string(sentences.size()));
  if (options.target && sentences.size() > 1)
    throw UsageError("--target: wanted one sentence to force a translation of, got " +
                     std::to_string(sentences.size()));
  return sentences;
}

/// Throws UsageError unless the network has an attention of this name.
void expect_map(const std::string& name, const ModelConfig& config) {
  const auto part = parse_part(name, config);
  const bool sublayer = part && (part->kind == Part::Kind::kSublayer || part->kind == Part::Kind::kHead);
  if (sublayer && part->sublayer != Part::Sublayer::kFeedForward) return;
  if (!config.has_cross_attention())
    throw UsageError("--map: this model has no attention (model.recurrent_attention is none), got " + printable(name));
  throw UsageError(
      std::string("--map: wanted an attention as ") + (config.is_transformer() ? "encoder.0.self or " : "") +
      "decoder.0.cross, or a head of it as decoder.0.cross.0; encoder layers: " +
      std::to_string(config.encoder_layers) + ", decoder layers: " + std::to_string(config.decoder_layers) +
      ", heads: " + std::to_string(config.heads) + "; got " + printable(name));
}

std::vector<ExplainedModel> load_explained(const ExplainOptions& options, at::Device device) {
  std::vector<ExplainedModel> models;
  for (const auto& path : options.models) {
    auto model = std::move(load_models({path}, options.languages, device).members.front());
    auto own = model.config.decoding;
    own.sampling.enabled = false;
    const auto decoding = decoding_config(options.decoding, own);
    if (options.map) expect_map(*options.map, model.file.config);
    models.push_back({path.string(), std::move(model), decoding});
  }
  return models;
}

void write_file(const std::filesystem::path& path, OutputFile& file, const std::string& content) {
  file.write(content);
  file.commit();
  log_info("wrote " + printable(path.string()) + ", " + bytes_text(content.size()));
}

/// Writes the events of each run into a folder of its name below `folder`; a name that is taken gets a number.
void write_tensorboard(const std::filesystem::path& folder, const Json& document, const ExplainOptions& options) {
  std::vector<std::filesystem::path> folders;
  for (const auto& run : options.runs) {
    const auto name = (std::filesystem::absolute(run) / "").lexically_normal().parent_path().filename().string();
    auto path = folder / name;
    for (int i = 2; std::ranges::find(folders, path) != folders.end(); ++i)
      path = folder / (name + '-' + std::to_string(i));
    expect_output_file("--tensorboard", path / kEventFile, "the name of a folder to write", options.overwrite);
    folders.push_back(path);
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    std::filesystem::create_directories(folders[i], error);
    if (error) throw IoError(printable(folders[i].string()) + ": cannot make the folder: " + error.message());
    OutputFile file(folders[i] / kEventFile);
    write_file(folders[i] / kEventFile, file, tensorboard_events(document.at("runs")[i]));
  }
}

ExitCode report_heads(const ExplainOptions& options, at::Device device) {
  expect_input_file("--source", *options.source);
  expect_input_file("--target", *options.target);
  const auto models = load_models({options.models.front()}, options.languages, device);
  const auto text = read_line_pairs(*options.source, *options.target);
  HeadsReport report;
  name_by_option(translation_names(), [&] { report = heads_report(models.first(), text.sources, text.references); });
  write_report(options.json ? to_text(to_json(report)) + '\n' : heads_text(report));
  return ExitCode::kDone;
}

}  // namespace

ExitCode run(const ExplainOptions& options) {
  const StopOnSignal stop(kSecondsToStop);
  const auto machine = set_up(options.common, files_of(options));
  if (options.output) expect_output_file("--output", *options.output, "the name of a page to write", options.overwrite);
  if (options.svg) expect_output_file("--svg", *options.svg, "the name of a picture to write", options.overwrite);
  if (options.heads_report) return report_heads(options, machine.device);

  OutputFile file(options.output ? options.output : options.svg);
  Json document;
  if (!options.runs.empty()) {
    document = run_curves(options.runs);
  } else {
    const ExplainRequest request{.sentences = read_sentences(options),
                                 .target = options.target,
                                 .without = options.without,
                                 .quick = options.quick || options.svg || options.trace};
    const auto models = load_explained(options, machine.device);
    OptionNames names{{"without", "--without"}, {"target", "--target"}};
    names.insert(translation_names().begin(), translation_names().end());
    name_by_option(names, [&] { document = explain(models, request); });
  }
  if (options.csv) write_result(run_csv(document));
  if (options.tensorboard) write_tensorboard(*options.tensorboard, document, options);
  if (options.json) write_report(to_text(document) + '\n');
  if (options.trace) write_report(trace_text(document));
  if (options.svg) write_file(*options.svg, file, map_picture(document.at("items").back(), *options.map));
  if (options.output) {
    const auto title = options.runs.empty() ? document.at("items").front().at("text").get<std::string>()
                                            : options.runs.front().string();
    write_file(*options.output, file, explanation_page(std::move(document), title + " - gloss"));
  }
  return ExitCode::kDone;
}

}  // namespace gloss
