#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/special_ids.h"
#include "common/text/word_links.h"

namespace gloss {

/// The links of both directions that stay (Koehn, Och and Marcu 2003; Koehn et al. 2005).
enum class Symmetrization { kGrowDiagFinalAnd, kGrowDiagFinal, kGrowDiag, kIntersect, kUnion, kForward, kReverse };

/// Their names in options.
inline constexpr std::array<std::pair<std::string_view, Symmetrization>, 7> kSymmetrizations{
    {{"grow-diag-final-and", Symmetrization::kGrowDiagFinalAnd},
     {"grow-diag-final", Symmetrization::kGrowDiagFinal},
     {"grow-diag", Symmetrization::kGrowDiag},
     {"intersect", Symmetrization::kIntersect},
     {"union", Symmetrization::kUnion},
     {"forward", Symmetrization::kForward},
     {"reverse", Symmetrization::kReverse}}};

/// Links of one pair of sentences in both directions; -1: none.
struct DirectedLinks {
  std::vector<Id> source_of_target;  ///< position in the source of each target word, of the forward direction
  std::vector<Id> target_of_source;  ///< position in the target of each source word, of the reverse direction
};

/// Returns the links that stay, sorted by source, then target. Grow-diag begins with the intersection and adds links of
/// the union that touch a link, also diagonally, and have an unlinked word. It tries them by source, then target, again
/// and again until none can be added. `final` adds links of the forward, then of the reverse direction that have an
/// unlinked word; `final-and` those whose words are both unlinked.
std::vector<WordLink> symmetrized(const DirectedLinks& links, Symmetrization kind);

}  // namespace gloss
