#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/sha256.h"
#include "data/corpus_writer.h"
#include "data/parallel_corpus.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kPairs = 150;  // more than two blocks of the index

Ids sentence(std::int64_t pair, Id seed) {
  Ids ids;
  for (Id i = 0; i < (pair * seed) % 7 + 1; ++i) ids.push_back(4 + (static_cast<Id>(pair) * seed + i) % 60'000);
  return ids;
}

CorpusReport some_report(std::int64_t pairs) {
  CorpusReport report{.lines = 999, .pairs = pairs, .invalid_utf8 = {}, .empty = {}, .too_long = {}, .crlf = true};
  for (const auto line : {3, 5, 8, 13, 21, 34}) report.empty.note(line);
  report.too_long.note(7);
  report.ratio.note(9);
  report.copied.note(10);
  report.repeated.note(11);
  return report;
}

// Writes a file of two texts; the first has `first` pairs.
std::string file_of(std::int64_t vocabulary_size, std::int64_t longest, std::int64_t pairs = kPairs,
                    std::int64_t first = 20, std::int64_t more = 0) {
  std::string file;
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) { file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); },
      vocabulary_size, longest);
  for (std::int64_t i = 0; i < pairs; ++i) writer.add(sentence(i, 3), sentence(i, 5));
  writer.finish({{"text", "abc"}}, std::vector{some_report(first), some_report(pairs - first + more)});
  return file;
}

ParallelCorpus open(const std::string& bytes) {
  const auto file = open_memory_file();
  if (!write_all(file, std::as_bytes(std::span(bytes)))) throw_io_error("memory", "write");
  return ParallelCorpus::open(MappedFile(file, "memory"), "the file");
}

TEST(CorpusFileTest, ReturnsTheWrittenPairsInEachWidth) {
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
  ASSERT_EQ(corpus.reports().size(), 2u);
  EXPECT_EQ(to_json(corpus.reports()[0]), to_json(some_report(20)));
  EXPECT_EQ(corpus.reports()[1].pairs, kPairs - 20);
  EXPECT_EQ(corpus.reports()[0].empty.count, 6);
  EXPECT_THAT(corpus.reports()[0].empty.first_lines, ElementsAre(3, 5, 8, 13, 21));
}

TEST(CorpusReportTest, AReportOfAVersionWithoutFiltersIsRead) {
  auto json = to_json(some_report(3));
  for (const auto* key : {"ratio", "copied", "repeated"}) json.erase(key);
  const auto report = read_corpus_report(json);
  EXPECT_THAT(report.too_long.first_lines, ElementsAre(7));
  for (const auto* lines : {&report.ratio, &report.copied, &report.repeated}) EXPECT_EQ(lines->count, 0);
  json.erase("too_long");
  EXPECT_THROW(read_corpus_report(json), Json::exception);
}

TEST(CorpusFileTest, TextsOfOtherPairsThanTheFileHasAreRefused) {
  const auto refused = [](std::int64_t first, std::int64_t more) {
    EXPECT_THAT([&] { open(file_of(100, 100, kPairs, first, more)); },
                ThrowsMessage<DataError>(HasSubstr("pairs than the file has")));
  };
  refused(20, 1);
  refused(20, -1);
  refused(-1, 0);
  refused(kPairs + 1, 0);
  refused(std::numeric_limits<std::int64_t>::max(), 0);
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

TEST(CorpusFileTest, EveryWrongByteIsDetected) {
  const auto good = file_of(65'536, 256, 70);
  ASSERT_NO_THROW(open(good));
  for (std::size_t place = 0; place < good.size(); ++place) {
    auto bad = good;
    bad[place] = static_cast<char>(bad[place] ^ (1 << place % 8));
    EXPECT_THROW(open(bad), DataError) << place;
  }
}

TEST(CorpusFileTest, TruncatedOrLongerFilesAreRefused) {
  const auto good = file_of(65'536, 256, 70);
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_THROW(open(good.substr(0, size)), DataError) << size;
  EXPECT_THROW(open(good + '\0'), DataError);
  for (const auto place : {std::size_t{16}, good.rfind("{\"hash")})
    EXPECT_THROW(open(good.substr(0, place) + "12345678" + good.substr(place)), DataError);
  EXPECT_THAT([] { open("something else"); },
              ThrowsMessage<DataError>(HasSubstr("the file: wanted a corpus file, got something else")));
}

// Valid sums do not prove that a file is valid: nothing may be read outside it.

std::size_t footer_begin(const std::string& file) { return file.rfind("{\"hash"); }

Json footer_of(const std::string& file) {
  const auto begin = footer_begin(file);
  return parse_json(std::string_view(file).substr(begin, file.size() - 64 - 8 - 8 - begin));
}

std::string with_footer(const std::string& file, const Json& footer) {
  const auto text = to_text(footer);
  const std::uint64_t size = text.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return file.substr(0, footer_begin(file)) + text + sha256(text) + bytes + "\ncorpus\n";
}

CorpusLayout layout_of(const Json& footer) {
  return {.pairs = footer.at("pairs"),
          .ids = footer.at("ids"),
          .id_bytes = footer.at("id_bytes"),
          .length_bytes = footer.at("length_bytes")};
}

TEST(CorpusFileTest, ImpossibleSizesAreRefusedDespiteAValidSum) {
  const auto good = file_of(65'536, 256, 70);
  const auto footer = footer_of(good);
  const auto with = [&](const char* key, const Json& value) {
    auto changed = footer;
    changed[key] = value;
    return with_footer(good, changed);
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
                                                                            {"texts", Json::array({3})},
                                                                            {"key", Json()}})
    if (key == std::string("key"))
      EXPECT_TRUE(open(with(key, value)).key().is_null());
    else
      EXPECT_THROW(open(with(key, value)), DataError) << key << ' ' << value;
}

TEST(CorpusFileTest, AWrongIndexIsRefusedDespiteValidSums) {
  const auto good = file_of(65'536, 256, 70);
  const auto layout = layout_of(footer_of(good));
  const auto last_length = layout.target_lengths_at() + 69 * 2, second_start = layout.starts_at() + 8;
  const auto changed = [&](std::uint64_t place, int by, std::uint32_t last_sum) {
    auto file = good;
    file[place] = static_cast<char>(file[place] + by);
    std::memcpy(file.data() + layout.sums_at() + 69 * sizeof last_sum, &last_sum, sizeof last_sum);
    auto footer = footer_of(good);
    footer["index_sha256"] =
        sha256(std::string_view(file).substr(layout.index_at(), layout.footer_at() - layout.index_at()));
    return with_footer(file, footer);
  };
  const auto source = sentence(69, 3), target = sentence(69, 5);
  const auto sum = sum_ids(target, sum_ids(source));
  const auto sum_without_last = sum_ids(std::span(target).first(target.size() - 1), sum_ids(source));
  EXPECT_NO_THROW(open(changed(last_length, 0, sum)));
  const auto refused = [](const std::string& file, const std::string& what) {
    EXPECT_THAT([&] { open(file); }, ThrowsMessage<DataError>(HasSubstr(what)));
  };
  refused(changed(second_start, 1, sum), "starts that are not right");
  refused(changed(last_length, 1, sum), "sentences that continue past its end");
  refused(changed(last_length, -1, sum), "damaged sentences");
  refused(changed(last_length, -1, sum_without_last), "fewer sentences than ids");
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
              ThrowsMessage<DataError>(HasSubstr("the file: pair 0 is damaged or cut off; remove the file")));
  EXPECT_NO_THROW(corpus.batch(second));
}

TEST(CorpusFileTest, IfTheFileChangesLengthsStayAndPairsAreRefused) {
  constexpr std::int64_t kMany = 20'000;
  const TemporaryFolder folder;
  const auto good = file_of(65'536, 256, kMany);
  for (const bool cut : {true, false}) {
    std::ofstream(folder / "corpus", std::ios::binary) << good;
    const auto corpus =
        ParallelCorpus::open(MappedFile(open_regular_file(folder / "corpus")->descriptor, "corpus"), "the file");
    if (cut)
      std::filesystem::resize_file(folder / "corpus", 1);
    else
      std::fstream(folder / "corpus", std::ios::binary | std::ios::in | std::ios::out)
          << std::string(good.size(), '\x7f');
    for (std::int64_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(corpus.source_length(i), std::ssize(sentence(i, 3)));
      EXPECT_EQ(corpus.target_length(i), std::ssize(sentence(i, 5)));
      EXPECT_THROW(corpus.batch(std::vector{i}), DataError) << i;
    }
  }
}

TEST(CorpusFileTest, AnIdOutsideTheVocabularyIsRefusedWhenItIsRead) {
  auto corpus = open(file_of(65'536, 256, 3, 1));
  const std::vector<std::int64_t> all{0, 1, 2};
  const auto largest = [&](bool target) {
    Id id = 0;
    for (const auto i : all) id = std::max(id, std::ranges::max(target ? corpus.target(i) : corpus.source(i)));
    return id;
  };
  const auto source = largest(false), target = largest(true);
  corpus.set_vocabularies(source + 1, target + 1);
  EXPECT_NO_THROW(corpus.batch(all));
  for (const auto& [sources, targets] : {std::pair(source, target + 1), std::pair(source + 1, target)}) {
    corpus.set_vocabularies(sources, targets);
    EXPECT_THAT([&] { corpus.batch(all); }, ThrowsMessage<DataError>(HasSubstr("has an id outside the vocabulary")));
  }
}

TEST(CorpusFileTest, AnIdThatIsNegativeIsRefused) {
  std::string file;
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) { file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); },
      100'000, 256);
  writer.add(Ids{-5, kEos}, Ids{kEos});
  writer.finish({}, std::vector{some_report(1)});
  EXPECT_THROW(open(file).batch(std::vector<std::int64_t>{0}), DataError);
}

}  // namespace
}  // namespace gloss
