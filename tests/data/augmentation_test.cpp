#include "data/augmentation.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/text/split.h"
#include "data/batch_stream.h"
#include "tests/data/letter_tokenizer.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const RandomStream kRandom(1, "augmentation");

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (auto place = text.find(part); place != text.npos; place = text.find(part, place + part.size())) ++count;
  return count;
}

TEST(InCaseTest, LettersOfAllWordsChange) {
  constexpr std::string_view kText = "Das weiße (große) Haus, 3rd well-known Ёлка ñandú ōta";
  EXPECT_EQ(in_case(kText, LetterCase::kUpper), "DAS WEISSE (GROSSE) HAUS, 3RD WELL-KNOWN ЁЛКА ÑANDÚ ŌTA");
  EXPECT_EQ(in_case(kText, LetterCase::kTitle), "Das Weiße (Große) Haus, 3rd Well-known Ёлка Ñandú Ōta");
  EXPECT_EQ(in_case(kText, LetterCase::kLower), "das weiße (große) haus, 3rd well-known ёлка ñandú ōta");
  EXPECT_EQ(in_case(kText, LetterCase::kStays), kText);
  for (const auto* text : {"", " ", "  a  b ", "東京", "\xff"})
    EXPECT_EQ(in_case(text, LetterCase::kLower), text) << "spaces, letters without case and broken bytes stay";
}

TEST(InCaseTest, PlaceholdersAndKeptTextsStay) {
  constexpr std::string_view kText = "<BT> see {name}, %s %(x)d ${x} ⟦a⟧ https://a.org/b www.a.org a@b.org <b/> tag:x.";
  const std::vector<std::string> kept{"<BT>", "tag:"};
  EXPECT_EQ(in_case(kText, LetterCase::kUpper, kept),
            "<BT> SEE {name}, %s %(x)d ${x} ⟦a⟧ https://a.org/b www.a.org a@b.org <b/> tag:x.");
  EXPECT_THAT(in_case(kText, LetterCase::kUpper), HasSubstr("TAG:X."));
}

TEST(RemoveEndMarksTest, BothSidesLoseTheirMarksOrNone) {
  const auto removed = [](TextPair pair) { return remove_end_marks(pair) ? std::optional(pair) : std::nullopt; };
  EXPECT_EQ(removed({"A dog.", "Ein Hund."}), (TextPair{"A dog", "Ein Hund"}));
  EXPECT_EQ(removed({"Who?!", "Qui ?"}), (TextPair{"Who", "Qui"}));
  EXPECT_EQ(removed({"A dog...", "狗。"}), (TextPair{"A dog", "狗"}));
  for (const auto& pair : {TextPair{"A dog", "Ein Hund."}, {"A dog.", "Ein Hund"}, {"A dog.", "..."}, {"", ""}}) {
    auto copy = pair;
    EXPECT_FALSE(remove_end_marks(copy));
    EXPECT_EQ(copy, pair);
  }
}

TEST(WithTypoTest, OneLetterOfALongWordChanges) {
  constexpr std::string_view kText = "the bicycle of <BT>rider {name} is new";
  const std::vector<std::string> kept{"<BT>"};
  std::set<std::string> words;
  for (std::uint64_t i = 0; i < 500; ++i) {
    RandomSequence draws(kRandom, i);
    const auto changed = with_typo(kText, kept, draws);
    ASSERT_TRUE(changed.starts_with("the b") && changed.ends_with(" of <BT>rider {name} is new")) << changed;
    words.insert(changed.substr(4, changed.find(" of") - 4));
  }
  for (const auto* word : {"bicycel", "bicyle", "biccycle", "bixycle", "bivycle", "bicycl"})
    EXPECT_TRUE(words.contains(word)) << "swapped, left out, doubled, neighbor on the left or right: " << word;
  EXPECT_FALSE(words.contains("bicycle"));
}

TEST(WithTypoTest, TextWithoutLongWordsStays) {
  for (const auto* text : {"", "a dog is in it", "一二三四五六", "1234 5678", "{name} https://abcd.org"}) {
    RandomSequence draws(kRandom, 1);
    EXPECT_EQ(with_typo(text, {}, draws), text);
  }
}

// Returns the results of many draws.
std::set<std::pair<std::string, std::string>> with_placeholder(const TextPair& pair, std::string_view placeholder,
                                                               KeptTexts kept = {}) {
  std::set<std::pair<std::string, std::string>> results;
  for (std::uint64_t i = 0; i < 300; ++i) {
    RandomSequence draws(kRandom, i);
    auto changed = pair;
    if (add_placeholder(changed, placeholder, kept, draws)) results.emplace(changed.source, changed.target);
  }
  return results;
}

using Pairs = std::set<std::pair<std::string, std::string>>;

TEST(AddPlaceholderTest, BothSidesGetItAtPlacesThatMatch) {
  EXPECT_EQ(with_placeholder({"A dog in New York.", "Ein Hund in York!"}, "{x}"),
            (Pairs{{"{x} A dog in New York.", "{x} Ein Hund in York!"},
                   {"A dog in New York {x}.", "Ein Hund in York {x}!"},
                   {"A dog in New {x}.", "Ein Hund in {x}!"}}))
      << "after York and at the end are the same place";
  EXPECT_EQ(with_placeholder({"We saw 12, not 13.", "Wir sahen 12 statt 14"}, "%s"),
            (Pairs{{"%s We saw 12, not 13.", "%s Wir sahen 12 statt 14"},
                   {"We saw 12, not 13 %s.", "Wir sahen 12 statt 14 %s"},
                   {"We saw 12 %s, not 13.", "Wir sahen 12 %s statt 14"},
                   {"We saw %s, not 13.", "Wir sahen %s statt 14"}}));
}

TEST(AddPlaceholderTest, FirstWordsAndRepeatedWordsAreNoNames) {
  const Pairs at_the_ends{{"{x} In was Anna Anna", "{x} In Anna"}, {"In was Anna Anna {x}", "In Anna {x}"}};
  EXPECT_EQ(with_placeholder({"In was Anna Anna", "In Anna"}, "{x}"), at_the_ends);
}

TEST(AddPlaceholderTest, ScriptsWithoutSpacesGetNone) {
  EXPECT_EQ(with_placeholder({"A dog.", "一只狗。"}, "⟦1⟧"),
            (Pairs{{"⟦1⟧ A dog.", "⟦1⟧一只狗。"}, {"A dog ⟦1⟧.", "一只狗⟦1⟧。"}}));
}

TEST(AddPlaceholderTest, TagsStayInFront) {
  const std::vector<std::string> tags{"<BT>"};
  EXPECT_TRUE(with_placeholder({"<BT> A dog", "Ein Hund"}, "{x}", tags).contains({"<BT> {x} A dog", "{x} Ein Hund"}));
}

TEST(AddPlaceholderTest, APlaceholderComesOnce) {
  EXPECT_TRUE(with_placeholder({"a %s", "b"}, "%s").empty());
  EXPECT_TRUE(with_placeholder({"a", "b %s"}, "%s").empty());
}

class PairAugmenterTest : public testing::Test {
 protected:
  static constexpr std::int64_t kPairs = 200;

  PairAugmenterTest() {
    TokenizerConfig config;
    config.vocabulary_size = 420;
    config.byte_fallback = true;
    config.symbols = symbols_;
    std::string source, target;
    for (std::int64_t i = 0; i < kPairs; ++i) {
      source += "The man number " + std::to_string(i) + " rides a bicycle to Paris " + letter(i) + ".\n";
      target += "Der Mann Nummer " + std::to_string(i) + " fährt ein weißes Rad nach Paris " + letter(i) + ".\n";
    }
    files_.emplace(source, target);
    const std::array paths{files_->source(), files_->target()};
    tokenizer_ = make_tokenizer(train_tokenizer(paths, config), "model");
    corpus_.emplace(ParallelCorpus::read(files_->source(), files_->target(), *tokenizer_, *tokenizer_, {}));
  }

  static std::string letter(std::int64_t i) { return std::string(1, static_cast<char>('a' + i % 26)); }
  std::shared_ptr<PairAugmenter> augmenter(const AugmentationConfig& changes, std::int64_t max_length = 256) const {
    DataConfig config;
    config.max_length = max_length;
    config.augmentation = changes;
    return std::make_shared<PairAugmenter>(config, symbols_, tokenizer_, tokenizer_);
  }
  TextPair text(const Ids& source, const Ids& target) const {
    EXPECT_EQ(source.back(), kEos);
    EXPECT_EQ(target.back(), kEos);
    return {tokenizer_->decode(source), tokenizer_->decode(target)};
  }
  TextPair text(std::int64_t pair) const { return text(corpus_->source(pair), corpus_->target(pair)); }
  // Returns the texts of all pairs after the changes of an epoch.
  std::vector<TextPair> augmented(const AugmentationConfig& changes, std::uint32_t epoch = 0,
                                  std::uint64_t seed = 1) const {
    const auto random = RandomStream(seed, "run").at(epoch);
    const auto changer = augmenter(changes);
    std::vector<TextPair> texts;
    for (std::int64_t i = 0; i < kPairs; ++i) {
      auto source = corpus_->source(i), target = corpus_->target(i);
      const auto sentence = static_cast<std::uint64_t>(i);
      const bool changed = changer->augment(source, target, random, sentence);
      texts.push_back(text(source, target));
      EXPECT_EQ(changed, texts.back() != text(i));
      EXPECT_TRUE(!changed || changer->draws_change(random, sentence));
    }
    return texts;
  }
  BatchStream stream(std::shared_ptr<PairAugmenter> changer, std::int64_t batch_tokens = 300) const {
    return {*corpus_, batch_tokens, RandomStream(1, "run"), std::nullopt, std::move(changer)};
  }

  const std::vector<std::string> symbols_{"<BT>", "⟦7⟧"};
  std::optional<CorpusFiles> files_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::optional<ParallelCorpus> corpus_;
};

const AugmentationConfig kAll{
    .upper_case = 0.2, .title_case = 0.2, .lower_case = 0.2, .no_end_mark = 0.3, .typos = 0.3, .placeholders = 0.3};

TEST_F(PairAugmenterTest, OnlyPairsThatStayKeepTheirLinks) {
  std::string alignment;
  for (std::int64_t i = 0; i < kPairs; ++i) alignment += "0-0 1-1\n";
  corpus_ = read_with_links(*files_, alignment, *tokenizer_);
  auto changed = stream(augmenter(kAll)), plain = stream(nullptr);
  std::map<Ids, Ids> targets;
  for (std::int64_t i = 0; i < plain.batches_in_epoch(); ++i) {
    const auto batch = plain.next();
    for (std::size_t pair = 0; pair < batch.source.size(); ++pair) targets[batch.source[pair]] = batch.target[pair];
  }
  int kept = 0, lost = 0;
  for (std::int64_t i = 0; i < changed.batches_in_epoch(); ++i) {
    const auto batch = changed.next();
    ASSERT_EQ(batch.links.size(), batch.source.size());
    for (std::size_t pair = 0; pair < batch.source.size(); ++pair) {
      const auto found = targets.find(batch.source[pair]);
      const bool stays = found != targets.end() && found->second == batch.target[pair];
      EXPECT_EQ(batch.links[pair].source.size(), stays ? 2u : 0u);
      (stays ? kept : lost) += 1;
    }
  }
  EXPECT_GT(kept, 10);
  EXPECT_GT(lost, 10);
}

TEST_F(PairAugmenterTest, ProbabilityZeroIsTheIdentity) {
  std::vector<TextPair> texts;
  for (std::int64_t i = 0; i < kPairs; ++i) texts.push_back(text(i));
  EXPECT_EQ(augmented({}), texts);
  auto plain = stream(nullptr), off = stream(augmenter({}));
  for (std::int64_t i = 0; i < 2 * plain.batches_in_epoch(); ++i) {
    const auto wanted = plain.next(), got = off.next();
    EXPECT_EQ(got.source, wanted.source);
    EXPECT_EQ(got.target, wanted.target);
  }
}

TEST_F(PairAugmenterTest, ChangesAreAFunctionOfSeedEpochAndSentence) {
  EXPECT_EQ(augmented(kAll), augmented(kAll));
  EXPECT_NE(augmented(kAll), augmented(kAll, 1));
  EXPECT_NE(augmented(kAll), augmented(kAll, 0, 2));
}

TEST_F(PairAugmenterTest, BothSidesChangeTogether) {
  const auto upper = augmented({.upper_case = 1}), title = augmented({.title_case = 1}),
             lower = augmented({.lower_case = 1}), bare = augmented({.no_end_mark = 1}),
             typos = augmented({.typos = 1});
  for (std::int64_t i = 0; i < kPairs; ++i) {
    const auto [source, target] = text(i);
    const auto at = static_cast<std::size_t>(i);
    const auto in = [](const std::string& line, LetterCase letter_case) { return in_case(line, letter_case); };
    EXPECT_EQ(upper[at], (TextPair{in(source, LetterCase::kUpper), in(target, LetterCase::kUpper)}));
    EXPECT_EQ(title[at], (TextPair{in(source, LetterCase::kTitle), in(target, LetterCase::kTitle)}));
    EXPECT_EQ(lower[at], (TextPair{in(source, LetterCase::kLower), target}));
    EXPECT_EQ(bare[at], (TextPair{source.substr(0, source.size() - 1), target.substr(0, target.size() - 1)}));
    EXPECT_EQ(typos[at].target, target);
    EXPECT_NE(typos[at].source, source);
    EXPECT_EQ(split_text(typos[at].source, ' ').size(), split_text(source, ' ').size());
  }
}

TEST_F(PairAugmenterTest, PlaceholdersAreEqualAndOnceOnBothSides) {
  std::set<std::string> placeholders;
  for (const auto& [source, target] : augmented({.placeholders = 1}, 3)) {
    int found = 0;
    for (auto word : split_text(source, ' ')) {
      while (!word.empty() && (word.back() == '.' || word.back() == ',')) word.remove_suffix(1);
      if (word.find_first_of("{}%$@<⟦:") == word.npos) continue;
      ++found;
      EXPECT_EQ(count_of(word, source), 1u) << source;
      EXPECT_EQ(count_of(word, target), 1u) << target;
      placeholders.emplace(word.substr(0, word.find_first_of("abcdefghijklmnopqrstuvwxyz0123456789(")));
    }
    EXPECT_TRUE(found >= 1 && found <= 3) << source;
    EXPECT_EQ(count_of("<BT>", source), 0u) << "tags are no placeholders";
  }
  for (const auto* begin : {"{", "%", "${", "⟦", "<", ""}) EXPECT_TRUE(placeholders.contains(begin)) << begin;
}

TEST_F(PairAugmenterTest, AProbabilityIsTheShareOfThePairs) {
  const auto texts = augmented({.upper_case = 0.25, .lower_case = 0.25});
  int upper = 0, lower = 0;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    const auto& changed = texts[static_cast<std::size_t>(i)];
    upper += changed.target != text(i).target;
    lower += changed.target == text(i).target && changed.source != text(i).source;
  }
  EXPECT_NEAR(upper, kPairs / 4, 20);
  EXPECT_NEAR(lower, kPairs / 4, 20);
}

TEST_F(PairAugmenterTest, SourcesWithoutAnEndStayWithoutOne) {
  const auto letters = std::make_shared<LetterTokenizer>(/*has_source_eos=*/false);
  DataConfig config;
  config.augmentation.upper_case = 1;
  auto source = letters->encode("abc"), target = letters->encode("def");
  target.push_back(kEos);
  ASSERT_TRUE(PairAugmenter(config, {}, letters, letters).augment(source, target, RandomStream(1, "run"), 0));
  EXPECT_EQ(source, letters->encode("ABC"));
  EXPECT_EQ(target.back(), kEos);
}

TEST_F(PairAugmenterTest, PairsThatWouldBeTooLongStay) {
  const auto changer = augmenter({.upper_case = 1}, std::ssize(corpus_->target(0)) + 1);
  auto source = corpus_->source(0), target = corpus_->target(0);
  EXPECT_FALSE(changer->augment(source, target, kRandom, 0));
  EXPECT_EQ(text(source, target), text(0));
  EXPECT_EQ(changer->counts().drawn, 1);
  EXPECT_EQ(changer->counts().unknown, 0);
}

TEST_F(PairAugmenterTest, PairsWithUnknownPiecesStay) {
  TokenizerConfig config;
  config.vocabulary_size = 60;
  config.type = TokenizerType::kChar;
  const std::array paths{files_->source(), files_->target()};
  const std::shared_ptr<const Tokenizer> letters = make_tokenizer(train_tokenizer(paths, config), "model");
  DataConfig data;
  data.augmentation = {.upper_case = 1};
  PairAugmenter changer(data, {}, letters, letters);
  auto source = letters->encode("The man"), target = letters->encode("Der Mann");
  source.push_back(kEos);
  target.push_back(kEos);
  EXPECT_FALSE(changer.augment(source, target, kRandom, 0)) << "the text has no H";
  EXPECT_EQ(letters->decode(source), "The man");
  EXPECT_EQ(changer.counts().unknown, 1);

  data.augmentation = {.placeholders = 0.1};
  EXPECT_THAT([&] { PairAugmenter(data, {"<BT>"}, letters, letters); },
              ThrowsMessage<UsageError>(HasSubstr("data.augment_placeholders: wanted a vocabulary that spells")));
  EXPECT_NO_THROW(PairAugmenter(data, {"⟦1⟧"}, letters, letters));
}

TEST_F(PairAugmenterTest, LanguageTagsStay) {
  const auto tag = tokenizer_->encode("<BT>").back();
  const auto tagged = std::make_shared<TaggedTokenizer>(tokenizer_, tag);
  DataConfig data;
  data.augmentation = {.upper_case = 1};
  PairAugmenter changer(data, {}, tagged, tokenizer_);
  auto source = tagged->encode("The man"), target = tokenizer_->encode("Der Mann");
  ASSERT_TRUE(changer.augment(source, target, kRandom, 0));
  EXPECT_EQ(source.front(), tag);
  EXPECT_EQ(tagged->decode(source), "THE MAN");
}

std::vector<Batch> take_epoch(BatchStream& stream) {
  std::vector<Batch> batches{stream.next()};
  while (stream.position().batch < stream.batches_in_epoch()) batches.push_back(stream.next());
  return batches;
}

TEST_F(PairAugmenterTest, AStreamIsTheSameAfterASeek) {
  auto unbroken = stream(augmenter(kAll));
  std::vector<EpochPosition> places{unbroken.position()};
  std::vector<Batch> batches;
  std::map<std::int64_t, std::set<Ids>> targets;  // by epoch
  while (unbroken.position().epoch < 2) {
    batches.push_back(unbroken.next());
    places.push_back(unbroken.position());
    targets[places.back().epoch].insert(batches.back().target.begin(), batches.back().target.end());
  }
  EXPECT_NE(targets[0], targets[1]);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    auto resumed = stream(augmenter(kAll));
    resumed.seek(places[i]);
    const auto batch = resumed.next();
    EXPECT_EQ(batch.source, batches[i].source);
    EXPECT_EQ(batch.target, batches[i].target);
  }
}

TEST_F(PairAugmenterTest, DrawingAheadChangesNothing) {
  auto plain = stream(augmenter(kAll)), ahead = stream(augmenter(kAll));
  for (std::int64_t i = 0; i < 3 * plain.batches_in_epoch(); ++i) {
    const auto expected = plain.next(), got = ahead.next();
    EXPECT_EQ(got.source, expected.source);
    EXPECT_EQ(got.target, expected.target);
    ahead.draw_ahead(i % 4);
  }
}

TEST_F(PairAugmenterTest, BatchesKeepTheBudgetWithTheLengthsOfChangedPairs) {
  constexpr std::int64_t kBudget = 300;
  auto changed = stream(augmenter({.upper_case = 0.3}), kBudget), plain = stream(nullptr, kBudget);
  std::int64_t positions = 0, plain_positions = 0;
  const auto check = [&](BatchStream& batches, std::int64_t& sum) {
    for (const auto& batch : take_epoch(batches)) {
      std::int64_t longest = 0;
      for (std::size_t i = 0; i < batch.source.size(); ++i) {
        const auto length = std::max(std::ssize(batch.source[i]), std::ssize(batch.target[i]));
        longest = std::max(longest, length);
        sum += length;
      }
      EXPECT_LE(longest * std::ssize(batch.source), kBudget);
    }
  };
  check(changed, positions);
  check(plain, plain_positions);
  EXPECT_GT(positions, plain_positions);
  EXPECT_NEAR(changed.share_of_corpus(), static_cast<double>(positions) / static_cast<double>(plain_positions), 1e-9);
  EXPECT_EQ(plain.share_of_corpus(), 1);
}

}  // namespace
}  // namespace gloss
