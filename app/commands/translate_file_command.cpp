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
#include "common/text/letter_case.h"
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
  if (counts.from_memory > 0) text += "; " + counted(counts.from_memory, "unit") + " from the memory";
  if (counts.sentences_from_memory > 0)
    text += "; " + counted(counts.sentences_from_memory, "sentence") + " of other units from the memory";
  if (counts.cut > 0) text += "; " + std::to_string(counts.cut) + " cut, because they were too long for the model";
  if (counts.searched_again > 0)
    text += "; " + std::to_string(counts.searched_again) + " searched again for a lost quantity";
  if (counts.put_back > 0) text += ", " + std::to_string(counts.put_back) + " of them in vain: it was put back";
  if (counts.lacking_phrase > 0)
    text += "; " + std::to_string(counts.lacking_phrase) + " without a phrase of the glossary";
  return text;
}

}  // namespace

std::shared_ptr<const SentenceSplitter> make_splitter(const SentenceOptions& options, const std::string& language) {
  if (!options.srx) return rule_splitter(language);
  expect_input_file("--srx", *options.srx, "an SRX file");
  return srx_splitter(*options.srx, language);
}

bool names_languages(const std::filesystem::path& glossary) {
  const auto ending = lower_ascii(glossary.extension().string());
  return ending == ".tbx" || ending == ".csv" || ending == ".xml";
}

TermList read_terms(const std::filesystem::path& file, const Languages& languages) {
  expect_input_file("--glossary", file);
  if (!names_languages(file)) return TermList::read(file);
  return TermList::from_entries(
      read_terms(DocumentInput(file, printable(file.string())), languages.source, languages.target));
}

TranslationEnsemble load_document_models(const std::vector<std::filesystem::path>& models, const Languages& given,
                                         at::Device device) {
  auto ensemble = load_models(models, {}, device);
  for (auto& member : ensemble.members) member.languages = languages_of_tags(given, member.config);
  return ensemble;
}

Languages languages_of(const TranslationEnsemble& models, const Languages& given) {
  auto languages = models.first().config.languages;
  if (!given.source.empty()) languages.source = given.source;
  if (!given.target.empty()) languages.target = given.target;
  return languages;
}

ModelSentenceTranslator sentence_translator(const LineTranslator& translator, const TranslationEnsemble& models,
                                            const GivenSettings& decoding,
                                            const std::optional<std::filesystem::path>& glossary,
                                            const Languages& languages) {
  const auto& config = models.first().config;
  const auto settings = decoding_config(decoding, config.decoding);
  if (settings.sampling.enabled)
    throw UsageError("--sample: wanted a search, because a document's translation is the best one, got draws (" +
                     why_drawn(decoding) + ")");
  const bool has_attention = config.model.has_cross_attention();
  if (!has_attention)
    log_warning("the model has no attention to its source: tags and placeholders have places in proportion");
  std::vector<std::pair<std::string, std::string>> entries;
  if (glossary) {
    const auto terms = read_terms(*glossary, languages);
    for (const auto& entry : terms.entries()) entries.emplace_back(entry.source, entry.target);
  }
  return {translator, settings, std::move(entries), {.before_step = stop_where_requested}, has_attention};
}

ExitCode run(const TranslateFileOptions& options) {
  const StopOnSignal stop(kSecondsToStop);
  const auto machine = set_up(options.common, {files_read(options), {{"OUT", options.output}}});
  expect_input_file("IN", options.input, "a document");
  if (options.sentences.srx && options.sentences.mode == SentenceMode::kLine)
    throw UsageError("--srx: has an effect beside --split-sentences paragraph or wrapped only");
  const auto models = load_document_models(options.models, options.languages, machine.device);
  const auto languages = languages_of(models, options.languages);
  std::unique_ptr<Document> document;
  name_by_option({{"format", "--format"},
                  {"split", "--split-sentences"},
                  {"overwrite_translations", "--overwrite-translations"},
                  {"output", "OUT"}},
                 [&] {
                   document = open_document(options.input, options.output,
                                            {.format = options.format,
                                             .mode = options.sentences.mode,
                                             .source_language = languages.source,
                                             .target_language = languages.target,
                                             .overwrite_translations = options.overwrite_translations});
                 });
  std::optional<LineTranslator> translator;
  name_by_option(translation_names(), [&] {
    translator = models.translator(options.precision, /*aligns=*/true, options.plain).with_workers(machine.threads);
  });
  warn_of_ignored(options.precision, models);
  const auto sentences = sentence_translator(*translator, models, options.decoding, options.glossary, languages);
  auto unit_options =
      options_for(languages.source, languages.target, make_splitter(options.sentences, languages.source));
  std::optional<TranslationMemory> memory;
  if (options.memory) {
    expect_input_file("--memory", *options.memory, "a TMX file");
    memory.emplace(*options.memory, languages.source, languages.target);
    unit_options.known = [&](std::string_view text) { return memory->exact(text); };
    unit_options.on_unknown = [&](const Unit& unit, std::string_view text) {
      for (const auto& match : memory->fuzzy(text, 1))
        log_info(printable(unit.id, 80) + formatted(": %.0f %% like \"", 100 * match.similarity) +
                 printable(match.source, 80) + "\": " + printable(match.target, 80));
    };
  }
  if (languages.source.empty() || languages.target.empty())
    log_info(
        "the model records no languages: give --source-language and --target-language, so that sentences are found "
        "by the rules of the language, and the document names the new one");
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
