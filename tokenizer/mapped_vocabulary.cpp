#include "tokenizer/mapped_vocabulary.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "common/config/json.h"
#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr std::string_view kMagic = "gloss-mapped-tokenizer 1\n";
constexpr std::string_view kAnyMagic = "gloss-mapped-tokenizer ";
constexpr std::string_view kNoNormalizer, kOpusMt = "opus-mt";
constexpr std::size_t kMaxHeaderBytes = 32 << 20;  // bytes
constexpr std::size_t kMaxLanguageBytes = 100;     // bytes
constexpr int kMaxJsonDepth = 4;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw ModelError(name + ": wanted a tokenizer with a vocabulary of its own, got " + what +
                   "; the file is damaged, or import the model again");
}

/// Compares names without regard to case; "_" equals "-".
std::string comparable(std::string_view name) {
  std::string text(name);
  for (auto& c : text) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::vector<std::string> read_pieces(const Json& json, const std::string& name) {
  if (!json.is_array()) refuse(name, "a header whose `pieces` are no list");
  std::vector<std::string> pieces;
  pieces.reserve(json.size());
  for (const auto& piece : json) {
    if (!piece.is_string()) refuse(name, "a piece that is no text");
    pieces.push_back(piece.get<std::string>());
  }
  return pieces;
}

std::map<std::string, Id, std::less<>> read_languages(const Json& json, const std::string& name) {
  if (!json.is_object()) refuse(name, "a header whose `languages` are no object");
  std::map<std::string, Id, std::less<>> languages;
  for (const auto& [language, id] : json.items()) {
    if (!id.is_number_integer() || id < 0 || id > TokenizerConfig::kMaxVocabulary)
      refuse(name, "the language " + printable(language, 80) + " without an id of the vocabulary");
    languages[language] = id.get<Id>();
  }
  return languages;
}

MappedVocabulary::Normalizer read_normalizer(const Json& json, const std::string& name) {
  if (json == kNoNormalizer) return MappedVocabulary::Normalizer::kNone;
  if (json == kOpusMt) return MappedVocabulary::Normalizer::kOpusMt;
  refuse(name, "the unknown normalizer " + printable(to_text(json), 80));
}

}  // namespace

void MappedVocabulary::validate(const std::string& name) const {
  const auto V = std::ssize(pieces);
  if (V < TokenizerConfig::kMinVocabulary || V > TokenizerConfig::kMaxVocabulary)
    refuse(name, std::to_string(V) + " pieces, not " + std::to_string(TokenizerConfig::kMinVocabulary) + " to " +
                     std::to_string(TokenizerConfig::kMaxVocabulary));
  std::unordered_set<std::string_view> seen;
  for (std::int64_t id = 0; id < V; ++id) {
    const auto& piece = pieces[static_cast<std::size_t>(id)];
    const auto place = "piece " + std::to_string(id);
    if (piece.empty() || piece.size() > TokenizerConfig::kMaxPieceBytes)
      refuse(name, place + ", empty or longer than 1000 bytes");
    if (!is_text(piece)) refuse(name, place + " that is not UTF-8 without NUL");
    if (id >= kSpecialIds && !seen.insert(piece).second)
      refuse(name, place + " a second time: " + printable(piece, 80));
  }
  for (const auto& [language, id] : languages) {
    if (language.empty() || language.size() > kMaxLanguageBytes || !is_text(language))
      refuse(name, "a language whose name is empty, too long or not UTF-8");
    if (id < kSpecialIds || id >= V)
      refuse(name, "the language " + printable(language, 80) + " with the tag " + std::to_string(id) + ", not 4 to " +
                       std::to_string(V - 1));
  }
}

Id MappedVocabulary::tag_of(std::string_view language) const {
  if (const auto exact = languages.find(language); exact != languages.end()) return exact->second;
  const auto wanted = comparable(language);
  std::set<Id> longer;
  for (const auto& [name, id] : languages) {
    const auto known = comparable(name);
    if (known == wanted) return id;
    if (!wanted.empty() && known.starts_with(wanted + '-')) longer.insert(id);
  }
  return longer.size() == 1 ? *longer.begin() : 0;
}

std::string to_header(const MappedVocabulary& vocabulary) {
  Json languages = Json::object();
  for (const auto& [language, id] : vocabulary.languages) languages[language] = id;
  const Json header{
      {"languages", std::move(languages)},
      {"normalizer", vocabulary.normalizer == MappedVocabulary::Normalizer::kOpusMt ? kOpusMt : kNoNormalizer},
      {"pieces", vocabulary.pieces}};
  return std::string(kMagic) + to_text(header) + '\n';
}

bool has_mapped_header(std::string_view bytes) { return bytes.starts_with(kAnyMagic); }

ParsedVocabulary parse_header(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic)) {
    if (!has_mapped_header(bytes)) refuse(name, "other bytes");
    throw ModelError(name + ": wanted a tokenizer of version 1, got another version; use a newer gloss");
  }
  const auto end = bytes.substr(0, kMagic.size() + kMaxHeaderBytes).find('\n', kMagic.size());
  if (end == bytes.npos) refuse(name, "a header without an end");
  Json header;
  try {
    header = parse_json(bytes.substr(kMagic.size(), end - kMagic.size()), kMaxJsonDepth);
  } catch (const std::invalid_argument& error) {
    refuse(name, std::string("a header that is not JSON: ") + error.what());
  }
  if (!header.is_object() || header.size() != 3 || !header.contains("languages") || !header.contains("normalizer") ||
      !header.contains("pieces"))
    refuse(name, "a header without just languages, normalizer and pieces");
  MappedVocabulary vocabulary{.pieces = read_pieces(header["pieces"], name),
                              .normalizer = read_normalizer(header["normalizer"], name),
                              .languages = read_languages(header["languages"], name)};
  vocabulary.validate(name);
  return {std::move(vocabulary), end + 1};
}

}  // namespace gloss
