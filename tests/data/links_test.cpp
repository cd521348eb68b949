#include "data/links.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string fault(const std::string& text, Links& links) { return read_links({.text = text}, 3, 4, links); }

std::string fault(const std::string& text) {
  Links links;
  return fault(text, links);
}

TEST(LinksTest, AreSortedByTargetAndKeptOnce) {
  Links links;
  EXPECT_EQ(fault("2-3 0-0 1-0  0-0 2-1 ", links), "");
  EXPECT_THAT(links.source, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(links.target, ElementsAre(0, 0, 1, 3));
  EXPECT_EQ(fault("", links), "");
  EXPECT_THAT(links.source, IsEmpty());
}

TEST(LinksTest, OtherFormsAreRefusedWithTheWord) {
  for (const auto* word : {"0", "0-", "-0", "0-0-0", "0:0", "a-b", "1-1x", "0--1", "+0-0", "99999999999-0", "0-0,1-1"})
    EXPECT_THAT(fault("0-0 " + std::string(word) + " 1-1"), HasSubstr(std::string("0-0 1-2, got ") + word)) << word;
  EXPECT_THAT(read_links({.text = "0-0", .cut = true}, 3, 4, *std::make_unique<Links>()), HasSubstr("65536 bytes"));
}

TEST(LinksTest, PiecesOutsideThePairAreRefused) {
  EXPECT_EQ(fault("2-3"), "");
  EXPECT_THAT(fault("0-0 3-0"), HasSubstr("3 and 4 pieces of the pair, from 0, got 3-0"));
  EXPECT_THAT(fault("0-4 0-0"), HasSubstr("got 0-4"));
}

}  // namespace
}  // namespace gloss
