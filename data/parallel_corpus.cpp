#include "data/parallel_corpus.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::size_t kSumDigits = 64;
constexpr std::uint64_t kHashedAtOnce = 1 << 20;
// Size of the tail after the footer: the footer's sum and length, and the mark of the end.
constexpr std::size_t kTailBytes = kSumDigits + sizeof(std::uint64_t) + CorpusLayout::kEnd.size();

struct DamagedCorpus {
  std::string what;
};

void expect_whole(bool holds, const char* what) {
  if (!holds) throw DamagedCorpus{what};
}

std::uint64_t load_start(const void* place) {
  std::uint64_t value = 0;
  std::memcpy(&value, place, sizeof value);
  return value;
}

bool all_below(const Ids& ids, std::int64_t vocabulary) {
  return std::ranges::all_of(ids, [&](Id id) { return id >= 0 && id < vocabulary; });
}

}  // namespace

ParallelCorpus ParallelCorpus::read(std::span<const TextFiles> texts, const Tokenizer& source_tokenizer,
                                    const Tokenizer& target_tokenizer, const Options& options) {
  return in_memory(source_tokenizer, target_tokenizer, options.max_length, [&](CorpusWriter& writer) {
    return encode_corpus(texts, source_tokenizer, target_tokenizer, options, writer);
  });
}

ParallelCorpus ParallelCorpus::read(const std::filesystem::path& source, const std::filesystem::path& target,
                                    const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                                    const Options& options) {
  const TextFiles files{source, target};
  return read({&files, 1}, source_tokenizer, target_tokenizer, options);
}

ParallelCorpus ParallelCorpus::of_lines(std::span<const std::string> sources, std::span<const std::string> targets,
                                        const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                                        std::int64_t max_length) {
  return in_memory(source_tokenizer, target_tokenizer, max_length, [&](CorpusWriter& writer) {
    return std::vector{encode_lines(sources, targets, source_tokenizer, target_tokenizer, max_length, writer)};
  });
}

ParallelCorpus ParallelCorpus::in_memory(const Tokenizer& source, const Tokenizer& target, std::int64_t max_length,
                                         const std::function<std::vector<CorpusReport>(CorpusWriter&)>& encode) {
  const std::filesystem::path name = "a corpus in memory";
  const auto file = open_memory_file();
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) {
        if (!write_all(file, bytes)) throw_io_error(name, "write");
      },
      std::max(source.vocabulary_size(), target.vocabulary_size()), max_length);
  writer.finish({}, encode(writer));
  auto corpus = open(MappedFile(file, name), name, Check::kIndex);
  corpus.set_vocabularies(source.vocabulary_size(), target.vocabulary_size());
  return corpus;
}

ParallelCorpus ParallelCorpus::open(MappedFile file, std::filesystem::path path, Check check) {
  ParallelCorpus corpus(std::move(file), std::move(path));
  try {
    corpus.read_footer();
    corpus.read_index();
    corpus.check_pairs(check);
  } catch (const DamagedCorpus& damage) {
    throw DataError(printable(corpus.path_.string()) + ": wanted a corpus file, got " + damage.what);
  } catch (const Json::exception&) {
    throw DataError(printable(corpus.path_.string()) + ": wanted a corpus file, got a footer of other keys");
  }
  return corpus;
}

ParallelCorpus::ParallelCorpus(MappedFile file, std::filesystem::path path)
    : file_(std::move(file)), path_(std::move(path)) {}

std::string ParallelCorpus::text_at(std::uint64_t place, std::uint64_t bytes) const {
  std::string text(bytes, '\0');
  expect_whole(file_.read(place, std::as_writable_bytes(std::span(text))), "one that is cut off");
  return text;
}

void ParallelCorpus::read_footer() {
  const auto size = file_.size();
  const auto begin_size = CorpusLayout::kBegin.size();
  expect_whole(size >= begin_size && text_at(0, begin_size) == CorpusLayout::kBegin,
               "something else, or one of another version");
  expect_whole(size >= begin_size + kTailBytes, "one that is cut off");
  const auto tail = text_at(size - kTailBytes, kTailBytes);
  expect_whole(tail.ends_with(CorpusLayout::kEnd), "one that is cut off");
  const auto bytes = load_start(tail.data() + kSumDigits);
  expect_whole(bytes <= size - kTailBytes, "a footer longer than the file");
  const auto footer = text_at(size - kTailBytes - bytes, bytes);
  expect_whole(sha256(footer) == tail.substr(0, kSumDigits), "a damaged footer");

  Json json;
  try {
    json = parse_json(footer);
  } catch (const std::invalid_argument&) {
    throw DamagedCorpus{"a footer that is no JSON"};
  }
  for (const auto& [key, value] :
       {std::pair("pairs", &layout_.pairs), std::pair("ids", &layout_.ids), std::pair("id_bytes", &layout_.id_bytes),
        std::pair("length_bytes", &layout_.length_bytes)}) {
    *value = json.at(key).get<std::uint64_t>();
    expect_whole(*value <= size, "a footer with impossible sizes");
  }
  for (const auto width : {layout_.id_bytes, layout_.length_bytes})
    expect_whole(width == 2 || width == 4, "numbers of another width");
  expect_whole(layout_.footer_at() == size - kTailBytes - bytes, "one whose size does not match its footer");
  auto pairs_left = static_cast<std::int64_t>(layout_.pairs);
  for (const auto& text : json.at("texts")) {
    const auto pairs = reports_.emplace_back(read_corpus_report(text)).pairs;
    expect_whole(pairs >= 0 && pairs <= pairs_left, "texts of more pairs than the file has");
    pairs_left -= pairs;
  }
  expect_whole(pairs_left == 0, "texts of fewer pairs than the file has");
  hash_ = json.at("hash").get<std::string>();
  index_sha256_ = json.at("index_sha256").get<std::string>();
  key_ = json.at("key");
}

// Copies the index and checks the sum of the copy, since the file may change later.
void ParallelCorpus::read_index() {
  index_.resize(layout_.sums_at() - layout_.index_at());
  expect_whole(file_.read(layout_.index_at(), index_), "one that is cut off");
  Sha256 sum;
  sum.update(index_);
  std::vector<std::byte> sums;
  for (auto place = layout_.sums_at(); place < layout_.footer_at(); place += sums.size()) {
    sums.resize(std::min(kHashedAtOnce, layout_.footer_at() - place));
    expect_whole(file_.read(place, sums), "one that is cut off");
    sum.update(sums);
  }
  expect_whole(sum.hex() == index_sha256_, "a damaged index");
}

// Checks that every pair lies within the file; with kWhole and a file that is not too large, also the pairs.
void ParallelCorpus::check_pairs(Check check) const {
  const bool whole = check == Check::kWhole && file_.size() <= kCheckedAtOnce;
  std::uint64_t begin = 0;
  Pair pair;
  for (std::int64_t i = 0; i < size(); ++i) {
    expect_whole(i % std::int64_t{CorpusLayout::kPairsToAStart} != 0 || start(i) == begin, "starts that are not right");
    const auto next = begin + static_cast<std::uint64_t>(source_length(i) + target_length(i));
    expect_whole(next <= layout_.ids, "sentences that continue past its end");
    if (whole) expect_whole(read_pair(i, begin, pair), "damaged sentences");
    begin = next;
  }
  expect_whole(begin == layout_.ids, "fewer sentences than ids");
}

std::uint64_t ParallelCorpus::start(std::int64_t index) const {
  const auto block = index / std::int64_t{CorpusLayout::kPairsToAStart};
  auto start = load_start(in_index(layout_.starts_at() + static_cast<std::uint64_t>(block) * sizeof(std::uint64_t)));
  for (auto i = block * std::int64_t{CorpusLayout::kPairsToAStart}; i < index; ++i)
    start += static_cast<std::uint64_t>(source_length(i) + target_length(i));
  return start;
}

// Reads a pair. Returns false if it cannot be read or its sum is wrong.
bool ParallelCorpus::read_pair(std::int64_t index, std::uint64_t start, Pair& pair) const {
  const auto i = static_cast<std::uint64_t>(index);
  const auto ids = static_cast<std::uint64_t>(source_length(index) + target_length(index));
  std::array<std::byte, sizeof(std::uint32_t)> stored_sum{};
  pair.bytes.resize(ids * layout_.id_bytes);
  if (!file_.read(layout_.ids_at() + start * layout_.id_bytes, pair.bytes) ||
      !file_.read(layout_.sums_at() + i * stored_sum.size(), stored_sum))
    return false;
  const auto* place = pair.bytes.data();
  const auto take = [&](Ids& sentence, std::int64_t count) {
    sentence.resize(static_cast<std::size_t>(count));
    for (auto& id : sentence) {
      id = static_cast<Id>(load_number(place, layout_.id_bytes));
      place += layout_.id_bytes;
    }
  };
  take(pair.source, source_length(index));
  take(pair.target, target_length(index));
  return load_number(stored_sum.data(), stored_sum.size()) == sum_ids(pair.target, sum_ids(pair.source));
}

ParallelCorpus::Pair ParallelCorpus::pair(std::int64_t index) const {
  const auto damaged = [&](const std::string& what) {
    return DataError(printable(path_.string()) + ": pair " + std::to_string(index) + " " + what +
                     "; remove the file, and it is made again");
  };
  Pair pair;
  if (!read_pair(index, start(index), pair)) throw damaged("is damaged or cut off");
  if (!all_below(pair.source, source_vocabulary_) || !all_below(pair.target, target_vocabulary_))
    throw damaged("has an id outside the vocabulary");
  return pair;
}

Batch ParallelCorpus::batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  for (const auto index : indices) {
    auto read = pair(index);
    batch.source.push_back(std::move(read.source));
    batch.target.push_back(std::move(read.target));
    if (!links_) continue;
    auto links = links_->pair(index);
    batch.links.push_back({std::move(links.source), std::move(links.target)});
  }
  return batch;
}

void ParallelCorpus::set_vocabularies(std::int64_t source, std::int64_t target) {
  source_vocabulary_ = source;
  target_vocabulary_ = target;
}

void ParallelCorpus::set_links(ParallelCorpus links) {
  if (links.size() != size())
    throw DataError(printable(links.path_.string()) + ": wanted links of " + std::to_string(size()) + " pairs, got " +
                    std::to_string(links.size()) + "; remove the file, and it is made again");
  links_ = std::make_shared<const ParallelCorpus>(std::move(links));
}

}  // namespace gloss
