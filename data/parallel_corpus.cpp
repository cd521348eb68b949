#include "data/parallel_corpus.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/log.h"
#include "common/sha256.h"

namespace gloss {
namespace {

constexpr std::size_t kSumDigits = 64;
// Behind the footer: its sum, its length, the mark of the end.
constexpr std::size_t kTailBytes = kSumDigits + sizeof(std::uint64_t) + CorpusLayout::kEnd.size();

struct DamagedCorpus {
  std::string what;
};

void expect_whole(bool holds, const char* what) {
  if (!holds) throw DamagedCorpus{what};
}

std::string_view text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t load_start(const std::byte* place) {
  std::uint64_t value = 0;
  std::memcpy(&value, place, sizeof value);
  return value;
}

}  // namespace

ParallelCorpus ParallelCorpus::read(const std::filesystem::path& source, const std::filesystem::path& target,
                                    const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                                    const Options& options) {
  const std::filesystem::path name = "a corpus in memory";
  const auto file = open_memory_file();
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) {
        if (!write_all(file, bytes)) throw_io_error(name, "write");
      },
      std::max(source_tokenizer.vocabulary_size(), target_tokenizer.vocabulary_size()), options.max_length);
  writer.finish({}, encode_corpus({source, target, &source_tokenizer, &target_tokenizer}, options, writer));
  return open(MappedFile(file, name), name);
}

ParallelCorpus ParallelCorpus::open(MappedFile file, std::filesystem::path path) {
  ParallelCorpus corpus(std::move(file), std::move(path));
  try {
    corpus.read_footer();
    corpus.check_index();
  } catch (const DamagedCorpus& damage) {
    throw DataError(printable(corpus.path_.string()) + ": wanted a corpus file, got " + damage.what);
  } catch (const Json::exception&) {
    throw DataError(printable(corpus.path_.string()) + ": wanted a corpus file, got a footer of other keys");
  }
  return corpus;
}

ParallelCorpus::ParallelCorpus(MappedFile file, std::filesystem::path path)
    : file_(std::move(file)), path_(std::move(path)) {}

void ParallelCorpus::read_footer() {
  const auto text = text_of_bytes(file_.bytes());
  expect_whole(text.starts_with(CorpusLayout::kBegin), "something else, or one of another version");
  expect_whole(text.size() >= CorpusLayout::kBegin.size() + kTailBytes && text.ends_with(CorpusLayout::kEnd),
               "one that is cut off");
  const auto tail = text.substr(text.size() - kTailBytes);
  const auto bytes = load_start(file_.bytes().last(sizeof(std::uint64_t) + CorpusLayout::kEnd.size()).data());
  expect_whole(bytes <= text.size() - kTailBytes, "a footer longer than the file");
  const auto footer = text.substr(text.size() - kTailBytes - bytes, bytes);
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
    expect_whole(*value <= text.size(), "a footer with impossible sizes");
  }
  for (const auto width : {layout_.id_bytes, layout_.length_bytes})
    expect_whole(width == 2 || width == 4, "numbers of another width");
  expect_whole(layout_.footer_at() == text.size() - kTailBytes - bytes, "one of another size than it says");
  report_ = read_corpus_report(json.at("report"));
  hash_ = json.at("hash").get<std::string>();
  index_sha256_ = json.at("index_sha256").get<std::string>();
  key_ = json.at("key");
}

// And, of a small file, the pairs. Behind it no start leads out of the file.
void ParallelCorpus::check_index() const {
  Sha256 sum;
  const auto index_at = layout_.ids_at() + layout_.ids * layout_.id_bytes;
  sum.update(file_.bytes().subspan(index_at, layout_.footer_at() - index_at));
  expect_whole(sum.hex() == index_sha256_, "a damaged index");

  const bool whole = file_.bytes().size() <= kCheckedAtOnce;
  std::uint64_t begin = 0;
  Pair pair;
  for (std::int64_t i = 0; i < size(); ++i) {
    expect_whole(i % std::int64_t{CorpusLayout::kPairsToAStart} != 0 || start(i) == begin, "starts that are not right");
    const auto next = begin + static_cast<std::uint64_t>(source_length(i) + target_length(i));
    expect_whole(next <= layout_.ids, "sentences that go on behind its end");
    if (whole) expect_whole(read_pair(i, begin, pair), "damaged sentences");
    begin = next;
  }
  expect_whole(begin == layout_.ids, "fewer sentences than ids");
}

std::uint64_t ParallelCorpus::start(std::int64_t index) const {
  const auto block = index / std::int64_t{CorpusLayout::kPairsToAStart};
  auto start = load_start(file_.bytes().data() + layout_.starts_at() +
                          static_cast<std::uint64_t>(block) * sizeof(std::uint64_t));
  for (auto i = block * std::int64_t{CorpusLayout::kPairsToAStart}; i < index; ++i)
    start += static_cast<std::uint64_t>(source_length(i) + target_length(i));
  return start;
}

// False where the sum is not that of the pair.
bool ParallelCorpus::read_pair(std::int64_t index, std::uint64_t start, Pair& pair) const {
  const auto* place = file_.bytes().data() + layout_.ids_at() + start * layout_.id_bytes;
  const auto read = [&](Ids& ids, std::int64_t count) {
    ids.resize(static_cast<std::size_t>(count));
    for (auto& id : ids) {
      id = static_cast<Id>(load_number(place, layout_.id_bytes));
      place += layout_.id_bytes;
    }
  };
  read(pair.source, source_length(index));
  read(pair.target, target_length(index));
  const auto* wanted =
      file_.bytes().data() + layout_.sums_at() + static_cast<std::uint64_t>(index) * sizeof(std::uint32_t);
  return load_number(wanted, sizeof(std::uint32_t)) == sum_ids(pair.target, sum_ids(pair.source));
}

ParallelCorpus::Pair ParallelCorpus::pair(std::int64_t index) const {
  Pair pair;
  if (!read_pair(index, start(index), pair))
    throw DataError(printable(path_.string()) + ": pair " + std::to_string(index) +
                    " is damaged; remove the file, and it is made again");
  return pair;
}

Batch ParallelCorpus::batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  for (const auto index : indices) {
    auto [source, target] = pair(index);
    batch.source.push_back(std::move(source));
    batch.target.push_back(std::move(target));
  }
  return batch;
}

}  // namespace gloss
