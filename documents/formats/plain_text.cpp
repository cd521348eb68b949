#include "documents/formats/plain_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/text/split.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr std::int64_t kPassageLines = 100;
constexpr std::size_t kPassageBytes = 64 << 10;

class PlainTextReader final : public PassageReader {
 public:
  PlainTextReader(DocumentInput input, SentenceMode mode) : input_(std::move(input)), mode_(mode) {}

  std::optional<Passage> next() override {
    Passage passage;
    std::vector<TextSpan> ranges;
    const auto first_line = input_.line_number();
    TextSpan unit;
    const auto end_unit = [&] {
      if (has_letter(unit.of(passage.bytes))) {
        ranges.push_back(unit);
        passage.units.push_back(
            {"line " + std::to_string(unit_line_), {std::string(unit.of(passage.bytes)), {}}, mode_, true});
      }
      unit = {passage.bytes.size(), passage.bytes.size()};
    };
    for (std::string line; input_.next_line(line);) {
      if (unit.empty()) unit_line_ = input_.line_number();
      const auto text_end = line.find_last_not_of(kAsciiSpace) + 1;  // 0 for an empty line
      if (text_end > 0) unit.end = passage.bytes.size() + text_end;
      passage.bytes += line;
      const bool ends_unit =
          mode_ != SentenceMode::kWrapped || text_end == 0 || cuts_paragraph(passage.bytes.size() - unit.begin, line);
      if (ends_unit) end_unit();
      if (ends_unit && (input_.line_number() - first_line >= kPassageLines || passage.bytes.size() >= kPassageBytes))
        break;
    }
    end_unit();
    if (passage.bytes.empty()) return std::nullopt;
    passage.render = [ranges = std::move(ranges)](std::span<const UnitTranslation> translations) {
      std::vector<Replacement> replacements;
      for (std::size_t i = 0; i < ranges.size(); ++i)
        replacements.push_back(
            {ranges[i], rendered(translations[i].target, [](std::string_view text) { return std::string(text); })});
      return replacements;
    };
    return passage;
  }

 private:
  DocumentInput input_;
  SentenceMode mode_;
  std::int64_t unit_line_ = 1;
};

}  // namespace

std::unique_ptr<PassageReader> read_plain_text(DocumentInput input, const DocumentOptions& /*options*/,
                                               SentenceMode mode) {
  return std::make_unique<PlainTextReader>(std::move(input), mode);
}

}  // namespace gloss
