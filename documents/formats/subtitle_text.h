#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"
#include "documents/model/inline_text.h"

namespace gloss {

enum class SubtitleFormat { kSrt, kVtt };

/// Lines of a cue that are translated together: those of one speaker, a sound ([door opens]), a line of a song.
struct CuePart {
  TextSpan range;           ///< bytes that a translation replaces, without the tags, dash or brackets around them
  InlineText text;          ///< one line
  std::string speaker;      ///< of WebVTT's <v Name>
  bool begins_unit = true;  ///< does not continue a sentence of the cue before
  bool ends_unit = true;    ///< does not continue in the next cue
};

/// Returns the parts of a cue with letters or digits. `lines` are its lines without line ends and white space around
/// them.
std::vector<CuePart> parts_of_cue(std::string_view bytes, std::span<const TextSpan> lines, SubtitleFormat format);

/// Returns what stands between two texts that become one line: a space, or nothing between Chinese or Japanese.
std::string_view line_joint(std::string_view before, std::string_view after);

/// Returns the text as a cue spells it: WebVTT escapes & < and >; in SRT an arrow would end the text.
std::string escape_cue_text(std::string_view text, SubtitleFormat format);

}  // namespace gloss
