#include "alignment/symmetrization.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/alignment/word_golden.h"

namespace gloss {
namespace {

using Links = std::vector<WordLink>;

bool has(const Links& links, const WordLink& link) { return std::ranges::find(links, link) != links.end(); }

DirectedLinks random_links(std::mt19937& random, int sources, int targets) {
  DirectedLinks links;
  for (int i = 0; i < targets; ++i)
    links.source_of_target.push_back(std::uniform_int_distribution(-1, sources - 1)(random));
  for (int i = 0; i < sources; ++i)
    links.target_of_source.push_back(std::uniform_int_distribution(-1, targets - 1)(random));
  return links;
}

/// The definition with sets of links, which are searched from end to end.
Links by_definition(const Links& forward, const Links& reverse, Symmetrization kind) {
  Links grown, either = forward;
  for (const auto& link : reverse) (has(forward, link) ? grown : either).push_back(link);
  std::ranges::sort(either);
  const auto linked = [&](const WordLink& link) {
    return std::pair(std::ranges::any_of(grown, [&](const auto& other) { return other.source == link.source; }),
                     std::ranges::any_of(grown, [&](const auto& other) { return other.target == link.target; }));
  };
  const auto touches = [&](const WordLink& link) {
    return std::ranges::any_of(grown, [&](const auto& other) {
      return std::abs(other.source - link.source) <= 1 && std::abs(other.target - link.target) <= 1;
    });
  };
  for (bool again = true; again;) {
    again = false;
    for (const auto& link : either)
      if (const auto [source, target] = linked(link); !(source && target) && touches(link)) {
        grown.push_back(link);
        again = true;
      }
  }
  for (const auto* links : {&forward, &reverse})
    for (const auto& link : *links) {
      const auto [source, target] = linked(link);
      if ((kind == Symmetrization::kGrowDiagFinal && !(source && target)) ||
          (kind == Symmetrization::kGrowDiagFinalAnd && !source && !target))
        grown.push_back(link);
    }
  std::ranges::sort(grown);
  return grown;
}

TEST(SymmetrizationTest, GrownLinksAreThoseOfTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto links = random_links(random, 1 + i % 7, 1 + i / 7 % 6);
    const auto forward = symmetrized(links, Symmetrization::kForward),
               reverse = symmetrized(links, Symmetrization::kReverse);
    for (const auto kind :
         {Symmetrization::kGrowDiag, Symmetrization::kGrowDiagFinal, Symmetrization::kGrowDiagFinalAnd})
      ASSERT_EQ(symmetrized(links, kind), by_definition(forward, reverse, kind)) << i;
  }
}

TEST(SymmetrizationTest, DirectionsAndSetsOfThem) {
  const DirectedLinks links{{0, 0, -1, 2}, {0, 3, 2}};
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kForward)), "0-0 0-1 2-3");
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kReverse)), "0-0 1-3 2-2");
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kIntersect)), "0-0");
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kUnion)), "0-0 0-1 1-3 2-2 2-3");
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kGrowDiag)), "0-0 0-1");
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kGrowDiagFinal)), "0-0 0-1 1-3 2-2 2-3");
  EXPECT_EQ(to_pharaoh(symmetrized(links, Symmetrization::kGrowDiagFinalAnd)), "0-0 0-1 2-3");
  for (const auto& [name, kind] : kSymmetrizations) EXPECT_TRUE(symmetrized({}, kind).empty()) << name;
}

TEST(SymmetrizationTest, LinksEqualThoseOfAtools) {
  const auto golden = word_golden();
  int compared = 0;
  for (const auto& [setting, results] : golden.at("settings").items())
    for (std::size_t i = 0; i < golden.at("source").size(); ++i) {
      const NumberedTexts text({golden.at("source")[i]}, {golden.at("target")[i]});
      DirectedLinks links{Ids(text.lines[0].target.size(), -1), Ids(text.lines[0].source.size(), -1)};
      for (const auto& [source, target] : links_in(results.at("forward")[i]))
        links.source_of_target[static_cast<std::size_t>(target)] = source;
      for (const auto& [source, target] : links_in(results.at("reverse")[i]))
        links.target_of_source[static_cast<std::size_t>(source)] = target;
      for (const auto& [name, kind] : kSymmetrizations)
        if (kind != Symmetrization::kForward && kind != Symmetrization::kReverse) {
          EXPECT_EQ(to_pharaoh(symmetrized(links, kind)), results.at(std::string(name))[i]) << name;
          ++compared;
        }
    }
  EXPECT_EQ(compared, 2 * 100 * 5);
}

}  // namespace
}  // namespace gloss
