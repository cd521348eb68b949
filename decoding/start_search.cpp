#include "decoding/search.h"

namespace gloss {

std::unique_ptr<Scorer::State> start_search(const Scorer& scorer, const PaddedIds& source, const DecodingConfig& config,
                                            const SearchInputs& given) {
  if (!config.shortlist) return scorer.start(source);
  const auto V = scorer.vocabulary_size();
  std::vector<Ids> wanted(source.lengths.size());
  const auto add = [&](std::size_t b, const Ids& ids) {
    for (const auto id : ids)
      if (id >= 0 && id < V) wanted[b].push_back(id);  // the search refuses others
  };
  for (std::size_t b = 0; b < given.prefixes.size(); ++b) add(b, given.prefixes[b]);
  for (std::size_t b = 0; b < given.phrases.size(); ++b)
    for (const auto& phrase : given.phrases[b]) add(b, phrase.ids);
  return scorer.start_with_shortlist(source, wanted);
}

}  // namespace gloss
