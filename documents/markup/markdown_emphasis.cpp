#include "documents/markup/markdown_emphasis.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

bool is_mark(char32_t character) { return kind_of(character) == CharacterKind::kOther && !is_white_space(character); }

}  // namespace

std::size_t MarkdownEmphasis::add_run(std::string_view text, std::size_t at, std::size_t first) {
  const char c = text[at];
  const auto end = std::min(text.find_first_not_of(c, at), text.size());
  const auto before = at > 0 ? decode_utf8(text, last_character(text.substr(0, at))).value.value_or(U' ') : U' ';
  const auto after = end < text.size() ? decode_utf8(text, end).value.value_or(U' ') : U' ';
  const bool opens = !is_white_space(after) && (!is_mark(after) || is_white_space(before) || is_mark(before));
  const bool closes = !is_white_space(before) && (!is_mark(before) || is_white_space(after) || is_mark(after));
  Run run{c, opens, closes, end - at, first, first + end - at, last_, kNone};
  if (c == '_') {
    run.opens = opens && (!closes || is_mark(before));
    run.closes = closes && (!opens || is_mark(after));
  }
  if (last_ != kNone) runs_[last_].after = runs_.size();
  last_ = runs_.size();
  runs_.push_back(run);
  return end;
}

bool MarkdownEmphasis::may_pair(const Run& opener, const Run& closer) {
  if (opener.character != closer.character || !opener.opens) return false;
  if (closer.character == '~') return opener.length == closer.length && closer.length <= 2;
  const bool is_ambiguous = opener.closes || closer.opens;
  return !is_ambiguous || (opener.length + closer.length) % 3 != 0 || opener.length % 3 == 0;
}

std::vector<MarkdownEmphasis::Pair> MarkdownEmphasis::pairs_after(std::size_t bottom) {
  std::vector<Pair> pairs;
  auto closer = last_ == bottom ? kNone : last_;
  while (closer != kNone && runs_[closer].before != bottom) closer = runs_[closer].before;
  std::map<std::tuple<char, bool, std::size_t>, std::size_t> floors;  // no opener before it fits such a closer
  while (closer != kNone) {
    auto& run = runs_[closer];
    auto& floor = floors.try_emplace({run.character, run.opens, run.length % 3}, bottom + 1).first->second;
    auto opener = run.closes ? run.before : kNone;
    while (opener != kNone && opener >= floor && !may_pair(runs_[opener], run)) opener = runs_[opener].before;
    const auto next = run.after;
    if (opener != kNone && opener >= floor) {
      auto& start = runs_[opener];
      run.before = opener;  // those between have no partner
      start.after = closer;
      const auto width = std::min({start.end - start.begin, run.end - run.begin, std::size_t{2}});
      pairs.push_back({start.end -= width, std::exchange(run.begin, run.begin + width), width});
      if (start.begin == start.end) remove(opener);
      if (run.begin < run.end) continue;
      remove(closer);
    } else if (run.closes) {
      floor = closer;
      if (!run.opens) remove(closer);
    }
    closer = next;
  }
  last_ = bottom;
  if (bottom != kNone) runs_[bottom].after = kNone;
  return pairs;
}

void MarkdownEmphasis::remove(std::size_t run) {
  const auto [before, after] = std::pair(runs_[run].before, runs_[run].after);
  if (before != kNone) runs_[before].after = after;
  if (after != kNone) runs_[after].before = before;
  if (last_ == run) last_ = before;
}

}  // namespace gloss
