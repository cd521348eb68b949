#include "app/commands/metric_settings.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "app/options/metric_flags.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"
#include "tokenizer/sentencepiece_library.h"

namespace gloss {
namespace {

/// Returns the tokenizer of BLEU with this name; empty if the name is that of a SentencePiece model.
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

/// Returns the path of the model in sacreBLEU's folder.
std::filesystem::path kept_file(const PublishedModel& model) { return sacrebleu_folder() / "models" / model.file; }

/// Returns whether the given file equals the kept one. An unreadable kept file is no error, since no option names it.
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

/// Returns the model's published name if it is the published model, which sacreBLEU keeps. Otherwise returns a name
/// derived from the file's SHA-256.
std::string signature_of(const PublishedModel& model, const std::optional<std::filesystem::path>& given,
                         const PieceCutter& cutter) {
  if (!given || equals_file(*given, cutter.sha256(), kept_file(model))) return std::string(model.signature);
  return "spm-" + cutter.sha256().substr(0, 8);
}

OwnTokenizer sentencepiece_tokenizer(const PublishedModel& model, const std::optional<std::filesystem::path>& given) {
  const auto path = given.value_or(kept_file(model));
  std::error_code ignored;
  if (given) expect_input_file("--spm-model", path);
  if (!given && !std::filesystem::exists(path, ignored))
    throw UsageError("--tokenize " + std::string(model.name) + " wants " + printable(path.string()) +
                     "; fetch it, or give --spm-model FILE");
  const auto cutter = std::make_shared<PieceCutter>(path);
  return {signature_of(model, given, *cutter), [cutter](std::string_view line) { return cutter->cut(line); }};
}

}  // namespace

const OptionNames kMetricOptionNames{
    {"char_order", "--chrf-char-order"}, {"word_order", "--chrf-word-order"}, {"beta", "--chrf-beta"}};

MetricOptions metric_settings(const MetricFlags& flags, BleuTokenizer unless_named) {
  auto settings = flags.settings;
  const auto name = flags.tokenize.value_or(flags.spm_model ? "spm" : std::string(bleu_tokenizer_name(unless_named)));
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
