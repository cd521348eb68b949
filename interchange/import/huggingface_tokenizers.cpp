#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/vocabulary_file.h"
#include "interchange/import/huggingface_folder.h"
#include "interchange/import/tokenizer_json_reader.h"
#include "tokenizer/sentencepiece_writer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// Classes of transformers that read the tokenizers of a HuggingFaceType. A class with the suffix kFast cuts in the
/// same way.
constexpr std::array<std::array<std::string_view, 2>, 3> kTokenizerClasses{
    {{"MarianTokenizer"}, {"PegasusTokenizer"}, {"M2M100Tokenizer", "NllbTokenizer"}}};
constexpr std::string_view kFast = "Fast";
/// Classes that read tokenizer.json of any model_type.
constexpr std::array<std::string_view, 2> kAnyTokenizer{"PreTrainedTokenizer", "TokenizersBackend"};

/// The files that cut lines, by HuggingFaceType. Without one, tokenizer.json cuts.
constexpr std::array<const char*, 3> kSentencePieceFiles{"source.spm", "spiece.model", "sentencepiece.bpe.model"};
constexpr const char* kTokenizerJson = "tokenizer.json";

/// Languages of M2M100 in the order of their rows, which follow those of vocab.json: FAIRSEQ_LANGUAGE_CODES of
/// transformers' tokenization_m2m_100.py. transformers 5 may write them into no file.
constexpr std::string_view kM2m100Languages =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu hy "
    "id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro ru "
    "sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";

/// Pieces by row that the files add to a vocabulary, such as language tags.
using AddedPieces = std::map<std::int64_t, std::string>;

/// Returns the text of a token: "<pad>" or {"content": "<pad>", ...}; empty if it has none.
std::string content_of(const Json& token) {
  const auto text = token.is_object() ? token.value("content", Json()) : token;
  return text.is_string() ? text.get<std::string>() : "";
}

/// Returns the pieces of `added_tokens_decoder`: {"128004": {"content": "__af__", ...}}.
AddedPieces decoder_pieces(const Json& settings) {
  AddedPieces added;
  const auto tokens = settings.value("added_tokens_decoder", Json());
  if (!tokens.is_object()) return added;
  for (const auto& [key, token] : tokens.items()) {
    const auto row = parse_number<std::int64_t>(key);
    if (auto content = content_of(token); row >= 0 && !content.empty()) added[*row] = std::move(content);
  }
  return added;
}

/// Returns the pieces of `additional_special_tokens`, which follow each other from row `first` on.
AddedPieces following_pieces(const Json& settings, std::int64_t first) {
  AddedPieces added;
  const auto tokens = settings.value("additional_special_tokens", Json());
  if (!tokens.is_array()) return added;
  for (const auto& token : tokens)
    if (auto content = content_of(token); !content.empty()) added[first++] = std::move(content);
  return added;
}

/// Returns the tags of kM2m100Languages from row `first` on.
AddedPieces m2m100_pieces(std::int64_t first) {
  AddedPieces added;
  std::istringstream languages{std::string(kM2m100Languages)};
  for (std::string language; languages >> language;) added[first++] = "__" + language + "__";
  return added;
}

class TokenizerReader {
 public:
  TokenizerReader(const fs::path& folder, const HuggingFaceNetwork& network, Refusals& refusals)
      : folder_(folder), network_(network), refusals_(refusals) {}

  HuggingFaceTokenizers read() {
    const auto before = refusals_.reasons().size();
    result_.source.specials = result_.target.specials = network_.specials;
    settings_ = read_json_object_if_there(folder_ / "tokenizer_config.json", kMaxSettingsFile);
    check_class();
    if (fs::exists(folder_ / kTokenizerJson) &&
        !fs::exists(folder_ / kSentencePieceFiles[static_cast<std::size_t>(*network_.type)]))
      read_json();
    else
      read_files_of(*network_.type);
    const auto language = [&](const char* key) {
      const auto found = settings_.find(key);
      const auto text = found != settings_.end() && found->is_string() ? with_hyphens(found->get<std::string>()) : "";
      return is_language_tag(text) ? text : "";
    };
    result_.source_language = language("source_lang");
    result_.target_language = language("target_lang");
    for (const auto* side : {&result_.source, &result_.target})
      if (refusals_.reasons().size() == before)
        refusals_.require(side->specials.unk >= 0, side->vocabulary_file + ": wanted a piece <unk>, found none");
    result_.is_complete = refusals_.reasons().size() == before;
    return std::move(result_);
  }

 private:
  /// Refuses tokenizers that cut or number pieces in a way that gloss does not read.
  void check_class() {
    JsonFields fields(settings_, refusals_);
    auto name = fields.text("tokenizer_class", network_.tokenizer_class);
    if (name.ends_with(kFast)) name.resize(name.size() - kFast.size());
    const auto& classes = kTokenizerClasses[static_cast<std::size_t>(*network_.type)];
    refusals_.require(name.empty() || std::ranges::find(classes, name) != classes.end() ||
                          std::ranges::find(kAnyTokenizer, name) != kAnyTokenizer.end(),
                      "tokenizer_class: wanted " + std::string(classes[0]) +
                          (classes[1].empty() ? "" : " or " + std::string(classes[1])) + " beside model_type " +
                          network_.type_name + ", got " + printable(name, 80));
  }

  bool expect_file(const char* name) {
    const bool there = fs::exists(folder_ / name);
    refusals_.require(there,
                      std::string(name) + " is missing; it belongs to a directory of model_type " + network_.type_name);
    return there;
  }

  static void find_unk(ImportedVocabulary& side) {
    const auto found = std::ranges::find(side.pieces, "<unk>");
    if (found != side.pieces.end()) side.specials.unk = found - side.pieces.begin();
  }

  void take_sentencepiece(ImportedVocabulary& side, const char* name) {
    auto model = read_vocabulary(folder_ / name);
    side.sentencepiece = std::move(model.sentencepiece);
    side.sentencepiece_file = model.name;
  }

  void take_table(ImportedVocabulary& side, const char* name) {
    auto table = read_vocabulary(folder_ / name);
    side.pieces = std::move(table.pieces);
    side.vocabulary_file = table.name;
    find_unk(side);
  }

  void read_files_of(HuggingFaceType type) {
    switch (type) {
      case HuggingFaceType::kMarian:
        return read_marian();
      case HuggingFaceType::kPegasus:
        return read_pegasus();
      case HuggingFaceType::kM2M100:
        return read_m2m100();
    }
  }
  void read_marian() {
    const bool is_separate = JsonFields(settings_, refusals_).flag("separate_vocabs", false);
    const auto* const target_table = is_separate ? "target_vocab.json" : "vocab.json";
    bool is_complete = true;
    for (const auto* name : {"source.spm", "target.spm", "vocab.json", target_table})
      is_complete = expect_file(name) && is_complete;
    if (!is_complete) return;
    take_sentencepiece(result_.source, "source.spm");
    take_sentencepiece(result_.target, "target.spm");
    take_table(result_.source, "vocab.json");
    take_table(result_.target, target_table);
  }

  /// Reads the pieces of Pegasus. The rows before them are pad, eos, masks and reserved ones; the first two pieces of
  /// the SentencePiece model, pad and eos, have no rows of their own.
  void read_pegasus() {
    if (!expect_file("spiece.model")) return;
    auto& side = result_.source;
    const auto model = read_vocabulary(folder_ / "spiece.model");
    constexpr std::int64_t kMaxOffset = 10'000;
    JsonFields fields(settings_, refusals_);
    const auto offset = fields.integer("offset", 0, kMaxOffset, 103);
    side.sentencepiece = model.sentencepiece;
    side.sentencepiece_file = side.vocabulary_file = model.name;
    side.pieces = {"<pad>", "</s>"};
    for (std::int64_t row = 2; row < offset + 2; ++row)
      side.pieces.push_back(row < 4 ? "<mask_" + std::to_string(row - 1) + '>'
                                    : "<unk_" + std::to_string(row - 2) + '>');
    for (std::size_t i = 2; i < model.pieces.size(); ++i) side.pieces.push_back(model.pieces[i]);
    find_unk(side);
    result_.target = side;
  }

  /// Reads tokenizer.json, which cuts for both languages.
  void read_json() {
    auto& side = result_.source;
    side.sentencepiece_file = side.vocabulary_file = printable((folder_ / kTokenizerJson).string());
    auto tokenizer = read_tokenizer_json(read_json_object(folder_ / kTokenizerJson, kMaxTokenizerFile),
                                         side.vocabulary_file, refusals_);
    if (tokenizer.pieces.empty()) return;  // refused
    side.pieces = std::move(tokenizer.pieces);
    side.specials.unk = tokenizer.unk;
    side.sentencepiece = std::move(tokenizer.sentencepiece);
    if (network_.type == HuggingFaceType::kM2M100) add_languages(side);
    result_.target = side;
  }

  void read_m2m100() {
    if (!expect_file("sentencepiece.bpe.model")) return;
    auto& side = result_.source;
    const auto model = read_vocabulary(folder_ / "sentencepiece.bpe.model");
    side.sentencepiece = model.sentencepiece;
    side.sentencepiece_file = model.name;
    if (fs::exists(folder_ / "vocab.json")) {
      take_table(side, "vocab.json");
    } else {  // NLLB: pieces from the fourth on, one row later than in the model
      side.vocabulary_file = model.name;
      side.pieces = {"<s>", "<pad>", "</s>", "<unk>"};
      for (std::size_t i = 3; i < model.pieces.size(); ++i) side.pieces.push_back(model.pieces[i]);
      side.specials.unk = 3;
    }
    add_languages(side);
    result_.target = side;
  }

  void add_languages(ImportedVocabulary& side) {
    JsonFields fields(settings_, refusals_);
    fields.expect(!fields.flag("legacy_behaviour", false), "legacy_behaviour",
                  "false, the language tag in front of a source");
    add_pieces(side);
    refusals_.require(
        !side.languages.empty(),
        "wanted language tags in tokenizer_config.json, tokenizer.json or special_tokens_map.json, found none");
  }

  /// Adds the language tags. Files with row numbers come before lists without them.
  void add_pieces(ImportedVocabulary& side) const {
    const auto first = static_cast<std::int64_t>(side.pieces.size());
    const auto has_languages = [](const AddedPieces& added) {
      return std::ranges::any_of(added, [](const auto& piece) { return !tag_language(piece.second).empty(); });
    };
    auto added = decoder_pieces(settings_);
    if (!has_languages(added))
      added = added_pieces(read_json_object_if_there(folder_ / kTokenizerJson, kMaxTokenizerFile));
    if (!has_languages(added)) added = following_pieces(settings_, first);
    if (!has_languages(added))
      added = following_pieces(read_json_object_if_there(folder_ / "special_tokens_map.json", kMaxSettingsFile), first);
    const auto codes = settings_.find("language_codes");
    if (!has_languages(added) && codes != settings_.end() && *codes == "m2m100") added = m2m100_pieces(first);
    for (const auto& [row, piece] : added) {
      if (row >= network_.source_size) continue;
      while (std::ssize(side.pieces) <= row) side.pieces.push_back(unused_piece(std::ssize(side.pieces)));
      auto& own = side.pieces[static_cast<std::size_t>(row)];
      if (row >= first) own = piece;
      const auto language = tag_language(piece);
      if (language.empty()) continue;
      refusals_.require(own == piece, "language tag " + printable(piece, 80) + ": wanted a row of its own, got " +
                                          std::to_string(row) + ", which \"" + printable(own, 80) + "\" has");
      side.languages.emplace(language, row);
    }
  }

  const fs::path& folder_;
  const HuggingFaceNetwork& network_;
  Refusals& refusals_;
  Json settings_;
  HuggingFaceTokenizers result_;
};

}  // namespace

HuggingFaceTokenizers read_huggingface_tokenizers(const fs::path& folder, const HuggingFaceNetwork& network,
                                                  Refusals& refusals) {
  return TokenizerReader(folder, network, refusals).read();
}

}  // namespace gloss
