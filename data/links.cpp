#include "data/links.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {

std::string read_links(const TextLine& line, std::int64_t source_pieces, std::int64_t target_pieces, Links& links) {
  if (line.cut) return "wanted at most " + std::to_string(LineReader::kMaxLineBytes) + " bytes";
  std::set<std::pair<Id, Id>> sorted;  // target and source
  for (const auto word : split_text(line.text, ' ')) {
    if (word.empty()) continue;
    const auto hyphen = std::min(word.find('-'), word.size() - 1);
    const auto source = parse_number<std::uint32_t>(word.substr(0, hyphen));
    const auto target = parse_number<std::uint32_t>(word.substr(hyphen + 1));
    if (!source || !target) return "wanted links such as 0-0 1-2, got " + printable(std::string(word));
    if (*source >= source_pieces || *target >= target_pieces)
      return "wanted links of the " + std::to_string(source_pieces) + " and " + std::to_string(target_pieces) +
             " pieces of the pair, from 0, got " + printable(std::string(word));
    sorted.emplace(static_cast<Id>(*target), static_cast<Id>(*source));
  }
  links = {};
  for (const auto& [target, source] : sorted) {
    links.source.push_back(source);
    links.target.push_back(target);
  }
  return {};
}

}  // namespace gloss
