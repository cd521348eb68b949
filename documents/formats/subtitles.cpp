#include "documents/formats/subtitles.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/split.h"
#include "documents/formats/subtitle_layout.h"
#include "documents/formats/subtitle_text.h"

namespace gloss {
namespace {

constexpr std::size_t kCuesOfPassage = 100, kMaxCuesOfPassage = 200;
constexpr std::size_t kMaxPassageBytes = 1 << 20;
constexpr std::size_t kMaxCueBytes = 1 << 14;                     // a longer cue counts as damaged
constexpr std::size_t kMaxCuesOfUnit = 12, kMaxUnitBytes = 1000;  // captions without any punctuation are cut
constexpr double kMaxPause = 2;                                   // seconds

struct CueTimes {
  double begin = 0, end = 0;  ///< seconds
};

struct Cue {
  CueTimes times;
  std::size_t number = 0;       ///< in the document, from 1
  std::size_t begin = 0;        ///< byte of the passage
  std::vector<TextSpan> lines;  ///< bytes of the passage, without white space around them
};

/// Skips white space and "01:02:03,456", also with . or without hours. Returns the seconds.
std::optional<double> skip_time(std::string_view& text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  const auto end = std::min(text.find_first_not_of("0123456789:.,", begin), text.size());
  std::string time(text.substr(begin, end - begin));
  std::ranges::replace(time, ',', '.');
  text.remove_prefix(end);
  const auto parts = split_text(time, ':');
  double seconds = 0;
  for (const auto part : parts) {
    const auto number = parse_number<double>(part);
    if (!number) return std::nullopt;
    seconds = 60 * seconds + *number;
  }
  return parts.size() == 2 || parts.size() == 3 ? std::optional(seconds) : std::nullopt;
}

/// Reads "00:00:01,000 --> 00:00:02,000", with anything after white space.
std::optional<CueTimes> times_of(std::string_view line) {
  const auto arrow = line.find("-->");
  if (arrow == line.npos) return std::nullopt;
  auto first = line.substr(0, arrow), second = line.substr(arrow + 3);
  const auto begin = skip_time(first), end = skip_time(second);
  const bool has_space_after = second.empty() || kAsciiSpace.find(second[0]) != kAsciiSpace.npos;
  if (!begin || !end || first.find_first_not_of(" \t") != first.npos || !has_space_after) return std::nullopt;
  return CueTimes{*begin, *end};
}

/// Returns whether a text has digits only; true for an empty one.
bool is_cue_number(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

/// A unit with its cues.
struct CueUnit {
  Unit unit;
  std::vector<CueSlot> slots;
  CueTimes times;  ///< of the last cue
  std::size_t number = 0;
  std::string speaker;
  bool is_complete = false;

  bool continues_in(const Cue& cue, const CuePart& part) const {
    return !is_complete && !part.begins_unit && number + 1 == cue.number && speaker == part.speaker &&
           cue.times.begin > times.begin && cue.times.begin - times.end < kMaxPause && slots.size() < kMaxCuesOfUnit &&
           unit.source.text.size() + part.text.text.size() < kMaxUnitBytes;
  }

  void add(const Cue& cue, CuePart part) {
    auto& [text, elements] = unit.source;
    text += line_joint(text, part.text.text);
    const auto first = elements.size();
    for (auto& element : part.text.elements) {
      element.offset += text.size();
      if (element.partner != InlineElement::kNone) element.partner += first;
      elements.push_back(std::move(element));
    }
    slots.push_back({part.range, {text.size(), text.size() + part.text.text.size()}, cue.times.end - cue.times.begin});
    text += part.text.text;
    times = cue.times;
    number = cue.number;
    speaker = std::move(part.speaker);
    is_complete = part.ends_unit || ends_with_mark(text);
  }
};

/// Returns the new texts of the cues of one unit.
void render_unit(const CueUnit& unit, const UnitTranslation& translation, std::string_view line_end,
                 SubtitleFormat format, std::vector<Replacement>& replacements) {
  if (is_unchanged(unit.unit.source, translation.target)) return;
  const auto escape = [&](std::string_view text) {
    auto escaped = escape_cue_text(text, format);
    for (std::size_t at = 0; (at = escaped.find('\n', at)) != escaped.npos; at += line_end.size())
      escaped.replace(at, 1, line_end);
    return escaped;
  };
  const auto parts = lay_out_cues(translation, unit.slots);
  for (std::size_t i = 0; i < parts.size(); ++i)
    replacements.push_back({unit.slots[i].range, rendered(parts[i], escape)});
}

class SubtitleReader final : public PassageReader {
 public:
  SubtitleReader(DocumentInput input, SubtitleFormat format, std::string target_language)
      : input_(std::move(input)), format_(format), target_language_(std::move(target_language)) {}

  std::optional<Passage> next() override {
    bytes_ = std::exchange(next_line_, {});
    cues_.clear();
    if (!bytes_.empty()) begin_cue(next_times_);
    if (!read_cues()) return std::nullopt;
    Passage passage{.bytes = std::move(bytes_), .units = {}, .render = {}};
    auto units = units_of(passage.bytes);
    for (const auto& unit : units) passage.units.push_back(unit.unit);
    if (!units.empty())
      passage.render = [units = std::move(units), line_end = line_end_, format = format_](auto translations) {
        std::vector<Replacement> replacements;
        for (std::size_t i = 0; i < units.size(); ++i)
          render_unit(units[i], translations[i], line_end, format, replacements);
        return replacements;
      };
    return passage;
  }

 private:
  /// State at the end of a line.
  enum class Place {
    kOutside,  ///< in a header, a note, a damaged cue
    kText,     ///< after the times of a cue, or its text
    kGap,      ///< SRT: after an empty line, where the text may go on
  };

  /// Reads the lines of a passage; false at the end of the document.
  bool read_cues() {
    std::string line;
    while (input_.next_line(line)) {
      read_header(line);
      if (const auto times = times_of(line)) {
        drop_number();
        if (is_full(*times)) {
          next_line_ = std::move(line);
          next_times_ = *times;
          return true;
        }
        const auto end = line.find_last_not_of("\r\n") + 1;
        if (end < line.size()) line_end_ = line.substr(end);
        begin_cue(*times);
      } else {
        add_line(line);
      }
      bytes_ += line;
      if (bytes_.size() > kMaxPassageBytes && place_ != Place::kText) {
        place_ = Place::kOutside;
        return true;
      }
    }
    if (format_ == SubtitleFormat::kSrt && count_ == 0 && has_text_)
      throw DataError(input_.name() +
                      ": wanted subtitles (SRT) with times such as 00:00:01,000 --> 00:00:02,000, got none");
    return !bytes_.empty();
  }

  /// Checks the first line, and sets the language in the lines up to the first empty one.
  void read_header(std::string& line) {
    constexpr std::string_view kLanguage = "Language:";
    in_header_ = in_header_ && line.find_first_not_of("\r\n") != line.npos;
    if (in_header_ && line.starts_with(kLanguage) && !target_language_.empty())
      line.replace(kLanguage.size(), line.find_last_not_of("\r\n") + 1 - kLanguage.size(), " " + target_language_);
    if (input_.line_number() != 1) return;
    const bool is_vtt = line.starts_with("WEBVTT");
    if (is_vtt != (format_ == SubtitleFormat::kVtt))
      throw DataError(input_.name() +
                      ": line 1: " + (is_vtt ? "wanted SRT, got WebVTT" : "wanted WEBVTT, got other text") +
                      "; choose another format");
  }

  void begin_cue(CueTimes times) {
    cues_.push_back({times, ++count_, bytes_.size(), {}});
    place_ = Place::kText;
  }

  /// Returns whether a passage ends before a cue.
  bool is_full(CueTimes times) const {
    if (bytes_.size() > kMaxPassageBytes || cues_.size() >= kMaxCuesOfPassage) return true;
    if (cues_.size() < kCuesOfPassage) return false;
    const auto parts = parts_of_cue(bytes_, cues_.back().lines, format_);
    return parts.empty() || ends_with_mark(parts.back().text.text) || times.begin - cues_.back().times.end >= kMaxPause;
  }

  /// Takes a number right before times out of the text of the cue before.
  void drop_number() {
    if (format_ == SubtitleFormat::kVtt || place_ != Place::kText || cues_.back().lines.empty()) return;
    if (is_cue_number(cues_.back().lines.back().of(bytes_))) cues_.back().lines.pop_back();
  }

  void add_line(std::string_view line) {
    const auto begin = std::min(line.find_first_not_of(kAsciiSpace), line.size());
    const auto text = line.substr(begin, line.find_last_not_of(kAsciiSpace) + 1 - begin);
    const TextSpan range{bytes_.size() + begin, bytes_.size() + begin + text.size()};
    has_text_ = has_text_ || !text.empty();
    const bool has_digit = !text.empty() && is_cue_number(text.substr(0, 1));
    if (text.find(has_digit ? "->" : "-->") != text.npos) {  // damaged times
      drop_number();
      place_ = Place::kOutside;
    } else if (place_ == Place::kText) {
      const bool is_end = format_ == SubtitleFormat::kSrt ? text.empty() : line.find_first_not_of("\r\n") == line.npos;
      if (is_end) place_ = format_ == SubtitleFormat::kSrt ? Place::kGap : Place::kOutside;
      if (!text.empty()) cues_.back().lines.push_back(range);
      if (range.end - cues_.back().begin <= kMaxCueBytes) return;
      cues_.back().lines.clear();
      place_ = Place::kOutside;
    } else if (place_ == Place::kGap && !is_cue_number(text)) {
      const bool has_space = cues_.size() < kMaxCuesOfPassage;
      place_ = has_space ? Place::kText : Place::kOutside;
      if (has_space) cues_.push_back({cues_.back().times, count_, bytes_.size(), {range}});
    }
  }

  std::vector<CueUnit> units_of(std::string_view bytes) const {
    std::vector<CueUnit> units;
    for (const auto& cue : cues_)
      for (auto& part : parts_of_cue(bytes, cue.lines, format_)) {
        if (units.empty() || !units.back().continues_in(cue, part))
          units.emplace_back().unit.id = "cue " + std::to_string(cue.number);
        units.back().add(cue, std::move(part));
      }
    return units;
  }

  DocumentInput input_;
  SubtitleFormat format_;
  std::string bytes_;  ///< of the passage, so far
  std::vector<Cue> cues_;
  std::string target_language_;
  bool in_header_ = true;
  std::size_t count_ = 0;  ///< cues of the document, so far
  Place place_ = Place::kOutside;
  bool has_text_ = false;
  std::string line_end_ = "\n";
  std::string next_line_;  ///< the times of the first cue of the next passage
  CueTimes next_times_;
};

}  // namespace

std::unique_ptr<PassageReader> read_srt(DocumentInput input, const DocumentOptions&) {
  return std::make_unique<SubtitleReader>(std::move(input), SubtitleFormat::kSrt, "");
}

std::unique_ptr<PassageReader> read_vtt(DocumentInput input, const DocumentOptions& options) {
  return std::make_unique<SubtitleReader>(std::move(input), SubtitleFormat::kVtt, options.target_language);
}

}  // namespace gloss
