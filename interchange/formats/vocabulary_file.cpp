#include "interchange/formats/vocabulary_file.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/yaml.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

// Collects pieces with their ids, in any order.
class Pieces {
 public:
  Pieces(std::string name, std::size_t count) : name_(std::move(name)), pieces_(count), places_(count) {
    if (count == 0) fail("", "wanted pieces, got none");
    if (count > kMaxVocabularyPieces)
      fail("", "wanted at most " + std::to_string(kMaxVocabularyPieces) + " pieces, got " + std::to_string(count));
  }

  /// Adds a piece. `place` is its place in the file, for messages: "line 7".
  void put(std::string piece, std::uint64_t id, std::string place) {
    if (piece.empty()) fail(place, "wanted a piece, got an empty text");
    if (piece.size() > TokenizerConfig::kMaxPieceBytes)
      fail(place, "wanted a piece of at most " + std::to_string(TokenizerConfig::kMaxPieceBytes) + " bytes, got " +
                      std::to_string(piece.size()));
    if (!is_text(piece)) fail(place, "wanted a piece in UTF-8 without NUL bytes, got \"" + printable(piece, 80) + '"');
    if (id >= pieces_.size())
      fail(place, "wanted an id from 0 to " + std::to_string(pieces_.size() - 1) + ", since there are " +
                      std::to_string(pieces_.size()) + " pieces, got " + std::to_string(id));
    if (!pieces_[id].empty())
      fail(place, "wanted each id once, got " + std::to_string(id) + " again, which " + places_[id] + " has");
    pieces_[id] = std::move(piece);
    places_[id] = std::move(place);
  }

  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw ModelError(name_ + ": " + (place.empty() ? "" : place + ": ") + what);
  }

  /// Returns the pieces by id. Each id has one, since there are as many ids as pieces and none is repeated.
  std::vector<std::string> take() {
    std::unordered_map<std::string_view, std::size_t> ids;
    for (std::size_t id = 0; id < pieces_.size(); ++id)
      if (const auto [other, added] = ids.emplace(pieces_[id], id); !added)
        fail(places_[id], "wanted each piece once, got \"" + printable(pieces_[id], 80) + "\" again, which " +
                              places_[other->second] + " has");
    return std::move(pieces_);
  }

 private:
  std::string name_;
  std::vector<std::string> pieces_, places_;  // by id
};

std::vector<std::string> parse_yaml_pieces(std::string_view text, const std::string& name) {
  auto root = parse_yaml(text, name, {.bytes = kMaxVocabularyBytes, .nodes = 2 * kMaxVocabularyPieces + 1, .depth = 1});
  if (root.kind != YamlNode::Kind::kMap) throw ModelError(name + ": wanted lines \"piece: id\", got something else");
  Pieces pieces(name, root.items.size());
  for (auto& value : root.items) {
    auto place = "line " + std::to_string(value.line);
    const auto id = parse_number<std::uint64_t>(value.text);
    if (value.kind != YamlNode::Kind::kScalar || !id)
      pieces.fail(place, "piece \"" + printable(value.key, 80) + "\": wanted a whole number from 0 as its id, got " +
                             (value.text.empty() ? "none" : '"' + printable(value.text, 80) + '"'));
    pieces.put(std::move(value.key), *id, std::move(place));
  }
  return pieces.take();
}

std::vector<std::string> parse_json_pieces(std::string_view text, const std::string& name) {
  const auto json = parse_model_json(text, name, 1);
  if (!json.is_object()) throw ModelError(name + ": wanted a JSON object of pieces and ids, got something else");
  Pieces pieces(name, json.size());
  for (const auto& [piece, id] : json.items()) {
    auto place = "piece \"" + printable(piece, 80) + '"';
    if (!id.is_number_unsigned())
      pieces.fail(place, "wanted a whole number from 0 as its id, got " + printable(to_text(id), 80));
    pieces.put(piece, id.get<std::uint64_t>(), std::move(place));
  }
  return pieces.take();
}

std::vector<std::string> parse_json_list(std::string_view text, const std::string& name) {
  const auto json = parse_model_json(text, name, 1);
  if (!json.is_array()) throw ModelError(name + ": wanted a JSON list of pieces, got something else");
  Pieces pieces(name, json.size());
  for (std::size_t id = 0; id < json.size(); ++id) {
    auto place = "piece " + std::to_string(id);
    if (!json[id].is_string()) pieces.fail(place, "wanted a text, got " + printable(to_text(json[id]), 80));
    pieces.put(json[id].get<std::string>(), id, std::move(place));
  }
  return pieces.take();
}

/// Removes the scores if each line has one after a tab, as in the .vocab files of SentencePiece.
void remove_scores(std::vector<std::string_view>& lines) {
  const auto is_scored = [](std::string_view line) {
    const auto tab = line.rfind('\t');
    if (tab == 0 || tab == line.npos) return false;
    return parse_number<double>(line.substr(tab + 1)).has_value();
  };
  if (!std::ranges::all_of(lines, is_scored)) return;
  for (auto& line : lines) line = line.substr(0, line.rfind('\t'));
}

std::vector<std::string> parse_lines(std::string_view text, const std::string& name) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (lines.size() > kMaxVocabularyPieces) break;  // refused below
  }
  remove_scores(lines);
  Pieces pieces(name, lines.size());
  for (std::size_t id = 0; id < lines.size(); ++id)
    pieces.put(std::string(lines[id]), id, "line " + std::to_string(id + 1));
  return pieces.take();
}

std::vector<std::string> parse_sentencepiece(std::string_view bytes, const std::string& name) {
  check_sentencepiece_model(bytes, name);
  expect_complete_sentencepiece(bytes, name);
  auto table = read_piece_table(bytes).pieces;
  Pieces pieces(name, table.size());
  for (std::size_t id = 0; id < table.size(); ++id)
    pieces.put(std::move(table[id].text), id, "piece " + std::to_string(id));
  return pieces.take();
}

std::vector<std::string> parse_pieces(Vocabulary::Kind kind, std::string_view bytes, const std::string& name) {
  switch (kind) {
    case Vocabulary::Kind::kYaml:
      return parse_yaml_pieces(bytes, name);
    case Vocabulary::Kind::kJson:
      return parse_json_pieces(bytes, name);
    case Vocabulary::Kind::kJsonList:
      return parse_json_list(bytes, name);
    case Vocabulary::Kind::kSentencePiece:
      return parse_sentencepiece(bytes, name);
    case Vocabulary::Kind::kText:
      break;
  }
  return parse_lines(bytes, name);
}

}  // namespace

Vocabulary read_vocabulary(const std::filesystem::path& path) {
  const auto ending = unpacked_path(path).extension().string();
  auto kind = Vocabulary::Kind::kText;
  if (ending == ".yml" || ending == ".yaml") kind = Vocabulary::Kind::kYaml;
  if (ending == ".json") kind = Vocabulary::Kind::kJson;
  if (ending == ".spm" || ending == ".model") kind = Vocabulary::Kind::kSentencePiece;
  return parse_vocabulary(kind, read_model_text(path, kMaxVocabularyBytes), printable(path.string()));
}

Vocabulary parse_vocabulary(Vocabulary::Kind kind, std::string bytes, std::string name) {
  Vocabulary vocabulary;
  vocabulary.kind = kind;
  vocabulary.pieces = parse_pieces(kind, bytes, name);
  vocabulary.name = std::move(name);
  if (kind == Vocabulary::Kind::kSentencePiece) vocabulary.sentencepiece = std::move(bytes);
  return vocabulary;
}

}  // namespace gloss
