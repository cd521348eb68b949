#include "data/corpus_writer.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.h"

namespace gloss {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

void append_number(std::vector<std::byte>& bytes, std::uint64_t width, std::uint64_t value) {
  for (std::uint64_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

}  // namespace

CorpusWriter::CorpusWriter(Sink sink, std::int64_t vocabulary_size, std::int64_t max_length) : sink_(std::move(sink)) {
  layout_.id_bytes = CorpusLayout::width_of(vocabulary_size - 1);
  layout_.length_bytes = max_length == 0 ? 4 : CorpusLayout::width_of(max_length);
  put(std::as_bytes(std::span(CorpusLayout::kBegin)));
}

void CorpusWriter::add(std::span<const Id> source, std::span<const Id> target) {
  if (layout_.pairs == std::numeric_limits<std::uint32_t>::max())
    throw DataError("training corpus: wanted fewer than 2^32 sentence pairs, got more; divide the text");
  if (layout_.pairs % CorpusLayout::kPairsToAStart == 0) starts_.push_back(layout_.ids);
  append_number(source_lengths_, layout_.length_bytes, source.size());
  append_number(target_lengths_, layout_.length_bytes, target.size());
  sums_.push_back(sum_ids(target, sum_ids(source)));
  pair_ = {static_cast<Id>(source.size()), static_cast<Id>(target.size())};
  for (const auto ids : {source, target}) {
    pair_.insert(pair_.end(), ids.begin(), ids.end());
    for (const Id id : ids) append_number(buffer_, layout_.id_bytes, static_cast<std::uint64_t>(id));
  }
  hash_.update(std::as_bytes(std::span(pair_)));
  layout_.ids += source.size() + target.size();
  ++layout_.pairs;
  if (buffer_.size() >= kBufferBytes) flush();
}

void CorpusWriter::finish(const Json& key, std::span<const CorpusReport> reports) {
  Sha256 index;
  const auto put_part = [&](std::span<const std::byte> part) {
    index.update(part);
    put(part);
    const auto zeros = padding();
    index.update(zeros);
    put(zeros);
  };
  put_part({});  // the padding after the ids
  put_part(std::as_bytes(std::span(starts_)));
  put_part(source_lengths_);
  put_part(target_lengths_);
  put_part(std::as_bytes(std::span(sums_)));
  auto texts = Json::array();
  for (const auto& report : reports) texts.push_back(to_json(report));
  const auto footer = to_text({{"key", key},
                               {"texts", texts},
                               {"pairs", layout_.pairs},
                               {"ids", layout_.ids},
                               {"id_bytes", layout_.id_bytes},
                               {"length_bytes", layout_.length_bytes},
                               {"hash", hash_.hex()},
                               {"index_sha256", index.hex()}});
  put(std::as_bytes(std::span(footer)));
  const auto footer_sum = sha256(footer);
  put(std::as_bytes(std::span(footer_sum)));
  append_number(buffer_, sizeof(std::uint64_t), footer.size());
  put(std::as_bytes(std::span(CorpusLayout::kEnd)));
  flush();
}

void CorpusWriter::put(std::span<const std::byte> bytes) {
  if (bytes.size() < kBufferBytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return;
  }
  flush();
  sink_(bytes);
  written_ += bytes.size();
}

void CorpusWriter::flush() {
  sink_(buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

std::span<const std::byte> CorpusWriter::padding() const {
  static constexpr std::array<std::byte, 8> kZeros{};
  const auto place = written_ + buffer_.size();
  return std::span(kZeros).first(static_cast<std::size_t>(CorpusLayout::aligned(place) - place));
}

}  // namespace gloss
