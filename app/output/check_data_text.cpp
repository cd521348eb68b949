#include "app/output/check_data_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "common/text/writing.h"

namespace gloss {
namespace {

constexpr std::size_t kCharactersShown = 8;

/// Returns "ß (U+00DF) 17": the character, its code point and its count.
std::string text_of(char32_t character, std::int64_t count) {
  std::string text;
  append_utf8(character, text);
  return printable(text) + " (" + character_text(character) + ") " + std::to_string(count);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %%",
                100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1)));
  return text.data();
}

std::string side_line(const std::string& side, const std::filesystem::path& path, const TextReport& text,
                      bool in_pieces) {
  std::string line = "  " + side + "  " + printable(path.string()) + ": " + counted(text.lines, "line") + ", " +
                     counted(text.units, in_pieces ? "piece" : "word");
  if (!in_pieces) return line + '\n';
  line += ", " + percent(text.unknown_pieces, text.units) + " unknown";
  const auto shown = std::min(kCharactersShown, text.unknown_characters.size());
  for (std::size_t i = 0; i < shown; ++i)
    line += (i == 0 ? ": " : ", ") + text_of(text.unknown_characters[i].first, text.unknown_characters[i].second);
  if (shown < text.unknown_characters.size())
    line += " and " + counted(text.unknown_characters.size() - shown, "character") + " more";
  return line + '\n';
}

std::string finding_line(const Finding& finding) {
  if (finding.refused) return "   refused  " + finding.message + '\n';
  auto count = std::to_string(finding.lines.count);
  count.insert(0, 10 - std::min<std::size_t>(count.size(), 10), ' ');
  return count + "  " + (finding.side.empty() ? "" : finding.side + ' ') + finding.message + " (" +
         finding.lines.text() + ")\n";
}

}  // namespace

std::string to_lines(const DataCheck& check) {
  std::string lines;
  std::size_t odd = 0, refused = 0;
  for (const auto& [set, corpus, findings] : check.sets) {
    lines += use_name(set.use);
    if (corpus) {
      lines += ": " + counted(corpus->pairs, "pair") + ", " + std::to_string(corpus->fit_pairs) +
               " of them fit for training" + (check.in_pieces ? "\n" : " as far as words tell\n");
      lines += side_line("source", set.source, corpus->source, check.in_pieces);
      lines += side_line("target", set.target, corpus->target, check.in_pieces);
    } else {
      lines += '\n';
    }
    for (const auto& finding : findings) {
      lines += finding_line(finding);
      ++(finding.refused ? refused : odd);
    }
  }
  if (refused > 0) return lines + "training would refuse this\n";
  return lines + (odd > 0 ? "usable, with " + counted(odd, "finding") + '\n'
                          : "usable, nothing was found (whether the lines translate each other is not checked)\n");
}

}  // namespace gloss
