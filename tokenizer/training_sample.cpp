#include "tokenizer/training_sample.h"

#include "common/text/visible_text.h"

namespace gloss {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

}  // namespace

bool UnusableLines::accept(std::string_view line, bool is_text, std::int64_t number) {
  if (line.size() > kMaxLineBytes) {
    too_long.note(number);
    return false;
  }
  if (!is_text) {
    not_utf8.note(number);
    return false;
  }
  return !is_blank(line);
}

void TrainingSample::add(std::string_view line, bool is_text) {
  ++lines_;
  const bool usable = unusable_.accept(line, is_text, lines_);
  if (!complete()) blocks_.clear();
  if (!usable || !complete()) return;
  if (blocks_.empty() || blocks_.back().size() + line.size() >= kBlockBytes) {
    blocks_.emplace_back();
    blocks_.back().reserve(kBlockBytes);
  }
  blocks_.back().append(line) += '\n';
}

bool TrainingSample::take(std::string& line) {
  if (blocks_.empty()) return false;
  const auto& block = blocks_.front();
  const auto end = block.find('\n', place_);
  line.assign(block, place_, end - place_);
  place_ = end + 1;
  if (place_ == block.size()) {
    blocks_.pop_front();
    place_ = 0;
  }
  return true;
}

}  // namespace gloss
