#include "translation/models/lexical_shortlist.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/text_pairs.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

using PieceIds = std::unordered_map<std::string, Id>;

PieceIds ids_of_pieces(const Tokenizer& tokenizer) {
  PieceIds ids;
  for (auto id = static_cast<Id>(kSpecialIds); id < tokenizer.vocabulary_size(); ++id)
    ids.emplace(tokenizer.piece(id), id);
  return ids;
}

struct LexicalEntry {
  std::string target, source;
  double probability;
};

std::optional<LexicalEntry> lexical_entry(std::string_view line) {
  const auto parts = split_text(line, ' ');
  const auto probability = parts.size() == 3 ? parse_number<double>(parts[2]) : std::nullopt;
  if (!probability || !std::isfinite(*probability) || parts[0].empty() || parts[1].empty()) return std::nullopt;
  return LexicalEntry{std::string(parts[0]), std::string(parts[1]), *probability};
}

}  // namespace

std::shared_ptr<const Shortlist> read_lexical_shortlist(const std::filesystem::path& path, const Tokenizer& source,
                                                        const Tokenizer& target, const ShortlistSizes& sizes) {
  const auto sources = ids_of_pieces(source), targets = ids_of_pieces(target);
  std::vector<std::vector<std::pair<double, Id>>> proposed(static_cast<std::size_t>(source.vocabulary_size()));
  bool has_pieces = false;
  TextLines lines(path, Passes::kOne);
  for (std::string line; lines.next(line);) {
    const auto entry = lexical_entry(line);
    if (!entry)
      throw DataError(printable(path.string()) + ", line " + std::to_string(lines.count()) +
                      ": wanted \"target source probability\", got \"" + printable(line) + '"');
    const auto from = sources.find(entry->source), to = targets.find(entry->target);
    if (from == sources.end() || to == targets.end()) continue;
    proposed[static_cast<std::size_t>(from->second)].emplace_back(-entry->probability, to->second);
    has_pieces = true;
  }
  if (!has_pieces)
    throw DataError(printable(path.string()) +
                    ": wanted pieces of the model's tokenizers, got none; align the pieces "
                    "with gloss align --model");
  const bool is_shared = source.serialized() == target.serialized();
  Shortlist::Table table{.offsets = {0}, .tokens = {}, .always = {kUnk, kEos}};
  for (auto id = static_cast<Id>(kSpecialIds);
       id < target.vocabulary_size() && table.always.size() < sizes.frequent + 2; ++id)
    table.always.push_back(id);
  for (std::size_t piece = 0; piece < proposed.size(); ++piece) {
    auto& tokens = proposed[piece];
    std::ranges::sort(tokens);  // the most likely first
    tokens.resize(std::min(tokens.size(), sizes.best));
    for (const auto& [probability, id] : tokens) table.tokens.push_back(id);
    if (is_shared && std::cmp_greater_equal(piece, kSpecialIds)) table.tokens.push_back(static_cast<Id>(piece));
    table.offsets.push_back(static_cast<std::int32_t>(table.tokens.size()));
  }
  return std::make_shared<Shortlist>(std::move(table),
                                     Vocabularies{source.vocabulary_size(), target.vocabulary_size()});
}

}  // namespace gloss
