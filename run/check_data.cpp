#include "run/check_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/writing.h"
#include "data/pair_verdict.h"
#include "run/config/initial_weights.h"
#include "run/config/run_files.h"

namespace gloss {
namespace {

constexpr std::int64_t kLinesToOneReport = 100'000;

// Returns a whole number without a decimal point.
std::string factor_text(double number) {
  return to_text(number == std::floor(number) ? Json(static_cast<std::int64_t>(number)) : Json(number));
}

std::string ratio_text(const DataCheckOptions& options, bool in_pieces) {
  const auto max_ratio =
      options.max_ratio.value_or(in_pieces ? CorpusCheckOptions::kPieceRatio : CorpusCheckOptions::kCharacterRatio);
  return "pairs have one side more than " + factor_text(max_ratio) + " times as long as the other, in " +
         (in_pieces ? "pieces" : "characters");
}

/// Adds findings by kind to those of a set.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& findings) : findings_(findings) {}

  void add(const std::string& kind, const std::string& side, const NotedLines& lines, const std::string& message) {
    if (lines.count > 0) findings_.push_back({kind, side, message, lines});
  }
  void refuse(const std::string& kind, const std::string& message) {
    findings_.push_back({kind, "", message, {}, true});
  }
  /// Calls `check`. Adds the message of the error that it throws, if any, and then returns false.
  bool expect(const std::string& kind, const std::function<void()>& check) {
    try {
      check();
      return true;
    } catch (const Error& error) {
      refuse(kind, error.what());
      return false;
    }
  }

 private:
  std::vector<Finding>& findings_;
};

void add_side(Findings& findings, const std::string& side, const TextReport& text) {
  if (text.begins_with_mark) findings.add("byte_order_mark", side, {1, {1}}, "byte order mark, which is dropped");
  findings.add("not_utf8", side, text.invalid_utf8, "lines are not UTF-8");
  findings.add("nul", side, text.nul, "lines with a NUL");
  findings.add("windows_line_end", side, text.windows_end, "lines have Windows line ends, of which the CR is dropped");
  findings.add("control", side, text.control, "lines with control characters or a byte order mark within");
  findings.add("line_separator", side, text.line_separator,
               "lines have characters at which other programs end a line, such as U+2028 or U+0085");
  findings.add(
      "invisible", side, text.invisible,
      "lines have invisible characters, which models do not read: soft hyphens, word joiners or marks of direction");
  if (text.first_changed != 0)
    findings.add("changed", side, text.changed,
                 "lines have characters that tokenizer.normalization nmt_nfkc changes, such as " +
                     character_text(text.first_changed) + "; identity keeps them");
  findings.add("replacement", side, text.replacement, "lines with U+FFFD: some program could not read a character");
  findings.add("cut", side, text.cut, "lines are longer than " + std::to_string(LineReader::kMaxLineBytes) + " bytes");
  findings.add("empty", side, text.empty, "lines are empty");
  findings.add("unknown", side, text.unknown, "lines have characters that are unknown to the tokenizer");
}

/// Returns the report of encoding the text.
CorpusReport encoding_report(const CorpusCheck& check) {
  return {.lines = check.pairs,
          .pairs = check.fit_pairs,
          .invalid_utf8 = check.invalid,
          .empty = check.empty,
          .too_long = check.too_long,
          .ratio = check.skipped_ratio,
          .copied = check.skipped_copied,
          .repeated = check.skipped_repeated};
}

/// Adds the reasons why training would refuse the texts.
void refuse(Findings& findings, const DataSet& set, const CorpusCheck& check, std::int64_t max_length) {
  const auto source = printable(set.source.string()), target = printable(set.target.string());
  findings.expect("line_counts", [&] {
    expect_equal_lines(set.source.string(), check.source.lines, set.target.string(), check.target.lines);
  });
  if (set.use == DataSet::Use::kTraining)
    findings.expect("same_file", [&] { expect_two_files(set.source, set.target, source, target); });
  if (!set.alignment.empty())
    findings.expect("line_counts", [&] {
      expect_equal_lines(set.source.string(), check.source.lines, set.alignment.string(), check.alignment_lines);
    });
  if (check.links.count > 0)
    findings.refuse("alignment", printable(set.alignment.string()) + ": the links of " +
                                     counted(check.links.count, "line") + " do not fit (" + check.links.text() +
                                     "): " + check.first_links);
  if (set.use != DataSet::Use::kTraining)
    for (const auto& [name, text] : {std::pair{source, &check.source}, {target, &check.target}})
      if (text->cut.count > 0)
        findings.refuse("cut", name + ": a line of more than " + std::to_string(LineReader::kMaxLineBytes) +
                                   " bytes cannot be scored (" + text->cut.text() + ")");
  const bool is_empty = check.source.lines == 0 && check.target.lines == 0;
  if (!is_empty && (set.use == DataSet::Use::kTest || check.pairs == 0)) return;
  const TextFiles files{set.source, set.target};
  const auto report = encoding_report(check);
  if (findings.expect("encoding", [&] { expect_utf8(files, report); }))
    findings.expect("nothing_left", [&] { expect_usable(files, report, max_length); });
}

void add_findings(Findings& findings, const DataSet& set, const CorpusCheck& check, const DataCheckOptions& options) {
  const bool in_pieces = options.source_tokenizer != nullptr;
  refuse(findings, set, check, options.max_length);
  add_side(findings, "source", check.source);
  add_side(findings, "target", check.target);
  findings.add("too_long", "", check.too_long,
               "pairs have a side of more than " + std::to_string(options.max_length) +
                   (in_pieces ? " pieces, eos counted (data.max_length)"
                              : " words and eos, and so of more pieces than data.max_length"));
  findings.add("skipped_ratio", "", check.skipped_ratio,
               "pairs are skipped: one side has more than data.max_ratio = " + factor_text(options.filters.max_ratio) +
                   " times the pieces of the other");
  findings.add("skipped_copied", "", check.skipped_copied,
               "pairs are skipped: the target is the source (data.skip_copied)");
  findings.add("skipped_repeated", "", check.skipped_repeated,
               "pairs are skipped: they repeat an earlier pair (data.skip_repeated)");
  findings.add("ratio", "", check.ratio, ratio_text(options, in_pieces));
  findings.add("sentences", "", check.sentences, "pairs have three sentences or more against at most half as many");
  findings.add("copied", "", check.copied, "pairs have a target that is the source");
  findings.add("repeated", "", check.repeated, "pairs repeat an earlier line");
  findings.add("exchanged", "", check.exchanged, "pairs seem to have the languages exchanged");
  for (const auto& [first, last, shift] : check.shifted)
    findings.add("shifted", "", {last - first + 1, {first}},
                 "pairs seem to be shifted: the translation of line n stands in line n " +
                     std::string(shift > 0 ? "+ " : "- ") + std::to_string(std::abs(shift)) + " of the target");
}

/// Filters of a training text, and its number.
struct TextFilters {
  PairFilters filters = {};
  RepeatedPairs* repeated = nullptr;
  std::size_t text = 0;  ///< its number among the training texts
};

SetCheck check_set(const DataSet& set, const DataCheckOptions& options, const TextFilters& filters,
                   decltype(CorpusCheckOptions::for_pair) for_pair) {
  const auto name = use_name(set.use);
  const auto shown = [&, pair = std::move(for_pair)](std::string_view source, std::string_view target,
                                                     std::int64_t line) {
    if (line % kLinesToOneReport == 0) log_progress("checking the " + name + " text, line " + std::to_string(line));
    if (pair) pair(source, target, line);
  };
  SetCheck result{set, std::nullopt, {}};
  Findings findings(result.findings);
  try {
    result.corpus = check_corpus(set.source, set.target,
                                 {.source = options.source_tokenizer,
                                  .target = options.target_tokenizer,
                                  .normalization = options.normalization,
                                  .max_length = options.max_length,
                                  .max_ratio = options.max_ratio,
                                  .filters = filters.filters,
                                  .repeated = filters.repeated,
                                  .text = filters.text,
                                  .alignment = set.alignment,
                                  .for_pair = shown});
    add_findings(findings, set, *result.corpus, options);
  } catch (const DataError& error) {
    findings.refuse("unreadable", error.what());
  }
  log_progress("");
  return result;
}

// Checks the files of vectors as training does. Training reads them after its texts.
void check_embeddings(const DataCheckOptions& options, Findings training) {
  for (const auto& [path, tokenizer] : options.embeddings) {
    try {
      const auto pieces = tokenizer ? spellings_of(*tokenizer) : PieceSpellings();
      const auto vectors = read_word_vectors(path, pieces, options.embedding_width);
      training.add("embeddings", "", vectors.unusable,
                   "lines of " + printable(path.string()) + " are not a word and its numbers, and are left out");
    } catch (const DataError& error) {
      training.refuse("embeddings", error.what());
    }
  }
}

void add_overlap(Findings held_out, const HeldOutPairs& pairs) {
  held_out.add("pair_in_training", "", pairs.pairs_in_training(), "pairs are in the training text, too");
  held_out.add("source_in_training", "", pairs.sources_in_training(),
               "sources are in the training text, too, with another target");
}

Json to_json(const TextReport& text, const std::filesystem::path& path, bool in_pieces) {
  Json json{{"file", path.string()}, {"lines", text.lines}, {in_pieces ? "pieces" : "words", text.units}};
  if (!in_pieces) return json;
  json["unknown_pieces"] = text.unknown_pieces;
  auto& characters = json["unknown_characters"] = Json::array();
  for (const auto& [character, count] : text.unknown_characters)
    characters.push_back({{"code_point", static_cast<std::uint32_t>(character)}, {"count", count}});
  return json;
}

Json to_json(const Finding& finding) {
  Json json{{"kind", finding.kind}, {"message", finding.message}, {"refused", finding.refused}};
  if (!finding.side.empty()) json["side"] = finding.side;
  if (finding.lines.count > 0) {
    json["count"] = finding.lines.count;
    json["first_lines"] = finding.lines.first_lines;
  }
  return json;
}

}  // namespace

std::string use_name(DataSet::Use use) {
  switch (use) {
    case DataSet::Use::kTraining:
      return "training";
    case DataSet::Use::kValidation:
      return "validation";
    default:
      return "test";
  }
}

bool DataCheck::usable() const {
  return std::ranges::none_of(sets,
                              [](const auto& set) { return std::ranges::any_of(set.findings, &Finding::refused); });
}

DataCheckOptions data_check_options(const RunConfig& config) {
  const auto& data = config.data;
  const auto texts = data.training_texts();
  require(!texts.empty(), "data.train_source", "the file of source sentences to train on", data.train_source);
  DataCheckOptions options{.max_length = data.max_length, .filters = data.filters, .repeated = data.repeated_pairs()};
  for (const auto& [source, target, alignment] : texts)
    options.sets.push_back({DataSet::Use::kTraining, source, target, alignment});
  if (!data.valid_source.empty())
    options.sets.push_back({DataSet::Use::kValidation, data.valid_source, data.valid_target});
  if (!data.test_source.empty()) options.sets.push_back({DataSet::Use::kTest, data.test_source, data.test_target});
  std::tie(options.source_tokenizer, options.target_tokenizer) = configured_tokenizers(config);
  options.normalization = config.tokenizer.normalization;
  options.embedding_width = config.model.d_model;
  const auto& files = config.training.initial_embeddings;
  if (!files.source.empty()) options.embeddings.push_back({files.source, options.source_tokenizer});
  if (!files.target.empty()) options.embeddings.push_back({files.target, options.target_tokenizer});
  return options;
}

DataCheck check_data(const DataCheckOptions& options) {
  DataCheck result;
  result.in_pieces = options.source_tokenizer != nullptr;
  std::map<std::size_t, HeldOutPairs> held_out;  // by index in options.sets
  result.sets.resize(options.sets.size());
  for (std::size_t i = 0; i < options.sets.size(); ++i) {
    if (options.sets[i].use == DataSet::Use::kTraining) continue;
    result.sets[i] = check_set(options.sets[i], options, {},
                               [&pairs = held_out[i]](std::string_view source, std::string_view target,
                                                      std::int64_t line) { pairs.add(source, target, line); });
  }
  auto repeated = options.repeated;
  std::size_t training_texts = 0;
  for (std::size_t i = 0; i < options.sets.size(); ++i) {
    if (options.sets[i].use != DataSet::Use::kTraining) continue;
    const auto text = training_texts++;
    const TextFilters filters{options.filters, repeated ? &*repeated : nullptr, text};
    result.sets[i] = check_set(options.sets[i], options, filters,
                               [&](std::string_view source, std::string_view target, std::int64_t) {
                                 for (auto& [set, pairs] : held_out) pairs.compare(source, target);
                               });
    if (text == 0) check_embeddings(options, Findings(result.sets[i].findings));
  }
  for (const auto& [set, pairs] : held_out) add_overlap(Findings(result.sets[set].findings), pairs);
  return result;
}

Json to_json(const DataCheck& check) {
  Json sets = Json::array();
  for (const auto& [set, corpus, findings] : check.sets) {
    Json json{{"use", use_name(set.use)}, {"findings", Json::array()}};
    if (corpus) {
      json["source"] = to_json(corpus->source, set.source, check.in_pieces);
      json["target"] = to_json(corpus->target, set.target, check.in_pieces);
      json["pairs"] = corpus->pairs;
      json["fit_pairs"] = corpus->fit_pairs;
    }
    for (const auto& finding : findings) json["findings"].push_back(to_json(finding));
    sets.push_back(std::move(json));
  }
  return {{"usable", check.usable()}, {"sets", std::move(sets)}};
}

}  // namespace gloss
