#include "interchange/import/tokenizer_json_reader.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "interchange/formats/settings_file.h"
#include "tokenizer/sentencepiece_writer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

/// Returns a member of an object; null if there is none.
const Json& member(const Json& object, const char* key) {
  static const Json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

bool is_integer_below(const Json& value, std::size_t limit) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() < limit;
}

/// An entry of `added_tokens`.
struct AddedToken {
  std::size_t row = 0;
  std::string text;
  bool is_special = true;  ///< otherwise a piece that is never divided
};

std::vector<AddedToken> added_tokens(const Json& tokenizer) {
  std::vector<AddedToken> tokens;
  for (const auto& token : member(tokenizer, "added_tokens")) {
    const auto &row = member(token, "id"), &text = member(token, "content");
    if (is_integer_below(row, TokenizerConfig::kMaxVocabulary) && text.is_string())
      tokens.push_back({row.get<std::size_t>(), text.get<std::string>(), member(token, "special") != false});
  }
  return tokens;
}

/// Returns the two pieces of a merge: ["a", "b"], or "a b" in older files.
std::pair<std::string, std::string> parts_of(const Json& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  const auto text = merge.is_string() ? merge.get<std::string>() : std::string();
  const auto space = std::min(text.find(' '), text.size());
  return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

class Reader {
 public:
  Reader(const Json& tokenizer, std::string name, Refusals& refusals)
      : tokenizer_(tokenizer), model_(member(tokenizer, "model")), name_(std::move(name)), refusals_(refusals) {}

  TokenizerJson read() {
    const auto before = refusals_.reasons().size();
    JsonFields fields(model_, refusals_);
    settings_.add_dummy_prefix = settings_.remove_extra_whitespaces = settings_.escape_whitespaces = false;
    settings_.byte_fallback = fields.flag("byte_fallback", false);
    const auto type = fields.text("type", "none");
    if (type == "Unigram")
      read_unigram();
    else if (type == "BPE")
      read_bpe(fields);
    else
      refuse("model: wanted the type Unigram or BPE, got " + printable(type, 80));
    read_steps(member(tokenizer_, "normalizer"), "normalizers");
    read_steps(member(tokenizer_, "pre_tokenizer"), "pretokenizers");
    expect(!strips_ends_ || settings_.remove_extra_whitespaces,
           "wanted spaces that are stripped at the ends and within a line, as in SentencePiece, or nowhere");
    expect(settings_.escape_whitespaces, "wanted spaces that become U+2581, as in SentencePiece's pieces");
    const auto unk = std::ranges::find(table_.pieces, Piece::Type::kUnknown, &Piece::type);
    expect(unk != table_.pieces.end(), "wanted a piece for the unknown word, got none");
    if (refusals_.reasons().size() != before) return {};
    TokenizerJson result{.unk = unk - table_.pieces.begin(), .sentencepiece = write_sentencepiece(table_, settings_)};
    for (auto& piece : table_.pieces) result.pieces.push_back(std::move(piece.text));
    return result;
  }

 private:
  void refuse(const std::string& reason) { refusals_.add(name_ + ": " + reason); }
  void expect(bool holds, const std::string& reason) { refusals_.require(holds, name_ + ": " + reason); }

  /// Refuses a piece that is empty or too long. SentencePiece has neither, and set_scores is quadratic in the length.
  bool expect_size(const std::string& piece) {
    const bool fits = !piece.empty() && piece.size() <= TokenizerConfig::kMaxPieceBytes;
    expect(fits, "vocab: wanted pieces of 1 to " + std::to_string(TokenizerConfig::kMaxPieceBytes) +
                     " bytes, got one of " + std::to_string(piece.size()));
    return fits;
  }

  void read_unigram() {
    table_.segmentation = PieceTable::Segmentation::kUnigram;
    for (const auto& entry : member(model_, "vocab")) {
      const bool is_piece = entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number();
      if (is_piece && !expect_size(entry[0].get_ref<const std::string&>())) return;
      if (!is_piece) return refuse("vocab: wanted pieces with their scores, got " + printable(to_text(entry), 80));
      table_.pieces.push_back({entry[0].get<std::string>(), entry[1].get<float>()});
    }
    const auto& unk = member(model_, "unk_id");
    set_types(is_integer_below(unk, table_.pieces.size()) ? table_.pieces[unk.get<std::size_t>()].text : "");
  }

  void read_bpe(JsonFields& fields) {
    table_.segmentation = PieceTable::Segmentation::kBpe;
    const auto& vocabulary = member(model_, "vocab");
    table_.pieces.resize(vocabulary.size());
    for (const auto& [piece, row] : vocabulary.items()) {
      if (!expect_size(piece)) return;
      if (!is_integer_below(row, table_.pieces.size()) || !table_.pieces[row.get<std::size_t>()].text.empty())
        return refuse("vocab: wanted each row below " + std::to_string(table_.pieces.size()) + " once, got " +
                      printable(to_text(row), 80) + " for \"" + printable(piece, 80) + '"');
      table_.pieces[row.get<std::size_t>()].text = piece;
    }
    for (const auto* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      fields.expect(fields.text(key, "").empty(), key, "none");
    fields.expect(!fields.flag("ignore_merges", false), "ignore_merges", "false");
    set_types(fields.text("unk_token", ""));
    set_scores();
  }

  void set_types(std::string_view unk) {
    auto& pieces = table_.pieces;
    for (const auto& added : added_tokens(tokenizer_))
      if (added.row < pieces.size())
        pieces[added.row].type = added.is_special ? Piece::Type::kControl : Piece::Type::kUserDefined;
    for (auto& piece : pieces) {
      if (settings_.byte_fallback && piece.text.size() == 6 && piece.text.starts_with("<0x"))
        piece.type = Piece::Type::kByte;
      if (piece.text == unk) piece.type = Piece::Type::kUnknown;
    }
  }

  /// Sets the scores of BPE. SentencePiece merges any two neighbors that make a piece, the one of the highest score
  /// first; so the merges of a piece have to follow each other, and none may be missing.
  void set_scores() {
    std::unordered_map<std::string_view, std::size_t> rows, merges;  // of ordinary pieces
    for (std::size_t row = 0; row < table_.pieces.size(); ++row)
      if (table_.pieces[row].type == Piece::Type::kNormal) rows.emplace(table_.pieces[row].text, row);
    std::string_view last;
    for (const auto& merge : member(model_, "merges")) {
      const auto [left, right] = parts_of(merge);
      const auto text = left + right;
      const auto found = rows.find(text);
      if (found == rows.end() || !rows.contains(left) || !rows.contains(right)) continue;
      if (found->first != last && merges.contains(found->first))
        return refuse("merges: wanted all that make \"" + printable(text, 80) +
                      "\" together, as SentencePiece has them");
      last = found->first;
      if (merges[last]++ == 0) table_.pieces[found->second].score = 1 - static_cast<float>(merges.size());
    }
    for (const auto& [text, row] : rows) {
      std::size_t possible = 0, end = 0;
      for (const auto character : characters_of(text)) {
        end += character.size();
        possible += rows.contains(text.substr(0, end)) && rows.contains(text.substr(end)) ? 1 : 0;
      }
      if (possible != merges[text])
        return refuse("merges: wanted " + std::to_string(possible) + " that make \"" + printable(text, 80) +
                      "\", as SentencePiece has, got " + std::to_string(merges[text]));
      if (possible == 0) table_.pieces[row].score = -static_cast<float>(table_.pieces.size());
    }
  }

  /// Reads a normalizer or a pre-tokenizer. `parts` is the key of the steps of a sequence.
  void read_steps(const Json& step, const char* parts) {
    if (step.is_null()) return;
    const auto& type = member(step, "type");
    if (type == "Sequence")
      for (const auto& part : member(step, parts)) read_steps(part, parts);
    else if (!read_step(step, type))
      refuse("wanted the steps of SentencePiece, got " + printable(to_text(step), 160));
  }

  bool read_step(const Json& step, const Json& type) {
    const std::string mark(kSpaceMark);
    if (type == "Precompiled") {
      const auto& map = member(step, "precompiled_charsmap");
      const auto bytes = map.is_string() ? from_base64(map.get_ref<const std::string&>()) : std::nullopt;
      if (bytes) settings_.character_map = *bytes;
      return bytes.has_value();
    }
    if (type == "Metaspace") {
      settings_.escape_whitespaces = true;
      const auto& scheme = member(step, "prepend_scheme");
      settings_.add_dummy_prefix = scheme != "never" && member(step, "add_prefix_space") != false;
      const bool marks_words = settings_.add_dummy_prefix && scheme != "first";
      return member(step, "replacement") == mark && (marks_words || !splits_words_);
    }
    if (type == "Prepend") {
      settings_.add_dummy_prefix = true;
      return member(step, "prepend") == mark;
    }
    if (type == "Replace") {
      const auto &pattern = member(step, "pattern"), &content = member(step, "content");
      const bool is_collapse = pattern == Json{{"Regex", " {2,}"}} && (content == " " || content == mark);
      const bool is_escape = pattern == Json{{"String", " "}} && content == mark;
      settings_.remove_extra_whitespaces |= is_collapse;
      settings_.escape_whitespaces |= is_escape;
      const bool is_strip = pattern == Json{{"Regex", "\\A +|[ " + mark + "]+\\z"}};
      strips_ends_ |= is_strip;
      return is_collapse || is_escape || is_strip || pattern == Json{{"Regex", "\n"}};  // no line has line ends
    }
    if (type == "WhitespaceSplit") {
      splits_words_ = settings_.remove_extra_whitespaces = true;
      return !settings_.escape_whitespaces;
    }
    strips_ends_ |= type == "Strip";
    return type == "Strip";
  }

  const Json &tokenizer_, &model_;
  std::string name_;
  Refusals& refusals_;
  PieceTable table_;
  SentencePieceSettings settings_;
  bool strips_ends_ = false;   ///< spaces at the ends of a line
  bool splits_words_ = false;  ///< at spaces, before a step marks the words
};

}  // namespace

std::map<std::int64_t, std::string> added_pieces(const Json& tokenizer) {
  std::map<std::int64_t, std::string> pieces;
  for (auto& token : added_tokens(tokenizer)) pieces[static_cast<std::int64_t>(token.row)] = std::move(token.text);
  return pieces;
}

TokenizerJson read_tokenizer_json(const Json& tokenizer, const std::string& name, Refusals& refusals) {
  return Reader(tokenizer, name, refusals).read();
}

}  // namespace gloss
