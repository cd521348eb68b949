#include "data/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr std::string_view kBetween = " \t";
constexpr std::int64_t kLinesToOneUnusable = 100;

/// Removes the next field from the front of a line and returns it; empty at the end.
std::string_view take_field(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
  const auto field = rest.substr(0, rest.find_first_of(kBetween));
  rest.remove_prefix(field.size());
  return field;
}

std::int64_t count_fields(std::string_view rest) {
  std::int64_t count = 0;
  while (!take_field(rest).empty()) ++count;
  return count;
}

std::optional<std::int64_t> whole_number(std::string_view field) {
  const auto number = parse_number<std::int64_t>(field);
  return number > 0 ? number : std::nullopt;
}

std::optional<float> finite_number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto number = static_cast<float>(parse_number<double>(field).value_or(HUGE_VAL));
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::vector<float>> finite_numbers(std::string_view rest) {
  std::vector<float> numbers;
  for (auto field = take_field(rest); !field.empty(); field = take_field(rest)) {
    const auto number = finite_number(field);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

struct Heading {
  std::int64_t words, width;
};

/// Returns the heading if the line has two whole numbers and nothing else. A word with a vector of one number looks the
/// same, but such vectors are not used.
std::optional<Heading> heading_of(std::string_view line) {
  const auto words = whole_number(take_field(line)), width = whole_number(take_field(line));
  return words && width && take_field(line).empty() ? std::optional(Heading{*words, *width}) : std::nullopt;
}

struct Row {
  bool exact;
  std::vector<float> values;
};

void expect_width(const std::filesystem::path& path, std::int64_t wanted, std::int64_t got) {
  if (got == 0)
    throw DataError(printable(path.string()) +
                    ": wanted a text file of vectors, a word and its numbers a line, got a first line without numbers");
  if (got != wanted)
    throw DataError(printable(path.string()) + ": wanted vectors of model.d_model = " + std::to_string(wanted) +
                    " numbers, got " + std::to_string(got) + "; set model.d_model to that, or use other vectors");
}

}  // namespace

void PieceSpellings::add(Id id, const std::string& piece) {
  if (id == kPad) return;
  ++pieces_;
  meanings_[piece].push_back({id, true});
  if (piece.size() > kSpaceMark.size() && piece.starts_with(kSpaceMark))
    meanings_[piece.substr(kSpaceMark.size())].push_back({id, false});
}

const std::vector<PieceSpellings::Meaning>& PieceSpellings::operator[](const std::string& spelling) const {
  static const std::vector<Meaning> kNone;
  const auto found = meanings_.find(spelling);
  return found == meanings_.end() ? kNone : found->second;
}

WordVectors read_word_vectors(const std::filesystem::path& path, const PieceSpellings& pieces, std::int64_t width,
                              const std::function<void()>& before_line) {
  WordVectors vectors;
  std::map<Id, Row> found;
  const bool checks_only = pieces.size() == 0;  // the tokenizer is not trained yet
  bool has_numbers = false;
  // Takes the vector of a line. Returns false if the line is not a word and `width` finite numbers.
  const auto take_line = [&](std::string_view rest) {
    const std::string word(take_field(rest));
    if (count_fields(rest) != width || !is_text(word)) return false;
    const auto& meanings = pieces[word];
    if (meanings.empty() && !checks_only) return true;
    const auto values = finite_numbers(rest);
    if (!values) return false;
    has_numbers |= std::ranges::any_of(*values, [](float value) { return value != 0; });
    for (const auto& [id, exact] : meanings) {
      const auto [row, is_new] = found.try_emplace(id, Row{exact, *values});
      if (!is_new && exact && !row->second.exact) row->second = {exact, *values};
    }
    return true;
  };

  LineReader lines(path);
  for (std::string line; lines.next(line);) {
    if (before_line) before_line();
    if (lines.line_number() == 1 && !lines.overlong()) {
      const auto heading = heading_of(line);
      expect_width(path, width, heading ? heading->width : std::max<std::int64_t>(count_fields(line) - 1, 0));
      if (heading) vectors.announced = heading->words;
      if (heading) continue;
    }
    if (line.find_first_not_of(kBetween) == line.npos && !lines.overlong()) continue;
    ++vectors.words;
    if (lines.overlong() || !take_line(line)) vectors.unusable.note(lines.line_number());
  }

  const auto where = printable(path.string()) + ": ";
  if (vectors.unusable.count * kLinesToOneUnusable > vectors.words)
    throw DataError(where + "wanted a word and " + std::to_string(width) + " finite numbers a line, got " +
                    std::to_string(vectors.unusable.count) + " of " + std::to_string(vectors.words) +
                    " lines with something else (" + vectors.unusable.text() + ")");
  if (found.empty() && !checks_only)
    throw DataError(where + "none of the " + std::to_string(pieces.size()) + " pieces is among its " +
                    std::to_string(vectors.words) + " words; wanted vectors of the tokenizer's pieces or of words");
  if (!has_numbers)
    throw DataError(where + "wanted vectors, got " + (vectors.words == 0 ? "no words" : "zeros for every piece"));
  for (const auto& [id, row] : found) {
    vectors.ids.push_back(id);
    vectors.values.insert(vectors.values.end(), row.values.begin(), row.values.end());
  }
  return vectors;
}

}  // namespace gloss
