#include "interchange/export/tokenizer_json.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/special_ids.h"
#include "common/text/format.h"
#include "common/text/split.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

using Segmentation = PieceTable::Segmentation;

Json replace(const char* kind, const std::string& pattern, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", {{kind, pattern}}}, {"content", content}};
}

/// Returns the steps of SentencePiece's normalization, in its order.
Json normalizer(const SentencePieceSettings& settings) {
  auto steps = Json::array();
  if (!settings.character_map.empty())
    steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64(settings.character_map)}});
  if (settings.remove_extra_whitespaces) {
    steps.push_back(replace("Regex", std::string("\\A +|[ ").append(kSpaceMark).append("]+\\z"), ""));
    steps.push_back(replace("Regex", " {2,}", " "));
  }
  if (settings.add_dummy_prefix) steps.push_back({{"type", "Prepend"}, {"prepend", kSpaceMark}});
  steps.push_back(replace("String", " ", std::string(kSpaceMark)));
  return {{"type", "Sequence"}, {"normalizers", steps}};
}

Json decoder(const SentencePieceSettings& settings) {
  const Json spaces = {{"type", "Metaspace"},
                       {"replacement", kSpaceMark},
                       {"prepend_scheme", settings.add_dummy_prefix ? "always" : "never"},
                       {"split", false}};
  if (!settings.byte_fallback) return spaces;
  return {{"type", "Sequence"}, {"decoders", {{{"type", "ByteFallback"}}, spaces}}};
}

Json post_processor(const std::string& eos) {
  const auto sequence = [](const char* id, int type) { return Json{{"Sequence", {{"id", id}, {"type_id", type}}}}; };
  const auto end = [&](int type) { return Json{{"SpecialToken", {{"id", eos}, {"type_id", type}}}}; };
  return {{"type", "TemplateProcessing"},
          {"single", {sequence("A", 0), end(0)}},
          {"pair", {sequence("A", 0), end(0), sequence("B", 1), end(1)}},
          {"special_tokens", {{eos, {{"id", eos}, {"ids", {kEos}}, {"tokens", {eos}}}}}}};
}

Json added_tokens(const std::vector<Piece>& pieces) {
  auto tokens = Json::array();
  for (Id id = 0; id < kSpecialIds; ++id)
    tokens.push_back({{"id", id},
                      {"content", pieces[static_cast<std::size_t>(id)].text},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", true}});
  return tokens;
}

Json unigram_model(const PieceTable& table, bool byte_fallback) {
  auto vocabulary = Json::array();
  for (const auto& piece : table.pieces) vocabulary.push_back({piece.text, piece.score});
  return {{"type", "Unigram"}, {"unk_id", kUnk}, {"vocab", vocabulary}, {"byte_fallback", byte_fallback}};
}

/// Returns the merges, best first. SentencePiece merges two neighbors into any piece; the score of the piece is its
/// rank. Pieces of a char model are never merged.
Json merges_of(const PieceTable& table) {
  auto merges = Json::array();
  if (table.segmentation == Segmentation::kCharacter) return merges;
  std::unordered_map<std::string_view, std::size_t> ids;
  std::vector<std::size_t> order;
  for (std::size_t id = 0; id < table.pieces.size(); ++id) {
    if (table.pieces[id].type != Piece::Type::kNormal) continue;
    ids[table.pieces[id].text] = id;
    order.push_back(id);
  }
  std::ranges::stable_sort(order, [&](auto a, auto b) { return table.pieces[a].score > table.pieces[b].score; });
  for (const auto id : order) {
    const std::string_view text = table.pieces[id].text;
    std::size_t end = 0;
    for (const auto character : characters_of(text)) {
      end += character.size();
      const auto left = text.substr(0, end), right = text.substr(end);
      if (ids.contains(left) && ids.contains(right)) merges.push_back(std::string(left) + ' ' + std::string(right));
    }
  }
  return merges;
}

Json bpe_model(const PieceTable& table, bool byte_fallback) {
  auto vocabulary = Json::object();
  for (std::size_t id = 0; id < table.pieces.size(); ++id) vocabulary[table.pieces[id].text] = id;
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", table.pieces[kUnk].text},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", byte_fallback},
          {"vocab", vocabulary},
          {"merges", merges_of(table)}};
}

}  // namespace

void check_tokenizer_json(std::string_view sentencepiece, const std::string& name, Refusals& refusals) {
  const auto table = read_piece_table(sentencepiece);
  const auto settings = read_sentencepiece_settings(sentencepiece);
  const auto start = name + ": ";
  refusals.require(table.segmentation != Segmentation::kWord,
                   start + "wanted a model of type bpe, unigram or char, got word");
  refusals.require(settings.escape_whitespaces, start + "wanted escape_whitespaces true, got false");
  refusals.require(!settings.whitespace_as_suffix, start + "wanted treat_whitespace_as_suffix false, got true");
  refusals.require(!settings.rewrites_output, start + "wanted no normalization of the output, got one");
  for (const auto& piece : table.pieces) {
    refusals.require(piece.type != Piece::Type::kUserDefined, start + "wanted no user-defined pieces, got some");
    refusals.require(piece.type != Piece::Type::kUnused, start + "wanted no unused pieces, got some");
    refusals.require(piece.text.find(' ') == piece.text.npos, start + "wanted pieces without spaces, got some");
  }
}

Json tokenizer_json(std::string_view sentencepiece) {
  const auto table = read_piece_table(sentencepiece);
  const auto settings = read_sentencepiece_settings(sentencepiece);
  const bool is_unigram = table.segmentation == Segmentation::kUnigram;
  return {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added_tokens(table.pieces)},
      {"normalizer", normalizer(settings)},
      {"pre_tokenizer", nullptr},
      {"post_processor", post_processor(table.pieces[kEos].text)},
      {"decoder", decoder(settings)},
      {"model", is_unigram ? unigram_model(table, settings.byte_fallback) : bpe_model(table, settings.byte_fallback)}};
}

Json special_tokens_json(std::string_view sentencepiece) {
  const auto pieces = read_piece_table(sentencepiece).pieces;
  return {{"pad_token", pieces[kPad].text},
          {"unk_token", pieces[kUnk].text},
          {"bos_token", pieces[kBos].text},
          {"eos_token", pieces[kEos].text}};
}

Json tokenizer_config_json(std::string_view sentencepiece, std::int64_t max_length) {
  auto config = special_tokens_json(sentencepiece);
  config.update({{"tokenizer_class", "PreTrainedTokenizerFast"},
                 {"model_max_length", max_length},
                 {"padding_side", "right"},
                 {"split_special_tokens", true},
                 {"model_input_names", {"input_ids", "attention_mask"}},
                 {"clean_up_tokenization_spaces", false}});
  return config;
}

}  // namespace gloss
