#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/sentence_splitting.h"
#include "app/commands/set_up.h"
#include "app/options/document_options.h"
#include "common/error.h"
#include "common/files/document_input.h"
#include "common/files/term_files.h"
#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "common/sentences/srx.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "documents/model_sentence_translator.h"
#include "documents/translate_document.h"
#include "documents/translation_memory.h"
#include "translation/glossary.h"

namespace gloss {
namespace {

std::vector<NamedFile> files_read(const TranslateFileOptions& options) {
  auto files = model_inputs(options.models);
  files.push_back({"IN", options.input});
  if (options.glossary) files.push_back({"--glossary", *options.glossary});
  if (options.memory) files.push_back({"--memory", *options.memory});
  if (options.sentences.srx) files.push_back({"--srx", *options.sentences.srx});
  return files;
}

std::string line_of(const UnitCounts& counts) {
  auto text = counted(counts.units, "unit") + ", " + counted(counts.sentences, "sentence");
  if (counts.from_memory > 0) text += "; " + std::to_string(counts.from_memory) + " from the translation memory";
  if (counts.cut > 0) text += "; " + std::to_string(counts.cut) + " cut, because they were too long for the model";
  if (counts.searched_again > 0)
    text += "; " + std::to_string(counts.searched_again) + " searched again for a lost placeholder";
  return text;
}

/// A translation memory whose translations are used, and whose similar units are shown.
class ShownMemory {
 public:
  ShownMemory(const std::filesystem::path& file, const Languages& languages)
      : memory_(file, languages.source, languages.target) {}

  std::optional<std::string> find(std::string_view text) const {
    auto exact = memory_.exact(text);
    if (exact) return exact;
    for (const auto& match : memory_.fuzzy(text, 1))
      log_info(formatted("%.0f %% like \"", 100 * match.similarity) + printable(match.source, 80) +
               "\": " + printable(match.target, 80));
    return std::nullopt;
  }

 private:
  TranslationMemory memory_;
};

}  // namespace

std::shared_ptr<const SentenceSplitter> make_splitter(const SentenceOptions& options, const std::string& language) {
  if (!options.srx) return rule_splitter(language);
  expect_input_file("--srx", *options.srx, "an SRX file");
  return srx_splitter(*options.srx, language);
}

TermList read_terms(const std::filesystem::path& file, const Languages& languages) {
  expect_input_file("--glossary", file);
  auto ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending != ".tbx" && ending != ".csv" && ending != ".xml") return TermList::read(file);
  return TermList::from_entries(
      read_terms(DocumentInput(file, printable(file.string())), languages.source, languages.target));
}

std::vector<std::pair<std::string, std::string>> glossary_entries(const std::optional<std::filesystem::path>& file,
                                                                  const Languages& languages) {
  std::vector<std::pair<std::string, std::string>> entries;
  if (!file) return entries;
  const auto terms = read_terms(*file, languages);
  for (const auto& entry : terms.entries()) entries.emplace_back(entry.source, entry.target);
  return entries;
}

Languages languages_of(const TranslationEnsemble& models, const Languages& given) {
  auto languages = models.first().config.languages;
  if (!given.source.empty()) languages.source = given.source;
  if (!given.target.empty()) languages.target = given.target;
  return languages;
}

ExitCode run(const TranslateFileOptions& options) {
  const StopOnSignal stop(kSecondsToStop);
  const auto machine = set_up(options.common, {files_read(options), {{"OUT", options.output}}});
  expect_input_file("IN", options.input, "a document");
  const auto models = load_models(options.models, options.languages, machine.device);
  const auto languages = languages_of(models, options.languages);
  std::unique_ptr<Document> document;
  name_by_option({{"format", "--format"}}, [&] {
    document = open_document(options.input, options.output,
                             {.format = options.format,
                              .mode = options.sentences.mode.value_or(SentenceMode::kParagraph),
                              .source_language = languages.source,
                              .target_language = languages.target,
                              .overwrite_translations = options.overwrite_translations});
  });
  const auto decoding = decoding_config(options.decoding, models.first().config.decoding);
  if (decoding.sampling.enabled)
    throw UsageError("--sample: wanted a search, because a document's translation is the best one, got draws (" +
                     why_drawn(options.decoding) + ")");
  std::optional<LineTranslator> translator;
  name_by_option(translation_names(), [&] {
    translator = models.translator(options.precision, /*aligns=*/true, options.plain).with_workers(machine.threads);
  });
  warn_of_ignored(options.precision, models);
  const ModelSentenceTranslator sentences(*translator, decoding, glossary_entries(options.glossary, languages),
                                          {.before_step = stop_where_requested});
  UnitTranslatorOptions unit_options{.splitter = make_splitter(options.sentences, languages.source)};
  std::optional<ShownMemory> memory;
  if (options.memory) {
    expect_input_file("--memory", *options.memory, "a TMX file");
    memory.emplace(*options.memory, languages);
    unit_options.known = [&](std::string_view text) { return memory->find(text); };
  }
  const UnitTranslator units(sentences, std::move(unit_options));
  const WorkProgress progress(1, "translating");
  try {
    const auto counts = translate_document(*document, units, [&](double share) { progress.show(share); });
    log_info(printable(options.output.string()) + ": " + line_of(counts));
  } catch (const Stopped& stopped) {
    return stopped.exit_code();
  }
  return ExitCode::kDone;
}

}  // namespace gloss
