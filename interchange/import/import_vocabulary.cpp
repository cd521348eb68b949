#include "interchange/import/import_vocabulary.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace gloss {
namespace {

/// Returns the language of ">>deu<<"; empty for another piece.
std::string_view opus_language(std::string_view piece) {
  constexpr std::string_view kBegin = ">>", kEnd = "<<";
  if (piece.size() <= kBegin.size() + kEnd.size() || !piece.starts_with(kBegin) || !piece.ends_with(kEnd)) return {};
  const auto language = piece.substr(kBegin.size(), piece.size() - kBegin.size() - kEnd.size());
  const auto is_of_tag = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return std::ranges::all_of(language, is_of_tag) ? language : std::string_view{};
}

}  // namespace

MappedVocabulary mapped_vocabulary(const std::vector<std::string>& pieces, const PieceRows& rows,
                                   MappedVocabulary::Normalizer normalizer) {
  MappedVocabulary result;
  result.pieces = {"<pad>", "<unk>", "<s>", "</s>"};
  result.normalizer = normalizer;
  const std::set<std::string_view> known(pieces.begin(), pieces.end());
  for (std::size_t id = kSpecialIds; id < rows.rows.size(); ++id) {
    const auto row = static_cast<std::size_t>(rows.rows[id]);
    if (row < pieces.size()) {
      result.pieces.push_back(pieces[row]);
      if (const auto language = opus_language(pieces[row]); !language.empty())
        result.languages.emplace(language, static_cast<Id>(id));
      continue;
    }
    auto name = "<unused-" + std::to_string(row) + '>';
    while (known.contains(name)) name += '>';
    result.pieces.push_back(name);
  }
  return result;
}

}  // namespace gloss
