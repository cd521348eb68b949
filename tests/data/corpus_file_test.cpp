#include <cstring>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/sha256.h"
#include "data/corpus_writer.h"
#include "data/parallel_corpus.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kPairs = 150;  // more than two starts

Ids sentence(std::int64_t pair, Id seed) {
  Ids ids;
  for (Id i = 0; i < (pair * seed) % 7 + 1; ++i) ids.push_back(4 + (static_cast<Id>(pair) * seed + i) % 60'000);
  return ids;
}

CorpusReport some_report() {
  CorpusReport report{.lines = 999, .invalid_utf8 = {}, .empty = {}, .too_long = {}, .crlf = true};
  for (const auto line : {3, 5, 8, 13, 21, 34}) report.empty.note(line);
  report.too_long.note(7);
  return report;
}

std::string file_of(std::int64_t vocabulary_size, std::int64_t longest, std::int64_t pairs = kPairs) {
  std::string file;
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) { file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); },
      vocabulary_size, longest);
  for (std::int64_t i = 0; i < pairs; ++i) writer.add(sentence(i, 3), sentence(i, 5));
  writer.finish({{"text", "abc"}}, some_report());
  return file;
}

ParallelCorpus open(const std::string& bytes) {
  const auto file = open_memory_file();
  if (!write_all(file, std::as_bytes(std::span(bytes)))) throw_io_error("memory", "write");
  return ParallelCorpus::open(MappedFile(file, "memory"), "the file");
}

TEST(CorpusFileTest, GivesBackWhatWasPutInInEachWidth) {
  for (const std::int64_t vocabulary_size : {65'536, 65'537})
    for (const std::int64_t longest : {65'535, 65'536, 0}) {
      const auto corpus = open(file_of(vocabulary_size, longest));
      ASSERT_EQ(corpus.size(), kPairs);
      for (std::int64_t i = 0; i < kPairs; ++i) {
        EXPECT_EQ(corpus.source(i), sentence(i, 3));
        EXPECT_EQ(corpus.target(i), sentence(i, 5));
        EXPECT_EQ(corpus.source_length(i), std::ssize(sentence(i, 3)));
        EXPECT_EQ(corpus.target_length(i), std::ssize(sentence(i, 5)));
      }
    }
}

TEST(CorpusFileTest, SmallNumbersTakeTwoBytes) {
  const auto small = file_of(65'536, 65'535), ids = file_of(65'537, 65'535), both = file_of(65'537, 65'536);
  std::size_t tokens = 0;
  for (std::int64_t i = 0; i < kPairs; ++i) tokens += sentence(i, 3).size() + sentence(i, 5).size();
  EXPECT_NEAR(static_cast<double>(ids.size() - small.size()), static_cast<double>(2 * tokens), 8);
  EXPECT_NEAR(static_cast<double>(both.size() - ids.size()), static_cast<double>(2 * 2 * kPairs), 8);
}

TEST(CorpusFileTest, KeepsKeyAndReport) {
  const auto corpus = open(file_of(100'000, 0));
  EXPECT_EQ(corpus.key(), (Json{{"text", "abc"}}));
  EXPECT_EQ(to_json(corpus.report()), to_json(some_report()));
  EXPECT_EQ(corpus.report().empty.count, 6);
  EXPECT_THAT(corpus.report().empty.first_lines, ElementsAre(3, 5, 8, 13, 21));
}

TEST(CorpusFileTest, TheHashIsOverLengthsAndIdsInAnyWidth) {
  Sha256 sum;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    const auto source = sentence(i, 3), target = sentence(i, 5);
    const Ids lengths{static_cast<Id>(source.size()), static_cast<Id>(target.size())};
    for (const auto* ids : {&lengths, &source, &target}) sum.update(std::as_bytes(std::span(*ids)));
  }
  const auto wanted = sum.hex();
  EXPECT_EQ(open(file_of(100, 100)).hash(), wanted);
  EXPECT_EQ(open(file_of(100'000, 0)).hash(), wanted);
  EXPECT_NE(open(file_of(100, 100, kPairs - 1)).hash(), wanted);
}

TEST(CorpusFileTest, EveryWrongByteShows) {
  const auto good = file_of(65'536, 256, 70);
  ASSERT_NO_THROW(open(good));
  for (std::size_t place = 0; place < good.size(); ++place) {
    auto bad = good;
    bad[place] = static_cast<char>(bad[place] ^ (1 << place % 8));
    EXPECT_THROW(open(bad), DataError) << place;
  }
}

TEST(CorpusFileTest, WhatIsCutOffOrLongerIsRefused) {
  const auto good = file_of(65'536, 256, 70);
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_THROW(open(good.substr(0, size)), DataError) << size;
  EXPECT_THROW(open(good + '\0'), DataError);
  EXPECT_THROW(open(good.substr(0, 16) + "12345678" + good.substr(16)), DataError);
  EXPECT_THAT([] { open("something else"); },
              ThrowsMessage<DataError>(HasSubstr("the file: wanted a corpus file, got something else")));
}

// The sums do not make a file honest: with sums that fit, nothing may be read outside it.
TEST(CorpusFileTest, SizesThatCannotBeAreRefusedAlsoUnderARightSum) {
  const auto good = file_of(65'536, 256, 70);
  const auto begin = good.rfind("{\"hash"), end = good.size() - 64 - 8 - 8;
  const auto footer = parse_json(std::string_view(good).substr(begin, end - begin));
  const auto with = [&](const char* key, const Json& value) {
    auto changed = footer;
    changed[key] = value;
    const auto text = to_text(changed);
    const std::uint64_t size = text.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    return good.substr(0, begin) + text + sha256(text) + bytes + "\ncorpus\n";
  };
  ASSERT_NO_THROW(open(with("pairs", footer.at("pairs"))));
  for (const auto& [key, value] : std::vector<std::pair<const char*, Json>>{{"pairs", 71},
                                                                            {"pairs", 1ull << 62},
                                                                            {"pairs", -1},
                                                                            {"pairs", "70"},
                                                                            {"ids", 1ull << 63},
                                                                            {"ids", 3},
                                                                            {"id_bytes", 4},
                                                                            {"id_bytes", 0},
                                                                            {"length_bytes", 8},
                                                                            {"report", Json::array()},
                                                                            {"key", Json()}})
    if (key == std::string("key"))
      EXPECT_TRUE(open(with(key, value)).key().is_null());
    else
      EXPECT_THROW(open(with(key, value)), DataError) << key << ' ' << value;
}

TEST(CorpusFileTest, APairThatIsDamagedLaterIsRefusedWhenItIsRead) {
  const TemporaryFolder folder;
  std::ofstream(folder / "corpus", std::ios::binary) << file_of(65'536, 256);
  const auto corpus =
      ParallelCorpus::open(MappedFile(open_regular_file(folder / "corpus")->descriptor, "corpus"), "the file");
  const std::vector<std::int64_t> first{0}, second{1};
  EXPECT_NO_THROW(corpus.batch(first));
  std::fstream file(folder / "corpus", std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(16).put('\x7f').flush();
  EXPECT_THAT([&] { corpus.batch(first); },
              ThrowsMessage<DataError>(HasSubstr("the file: pair 0 is damaged; remove the file")));
  EXPECT_NO_THROW(corpus.batch(second));
}

}  // namespace
}  // namespace gloss
