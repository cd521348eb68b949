#include "app/options/metric_flags.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/log.h"
#include "common/text/split_text.h"
#include "tokenizer/piece_cutter.h"

namespace gloss {
namespace {

constexpr WholeRange kChrfOrders{0, ChrfOptions::kMaxOrder};

/// A tokenizer of sacreBLEU that is a SentencePiece model.
struct PublishedModel {
  std::string_view name, signature, file;  ///< `file` in the folder where sacreBLEU keeps what it has fetched
};
constexpr std::array<PublishedModel, 4> kPublishedModels{{{"spm", "flores101", "sacrebleu_tokenizer_spm.model"},
                                                          {"flores101", "flores101", "sacrebleu_tokenizer_spm.model"},
                                                          {"flores200", "flores200", "flores200sacrebleuspm"},
                                                          {"spBLEU-1K", "spBLEU-1K", "spbleu-1k_tokenizer_spm.model"}}};

std::string tokenizer_names() {
  std::string names;
  for (const auto& [name, tokenizer] : kBleuTokenizers) names.append(name).append(", ");
  for (const auto& model : kPublishedModels) names.append(model.name).append(", ");
  return names.substr(0, names.size() - 2);
}

const PublishedModel* published_model(std::string_view name) {
  const auto* model = std::ranges::find(kPublishedModels, name, &PublishedModel::name);
  return model == kPublishedModels.end() ? nullptr : model;
}

std::optional<BleuTokenizer> regular_tokenizer(std::string_view name) {
  for (const auto& [known, tokenizer] : kBleuTokenizers)
    if (known == name) return tokenizer;
  return std::nullopt;
}

std::filesystem::path sacrebleu_folder() {
  if (const char* folder = std::getenv("SACREBLEU")) return folder;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / ".sacrebleu";
}

/// Where sacreBLEU keeps the model.
std::filesystem::path kept_file(const PublishedModel& model) { return sacrebleu_folder() / "models" / model.file; }

/// False, too, where the kept file cannot be read: nobody asked for it.
bool equals_file(const std::filesystem::path& given, const std::string& sha256_of_given,
                 const std::filesystem::path& kept) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(kept, none)) return false;
  const auto bytes = std::filesystem::file_size(kept, none);
  if (none || bytes != std::filesystem::file_size(given, none) || none) return false;
  try {
    return sha256(read_file(kept, bytes)) == sha256_of_given;
  } catch (const IoError&) {
    return false;
  }
}

/// A published name is only for the published model, which is the one that sacreBLEU keeps; any other is called by what
/// it holds.
std::string signature_of(const PublishedModel& model, const std::optional<std::filesystem::path>& given,
                         const PieceCutter& cutter) {
  if (!given || equals_file(*given, cutter.sha256(), kept_file(model))) return std::string(model.signature);
  return "spm-" + cutter.sha256().substr(0, 8);
}

OwnTokenizer sentencepiece_tokenizer(const PublishedModel& model, const std::optional<std::filesystem::path>& given) {
  const auto path = given.value_or(kept_file(model));
  std::error_code ignored;
  if (given) expect_file("--spm-model", path);
  if (!given && !std::filesystem::exists(path, ignored))
    throw UsageError("--tokenize " + std::string(model.name) + " wants " + printable(path.string()) +
                     "; fetch it, or give --spm-model FILE");
  const auto cutter = std::make_shared<PieceCutter>(path);
  return {signature_of(model, given, *cutter), [cutter](std::string_view line) { return cutter->cut(line); }};
}

void add_metric_names(std::vector<MetricKind>& metrics, const std::string& names) {
  for (const auto name : split_text(names, ',')) {
    const auto kind = parse_choice<MetricKind>(std::string(name), {kMetrics.begin(), kMetrics.end()});
    if (std::ranges::find(metrics, kind) == metrics.end()) metrics.push_back(kind);
  }
}

void add_bleu_flags(CLI::App& command, MetricFlags& flags) {
  auto& bleu = flags.settings.bleu;
  add_text(command,
           {"--tokenize", "NAME",
            "the tokenizer of BLEU: " + tokenizer_names() + " (default: the model's, without a model 13a)"},
           [&flags](const std::string& name) {
             if (!regular_tokenizer(name) && published_model(name) == nullptr)
               throw std::invalid_argument("one of " + tokenizer_names());
             flags.tokenize = name;
           });
  add_path(command,
           {"--spm-model", "FILE", "the SentencePiece model of --tokenize spm, flores101, flores200, spBLEU-1K"},
           flags.spm_model);
  add_choice<BleuSmoothing, BleuSmoothing>(
      command, {"--smooth-method", "NAME", "what BLEU takes for no matches: none, floor, add-k or exp (default: exp)"},
      bleu.smoothing, {kBleuSmoothings.begin(), kBleuSmoothings.end()});
  add_number(command, {"--smooth-value", "X", "of floor (default: 0.1) and add-k (default: 1)"}, bleu.smoothing_value,
             {0, BleuOptions::kMaxSmoothingValue});
  add_flag(command, "--lowercase", bleu.lowercase, "BLEU without regard to case");
  add_flag(command, "--effective-order", bleu.effective_order,
           "BLEU without n-grams that the translations are too short for");
  add_whole_number(command, {"--max-ngram-order", "N", "longest n-grams of BLEU (default: 4)"}, bleu.max_order,
                   {1, BleuOptions::kMaxOrder});
  add_flag(command, "--force", flags.force, "no warning where translations look tokenized");
}

void add_chrf_flags(CLI::App& command, ChrfOptions& chrf) {
  add_whole_number(command, {"--chrf-char-order", "N", "longest n-grams of characters (default: 6)"}, chrf.char_order,
                   kChrfOrders);
  add_whole_number(command, {"--chrf-word-order", "N", "longest n-grams of words; 2 is chrF++ (default: 0)"},
                   chrf.word_order, kChrfOrders);
  add_whole_number(command, {"--chrf-beta", "N", "recall counts as N times precision (default: 2)"}, chrf.beta,
                   {0, ChrfOptions::kMaxBeta});
  add_flag(command, "--chrf-whitespace", chrf.whitespace, "white space is characters too");
  add_flag(command, "--chrf-lowercase", chrf.lowercase, "chrF without regard to case");
  add_flag(command, "--chrf-eps-smoothing", chrf.eps_smoothing, "orders without n-grams count as almost 0");
}

void add_ter_flags(CLI::App& command, TerOptions& ter) {
  add_flag(command, "--ter-case-sensitive", ter.case_sensitive, "TER with regard to case");
  add_flag(command, "--ter-asian-support", ter.asian_support, "Chinese characters apart, their punctuation known");
  add_flag(command, "--ter-no-punct", ter.no_punct, "TER without punctuation");
  add_flag(command, "--ter-normalized", ter.normalized, "TER with punctuation apart and entities resolved");
}

}  // namespace

const OptionNames kMetricOptionNames{
    {"char_order", "--chrf-char-order"}, {"word_order", "--chrf-word-order"}, {"beta", "--chrf-beta"}};

void add_metric_flags(CLI::App& command, MetricFlags& flags) {
  add_texts(command,
            {"--metrics", "NAME", "bleu, chrf, ter; several with commas or blanks between them (default: bleu)"},
            [&flags](const std::string& names) { add_metric_names(flags.metrics, names); });
  add_bleu_flags(command, flags);
  add_chrf_flags(command, flags.settings.chrf);
  add_ter_flags(command, flags.settings.ter);
}

MetricOptions metric_settings(const MetricFlags& flags, BleuTokenizer unless_said) {
  auto settings = flags.settings;
  const auto name = flags.tokenize.value_or(flags.spm_model ? "spm" : std::string(bleu_tokenizer_name(unless_said)));
  if (const auto tokenizer = regular_tokenizer(name)) {
    if (flags.spm_model)
      throw UsageError("--spm-model: wanted only with --tokenize spm, flores101, flores200 or spBLEU-1K");
    settings.bleu.tokenizer = *tokenizer;
  } else {
    settings.bleu.own_tokenizer = sentencepiece_tokenizer(*published_model(name), flags.spm_model);
  }
  return settings;
}

}  // namespace gloss
