#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/sentence_splitting.h"
#include "app/commands/set_up.h"
#include "app/input/line_editor.h"
#include "app/input/translation_input.h"
#include "app/options/decoding_options.h"
#include "app/options/translate_options.h"
#include "app/output/standard_output.h"
#include "app/output/translation_text.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/sentences/sentence_count.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/utf8.h"
#include "decoding/length_limit.h"
#include "evaluation/bleu/bleu.h"
#include "translation/glossary.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {
namespace {

/// Warns of lines with a property. Without `advice` names each of the first lines, and their total number at the end.
/// With it warns once: at the first such line if a person types the lines, otherwise of all at the end.
class LineWarning {
 public:
  explicit LineWarning(std::string what, std::string advice = {}, bool typed = false)
      : what_(std::move(what)), advice_(std::move(advice)), typed_(typed) {}

  void add(std::int64_t line) {
    lines_.note(line);
    if (advice_.empty() && lines_.count <= kShown) log_warning("line " + std::to_string(line) + ": " + what_);
    if (typed_ && lines_.count == 1) log_warning(what_ + ": " + advice_);
  }
  void finish() const {
    if (advice_.empty() && lines_.count > kShown) log_warning("in all " + counted(lines_.count, "line") + ": " + what_);
    if (!advice_.empty() && !typed_ && lines_.count > 0)
      log_warning(what_ + " in " + counted(lines_.count, "line") + " (" + lines_.text() + "): " + advice_);
  }

 private:
  static constexpr std::int64_t kShown = 5;
  std::string what_, advice_;
  bool typed_;
  NotedLines lines_;
};

/// Returns the number of pieces of the best translation for each piece of the source.
double length_ratio(const LineTranslation& translation) {
  const auto pieces = translation.candidates.front().tokens.size() - (translation.candidates.front().ended ? 1 : 0);
  const auto source = std::max<std::size_t>(1, translation.source.ids.size() - translation.source.tags);
  return static_cast<double>(pieces) / static_cast<double>(source);
}

/// Prints on stderr the problems of lines, such as invalid text, a cut line, missing phrases, lost sentences or a lack
/// of memory.
class LineWarnings {
 public:
  /// `typed`: whether a person types the lines. `columns`: whether |||  separates columns of the output.
  LineWarnings(bool typed, bool columns, bool replaces_unknown, const DecodingConfig& decoding)
      : decoding_(decoding),
        columns_(columns),
        replaces_unknown_(replaces_unknown),
        paragraphs_("sentences are lost",
                    "a line is translated as one sentence; --split-sentences paragraph finds the sentences of a line",
                    typed),
        cut_("the length limit cuts translations",
             "raise --max-length or --max-length-factor, unless they repeat themselves", typed),
        unknown_("there are characters that the model does not know",
                 "--replace-unknown copies them into translations, --no-unk leaves them out", typed),
        separators_("a translation contains |||",
                    "it also separates the columns of the output; --json-lines has no columns", typed) {}

  void add(std::int64_t line, const std::string& source, const LineTranslation& translation) {
    if (!is_text(source)) broken_.add(line);
    if (translation.truncated) truncated_.add(line);
    if (std::ranges::any_of(translation.candidates, &LineTranslation::Candidate::lacks_phrase))
      (!translation.leaves_out_phrases ? lacking_ : is_cut_by_factor(translation) ? no_factor_ : no_room_).add(line);
    const bool is_read = !translation.complete() || !translation.candidates.front().tokens.empty();
    if (is_read && translation.has_unknown_source() && !replaces_unknown_) unknown_.add(line);
    if (columns_ && std::ranges::any_of(translation.candidates, [](const auto& candidate) {
          return candidate.text.find("|||") != std::string::npos;
        }))
      separators_.add(line);
    if (translation.complete()) {
      const auto& best = translation.candidates.front();
      if (has_fewer_sentences(source, best.text, length_ratio(translation))) paragraphs_.add(line);
      if (!best.ended_or_empty()) cut_.add(line);
      return;
    }
    log_error("line " + std::to_string(line) +
              ": out of memory; its translation is an empty line; use a smaller --beam or --max-length");
    complete_ = false;
  }
  ExitCode finish() const {
    for (const auto* warning :
         {&broken_, &truncated_, &no_room_, &no_factor_, &lacking_, &paragraphs_, &cut_, &unknown_, &separators_})
      warning->finish();
    return complete_ ? ExitCode::kDone : ExitCode::kOutOfMemory;
  }

 private:
  /// Returns whether max_length_factor limits the translation of the line, and not max_length.
  bool is_cut_by_factor(const LineTranslation& translation) const {
    return decoding_.max_length_factor > 0 &&
           relative_limit(decoding_, std::ssize(translation.source.ids) + 1) < decoding_.max_length;
  }

  const DecodingConfig& decoding_;
  LineWarning broken_{"is not valid UTF-8; invalid bytes are read as U+FFFD"};
  LineWarning truncated_{"is too long; only its beginning is translated"};
  LineWarning no_room_{"its translation has not every phrase of the glossary, for which --max-length has no room"};
  LineWarning no_factor_{
      "its translation has not every phrase of the glossary, for which --max-length-factor has no room"};
  LineWarning lacking_{"its translation has not every phrase of the glossary"};
  bool columns_, replaces_unknown_;
  LineWarning paragraphs_, cut_, unknown_, separators_;
  bool complete_ = true;
};

/// Returns the details that the command line asks for. Throws UsageError if options do not go together.
DetailOptions detail_options(const TranslateOptions& options, const DecodingConfig& decoding,
                             const ModelConfig& config) {
  if (options.replace_unknown && decoding.no_unk && !options.prefix)
    throw UsageError("--replace-unknown: wanted a search that may generate the unknown word, but it is banned (" +
                     why_no_unk(options.decoding) + "); leave it out, or give a --prefix");
  DetailOptions details{
      .confidence = options.json_lines, .alignment = options.alignment, .replace_unknown = options.replace_unknown};
  if (!options.alignment_from) return details;
  if (!details.needs_attention())
    throw UsageError("--alignment-from: has an effect beside --alignment or --replace-unknown only");
  name_by_option({{"alignment_from", "--alignment-from"}},
                 [&] { details.alignment_from = parse_attention_site(*options.alignment_from, config); });
  return details;
}

std::optional<GlossaryPhrases> read_glossary(const TranslateOptions& options, const DecodingConfig& decoding,
                                             const Languages& languages, const Tokenizer& target) {
  if (!options.glossary) return std::nullopt;
  if (decoding.sampling.enabled)
    throw UsageError("--glossary: wanted translations that are searched for, but they are drawn (" +
                     why_drawn(options.decoding) + ")");
  return GlossaryPhrases(read_terms(*options.glossary, languages), target);
}

std::vector<NamedFile> files_read(const TranslateOptions& options) {
  auto files = model_inputs(options.models);
  files.push_back(options.input ? NamedFile{"--input", *options.input} : standard_input());
  if (options.prefix) files.push_back({"--prefix", *options.prefix});
  if (options.closest_to) files.push_back({"--closest-to", *options.closest_to});
  if (options.glossary) files.push_back({"--glossary", *options.glossary});
  if (options.sentences.srx) files.push_back({"--srx", *options.sentences.srx});
  return files;
}

std::vector<NamedFile> files_written(const TranslateOptions& options) {
  if (!options.output) return {};
  return {{"--output", *options.output}};
}

/// Returns the settings of the search. --closest-to chooses among the N best: those of --n-best, or the whole beam.
DecodingConfig search_settings(const TranslateOptions& options, const DecodingConfig& of_model) {
  auto decoding = decoding_config(options.decoding, of_model);
  if (!options.closest_to) return decoding;
  if (!options.decoding.has("n_best") && !decoding.sampling.enabled) decoding.n_best = decoding.beam_size;
  if (decoding.n_best == 1)
    throw UsageError("--closest-to: wanted several translations of a line to choose from, got 1; set --n-best" +
                     std::string(decoding.sampling.enabled ? "" : " and --beam") + " higher");
  return decoding;
}

/// Leaves only the candidate with the best sentence BLEU to the reference of its line, of equal ones the first.
void keep_closest(std::vector<LineTranslation>& translations, const std::vector<std::string>& references) {
  static const BleuMetric bleu({.effective_order = true});
  for (std::size_t line = 0; line < references.size(); ++line) {
    auto& candidates = translations[line].candidates;
    std::vector<std::string> texts;
    for (const auto& candidate : candidates) texts.push_back(candidate.text);
    if (texts.empty()) continue;
    const auto statistics =
        bleu.statistics(texts, References::single(std::vector(texts.size(), references[line])), /*threads=*/1);
    std::vector<double> scores;
    for (std::int64_t i = 0; i < statistics.lines(); ++i) scores.push_back(bleu.score(statistics.row(i)).score);
    const auto best = std::ranges::max_element(scores) - scores.begin();
    std::swap(candidates.front(), candidates[static_cast<std::size_t>(best)]);
    candidates.resize(1);
  }
}

/// Marks the translation as truncated, because the reader has cut its line.
void mark_truncated(LineTranslation& translation) {
  translation.truncated = true;
  for (auto& candidate : translation.candidates) candidate.flags.truncated = true;
}

}  // namespace

ExitCode run(const TranslateOptions& options) {
  const StopOnSignal stop(kSecondsToStop);
  const auto machine = set_up(options.common, {files_read(options), files_written(options)});
  if (options.sentences.srx && options.sentences.mode.value_or(SentenceMode::kLine) == SentenceMode::kLine)
    throw UsageError("--srx: has an effect beside --split-sentences paragraph or wrapped only");
  TranslationInput source(options.input);
  OutputFile results(options.output);
  LinesBesideInput prefixes("--prefix", options.prefix), references("--closest-to", options.closest_to);
  const bool splits = options.sentences.mode.value_or(SentenceMode::kLine) != SentenceMode::kLine;
  const bool uses_languages = splits || (options.glossary && names_languages(*options.glossary));
  const auto models =
      (uses_languages ? load_document_models : load_models)(options.models, options.languages, machine.device);
  const auto decoding = search_settings(options, models.first().config.decoding);
  const auto languages = languages_of(models, options.languages);
  const auto glossary = read_glossary(options, decoding, languages, *models.first().target_tokenizer);
  const auto details = detail_options(options, decoding, models.first().config.model);
  std::optional<LineTranslator> made;
  name_by_option(translation_names(), [&] {
    made = models.translator(options.precision, /*aligns=*/true, options.plain).with_workers(machine.threads);
  });
  warn_of_ignored(options.precision, models);
  const auto& translator = *made;
  const TranslationPrint print{options.json_lines, !options.closest_to && options.decoding.has("n_best"),
                               options.alignment};
  if (source.typed())
    log_info(std::string("type a sentence and press Enter; Ctrl-D ends") +
             (has_line_editing() ? "" : " (lines cannot be edited: built without libedit)"));

  InputProgress progress(source.size(), results.is_stdout());
  if (splits) {
    const auto sentences = sentence_translator(translator, models, options.decoding, options.glossary, languages);
    const UnitTranslator units(
        sentences, options_for(languages.source, languages.target, make_splitter(options.sentences, languages.source)));
    return translate_paragraphs(options, source, results, units, progress, lines_at_once(decoding));
  }
  LineWarnings warnings(source.typed(), !print.json_lines && (print.n_best || print.alignment), options.replace_unknown,
                        decoding);
  const TranslationHooks hooks{.before_batch = [&](std::int64_t lines) { progress.show_batch(lines); },
                               .before_step = stop_where_requested,
                               .halve_when_out_of_memory = true};
  std::int64_t line = 0;  // number of the last line translated, from 1
  for (;;) {
    auto input = source.next(lines_at_once(decoding));
    if (input.empty()) break;
    progress.start(input);
    std::vector<std::string> texts;
    for (auto& line_of_input : input) texts.push_back(std::move(line_of_input.text));
    const auto line_prefixes = prefixes.next(texts.size()), line_references = references.next(texts.size());
    const TranslationRequest request{.lines = texts,
                                     .prefixes = line_prefixes,
                                     .first_index = line,
                                     .glossary = glossary ? &*glossary : nullptr,
                                     .details = details};
    std::vector<LineTranslation> translations;
    try {
      translations = translator.translate(request, decoding, hooks);
    } catch (const Stopped&) {
      break;  // no output for these lines
    }
    keep_closest(translations, line_references);
    std::string output;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (input[i].cut) mark_truncated(translations[i]);
      warnings.add(++line, texts[i], translations[i]);
      output += to_lines({line, texts[i], &translations[i]}, print);
    }
    results.write(output);
  }
  if (!stop_requested()) {
    prefixes.expect_end(line);
    references.expect_end(line);
    results.commit();
  }
  const auto exit_code = warnings.finish();
  return stop_requested().value_or(exit_code);
}

}  // namespace gloss
