#include "run/corpus_cache.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/mapped_file.h"
#include "common/files/sha256.h"
#include "common/system/descriptor.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "data/corpus_writer.h"
#include "run/run_tokenizers.h"
#include "tests/run/small_job.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

// A tokenizer that reports a vocabulary of special ids only.
class SmallVocabulary final : public Tokenizer {
 public:
  explicit SmallVocabulary(const Tokenizer& other) : other_(&other) {}
  Ids encode(std::string_view line) const override { return other_->encode(line); }
  std::string decode(std::span<const Id> ids) const override { return other_->decode(ids); }
  std::int64_t vocabulary_size() const override { return kSpecialIds; }
  const std::string& serialized() const override { return other_->serialized(); }

 private:
  const Tokenizer* other_;
};

// Raises SIGTERM with the first line.
class SignallingTokenizer final : public Tokenizer {
 public:
  explicit SignallingTokenizer(const Tokenizer& other) : other_(&other) {}
  Ids encode(std::string_view line) const override {
    if (lines_++ == 0) std::raise(SIGTERM);
    return other_->encode(line);
  }
  std::string decode(std::span<const Id> ids) const override { return other_->decode(ids); }
  std::int64_t vocabulary_size() const override { return other_->vocabulary_size(); }
  const std::string& serialized() const override { return other_->serialized(); }
  int lines() const { return lines_; }

 private:
  const Tokenizer* other_;
  mutable std::atomic<int> lines_ = 0;
};

std::string replaced(std::string text, std::string_view part, std::string_view other) {
  return text.replace(text.find(part), part.size(), other);
}

class CorpusCacheTest : public testing::Test {
 protected:
  struct Start {
    bool had_texts = false;  ///< has_texts() before the tokenizer was trained
    bool made = false;       ///< a new file replaced the old one
    std::string hash, messages;
    CorpusReport report;
  };

  /// Loads the corpus as a run does before its first step.
  Start start(int threads = 1) const {
    testing::internal::CaptureStderr();
    Start start;
    const auto before = inode();
    {
      RunFolder folder(job_ / "run", false, true);
      CorpusCache cache(job_.config, folder);
      start.had_texts = cache.has_texts();
      const RunTokenizers tokenizers(job_.config, folder, cache);
      cache.load(tokenizers.by_name(), *tokenizers.source(), *tokenizers.target(), threads);
      start.hash = cache.corpus().hash();
      start.report = cache.corpus().reports().at(0);
      cache.keep();
      folder.keep();
      tokenizers.save(folder);
    }
    start.made = inode() != before;
    start.messages = testing::internal::GetCapturedStderr();
    return start;
  }

  std::uint64_t inode() const { return fs::exists(file()) ? FileStamp::of(file()).inode : 0; }
  fs::path file() const { return job_ / "run/corpus.cache"; }
  fs::path texts() const { return job_ / "run/corpus.texts.json"; }

  SmallJob job_;
};

TEST_F(CorpusCacheTest, ASecondStartReusesIdsAndTokenizer) {
  const auto first = start();
  EXPECT_FALSE(first.had_texts);
  EXPECT_TRUE(first.made);
  EXPECT_THAT(first.messages, HasSubstr("training tokenizer.model"));
  const auto second = start();
  EXPECT_TRUE(second.had_texts);
  EXPECT_FALSE(second.made);
  EXPECT_EQ(second.hash, first.hash);
  EXPECT_THAT(second.messages, IsEmpty());
}

TEST_F(CorpusCacheTest, EqualsTheEncodedTexts) {
  const RunFolder folder(job_ / "other", false, false);
  const RunTokenizers tokenizers(job_.config, folder);
  const auto& data = job_.config.data;
  const auto read = ParallelCorpus::read(data.train_source, data.train_target, *tokenizers.source(),
                                         *tokenizers.target(), {.max_length = data.max_length});
  EXPECT_EQ(start().hash, read.hash());
  EXPECT_EQ(start(3).hash, read.hash());
}

TEST_F(CorpusCacheTest, KeepsTheReportOfTheFirstReading) {
  auto lines = lines_of_file(job_.config.data.train_source);
  lines[3] = "";
  lines[7] = std::string(100, 'x');
  write_lines(job_.config.data.train_source, lines);
  const auto first = start(), second = start();
  EXPECT_FALSE(second.made);
  EXPECT_THAT(second.report.empty.first_lines, testing::ElementsAre(4));
  EXPECT_THAT(second.report.too_long.first_lines, testing::ElementsAre(8));
  EXPECT_EQ(to_json(second.report), to_json(first.report));
}

TEST_F(CorpusCacheTest, IsMadeAgainForOtherTextsTokenizersAndLengths) {
  const auto first = start();
  auto lines = lines_of_file(job_.config.data.train_target);
  std::swap(lines[0], lines[1]);
  write_lines(job_.config.data.train_target, lines);
  const auto other_text = start();
  EXPECT_FALSE(other_text.had_texts);
  EXPECT_TRUE(other_text.made);
  EXPECT_NE(other_text.hash, first.hash);

  write_lines(job_.config.data.train_source, lines);
  const auto other_source = start();
  EXPECT_FALSE(other_source.had_texts);
  EXPECT_NE(other_source.hash, other_text.hash);

  job_.config.data.max_length = 63;
  const auto other_length = start();
  EXPECT_TRUE(other_length.had_texts && other_length.made);
  EXPECT_THAT(other_length.messages, IsEmpty()) << "the tokenizer is the same";

  job_.config.tokenizer.vocabulary_size = 39;
  job_.config.tokenizer.character_coverage = 0.98;
  const auto other_tokenizer = start();
  EXPECT_TRUE(other_tokenizer.had_texts && other_tokenizer.made);
  EXPECT_THAT(other_tokenizer.messages, HasSubstr("training tokenizer.model"));
}

TEST_F(CorpusCacheTest, IsMadeAgainForOtherFilters) {
  auto& data = job_.config.data;
  auto sources = lines_of_file(data.train_source);
  sources[0] = "a b a b a b a b";  // the target is another
  sources[2] = sources[1];
  write_lines(data.train_source, sources);
  auto targets = lines_of_file(data.train_target);
  targets[0] = "a";
  targets[1] = targets[2] = sources[1] + "a";
  write_lines(data.train_target, targets);
  start();
  const auto made_anew = [&] {
    const auto other = start();
    EXPECT_TRUE(other.had_texts && other.made);
    EXPECT_FALSE(start().made);
    return other.report;
  };
  data.filters.max_ratio = 5;
  EXPECT_THAT(made_anew().ratio.first_lines, testing::ElementsAre(1));
  data.filters.max_ratio = 6;
  made_anew();
  data.filters = {.skip_copied = true};
  EXPECT_THAT(made_anew().copied.first_lines, testing::Contains(4));
  data.filters = {.skip_repeated = true};
  EXPECT_THAT(made_anew().repeated.first_lines, testing::Contains(3));
  data.filters = {};
  EXPECT_EQ(made_anew().pairs, std::ssize(sources));
}

TEST_F(CorpusCacheTest, IsMadeAgainIfDamagedOrAnotherFile) {
  const auto first = start();
  const auto good = text_of_file(file());
  auto flipped = good;
  flipped[40] = static_cast<char>(flipped[40] ^ 1);
  for (const auto& bad :
       {flipped, good.substr(0, good.size() / 2), good + "more", std::string("something else"), std::string()}) {
    std::ofstream(file(), std::ios::binary) << bad;
    const auto again = start();
    EXPECT_FALSE(again.had_texts);
    EXPECT_TRUE(again.hash == first.hash && text_of_file(file()) == good);
    EXPECT_THAT(again.messages, HasSubstr("corpus.cache: wanted a corpus file, got"));
    EXPECT_THAT(again.messages, HasSubstr("the texts are encoded again"));
  }
}

TEST_F(CorpusCacheTest, CutShortWhileItIsUsedIsAnErrorAndMadeAgainByTheNextStart) {
  const auto first = start();
  testing::internal::CaptureStderr();
  {
    const RunFolder folder(job_ / "run", false, true);
    CorpusCache cache(job_.config, folder);
    const RunTokenizers tokenizers(job_.config, folder, cache);
    cache.load(tokenizers.by_name(), *tokenizers.source(), *tokenizers.target(), 1);
    ASSERT_TRUE(cache.corpus().hash() == first.hash);
    fs::resize_file(file(), 20);
    EXPECT_THAT([&] { cache.corpus().batch(std::vector<std::int64_t>{7}); },
                testing::ThrowsMessage<DataError>(HasSubstr("corpus.cache: pair 7 is damaged or cut off")));
  }
  testing::internal::GetCapturedStderr();
  const auto again = start();
  EXPECT_TRUE(again.made);
  EXPECT_EQ(again.hash, first.hash);
}

TEST_F(CorpusCacheTest, AnIdOutsideTheVocabularyIsAnErrorWhenRead) {
  start();
  testing::internal::CaptureStderr();
  const RunFolder folder(job_ / "run", false, true);
  CorpusCache cache(job_.config, folder);
  const RunTokenizers tokenizers(job_.config, folder, cache);
  const auto& own = *tokenizers.source();
  const SmallVocabulary small(own);
  cache.load(tokenizers.by_name(), own, small, 1);
  EXPECT_THROW(cache.corpus().batch(std::vector<std::int64_t>{0}), DataError);
  testing::internal::GetCapturedStderr();
}

TEST_F(CorpusCacheTest, StaysValidIfATextWasOnlyTouched) {
  const auto first = start();
  const auto& path = job_.config.data.train_source;
  fs::copy_file(path, job_ / "copy");
  fs::rename(job_ / "copy", path);
  const auto stamps = text_of_file(texts());
  EXPECT_FALSE(start().made);
  EXPECT_NE(text_of_file(texts()), stamps);
  for (const std::string bad :
       {"", "{", "[]", "{\"texts\": 3}", "{\"texts\": [3]}", "{\"texts\": [{\"source\": 3}]}"}) {
    std::ofstream(texts()) << bad;
    EXPECT_FALSE(start().made);
    EXPECT_NE(text_of_file(texts()), bad);
  }
}

TEST_F(CorpusCacheTest, IsMadeAgainByAnotherVersion) {
  const auto first = start();
  const auto rewrite = [&](auto&& change) {
    const auto kept = ParallelCorpus::open(MappedFile(open_regular_file(file())->descriptor, file()), file());
    auto key = kept.key();
    change(key);
    std::ofstream other(file().string() + ".new", std::ios::binary);
    CorpusWriter writer(
        [&](std::span<const std::byte> bytes) {
          other.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
        },
        40, job_.config.data.max_length);
    for (std::int64_t i = 0; i < kept.size(); ++i) writer.add(kept.source(i), kept.target(i));
    writer.finish(key, kept.reports());
    other.close();
    fs::rename(file().string() + ".new", file());
  };
  rewrite([](Json&) {});
  EXPECT_TRUE(start().had_texts) << "written as it was";
  rewrite([](Json& key) { key["program"] = key["program"].get<std::string>() + "1"; });
  const auto other = start();
  EXPECT_FALSE(other.had_texts);
  EXPECT_TRUE(other.made);
  EXPECT_EQ(other.hash, first.hash);
  rewrite([](Json& key) { key["program"] = replaced(key["program"], "encoding 2", "encoding 1"); });
  EXPECT_TRUE(start().made) << "the first encoding had invisible characters";
  for (const Json& strange : {Json(3), Json(), Json::array(), Json{{"program", 1}}}) {
    rewrite([&](Json& key) { key = strange; });
    EXPECT_TRUE(start().made) << strange;
  }
}

TEST_F(CorpusCacheTest, IsNotKeptIfATextChangesWhileItIsReadWithAWarning) {
  for (const auto& text : {job_.config.data.train_source, job_.config.data.train_target}) {
    const auto lines = lines_of_file(text);
    testing::internal::CaptureStderr();
    {
      const RunFolder folder(job_ / "run", false, false);
      CorpusCache cache(job_.config, folder);
      const RunTokenizers tokenizers(job_.config, folder, cache);
      cache.load(tokenizers.by_name(), *tokenizers.source(), *tokenizers.target(), 1);
      std::ofstream(text, std::ios::app) << "one more\n";
      cache.keep();
      EXPECT_FALSE(fs::exists(file()));
      EXPECT_FALSE(fs::exists(texts()));
    }
    const auto messages = testing::internal::GetCapturedStderr();
    EXPECT_THAT(messages, HasSubstr(text + ": changed while it was read"));
    EXPECT_THAT(messages.substr(messages.find("changed while") + 1), Not(HasSubstr("changed while")))
        << "not of the other";
    write_lines(text, lines);
  }
}

// The text has more lines than are read before the first is encoded.
TEST_F(CorpusCacheTest, ASignalWhileTheTextsAreEncodedEndsThatAndLeavesNothing) {
  for (const auto& text : {job_.config.data.train_source, job_.config.data.train_target})
    write_lines(text, std::vector<std::string>(10'000, "a b"));
  testing::internal::CaptureStderr();
  {
    const StopOnSignal stop;
    const RunFolder folder(job_ / "run", false, false);
    CorpusCache cache(job_.config, folder);
    const RunTokenizers tokenizers(job_.config, folder, cache);
    const SignallingTokenizer signalling(*tokenizers.source());
    EXPECT_THROW(cache.load(tokenizers.by_name(), signalling, signalling, 1), Stopped);
    EXPECT_LT(signalling.lines(), 10'000);
  }
  const StopOnSignal forgets_the_signal;
  EXPECT_FALSE(fs::exists(job_ / "run"));
  testing::internal::GetCapturedStderr();
}

TEST_F(CorpusCacheTest, WithoutKeepNothingStays) {
  testing::internal::CaptureStderr();
  {
    const RunFolder folder(job_ / "run", false, false);
    CorpusCache cache(job_.config, folder);
    const RunTokenizers tokenizers(job_.config, folder, cache);
    cache.load(tokenizers.by_name(), *tokenizers.source(), *tokenizers.target(), 1);
    EXPECT_GT(cache.corpus().size(), 0);
  }
  EXPECT_FALSE(fs::exists(job_ / "run"));
  testing::internal::GetCapturedStderr();
}

TEST_F(CorpusCacheTest, IgnoresAnotherKeptTokenizer) {
  start();
  std::ofstream(job_ / "run/tokenizer.model", std::ios::binary) << "another";
  EXPECT_THAT(start().messages, HasSubstr("training tokenizer.model"));
}

TEST_F(CorpusCacheTest, AGivenTokenizerIsNotReusedForATrainedOne) {
  start();
  const auto trained = job_ / "run/tokenizer.model", given = job_ / "given.model";
  fs::copy_file(trained, given);
  job_.config.tokenizer.model_file = given;
  job_.config.tokenizer.vocabulary_size = 20;
  start();
  job_.config.tokenizer.model_file.clear();
  start();
  EXPECT_NE(read_file(trained, 1 << 24), read_file(given, 1 << 24));
}

TEST(TextHashTest, IsCurrentWhileTheStampIsLastingAndTheSame) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "text";
  const auto scanned = scan_texts(TextFiles{folder / "text", folder / "text"}, {});
  auto hash = hash_of(scanned.texts.at(0).source);
  EXPECT_EQ(hash.sha256, sha256("text"));
  EXPECT_FALSE(hash.lasting) << "written just now";
  EXPECT_FALSE(hash.is_current(folder / "text"));
  hash.lasting = true;
  EXPECT_TRUE(hash.is_current(folder / "text"));
  EXPECT_TRUE(read_text_hash(to_json(hash))->is_current(folder / "text"));
  ++hash.stamp.changed;
  EXPECT_FALSE(hash.is_current(folder / "text"));
}

}  // namespace
}  // namespace gloss
