#pragma once

#include <span>
#include <vector>

#include "common/text/text_span.h"
#include "documents/model/inline_text.h"
#include "documents/model/passage.h"

namespace gloss {

/// A cue that shows a part of a unit.
struct CueSlot {
  TextSpan range;      ///< bytes of the passage
  TextSpan source;     ///< bytes of the unit's text
  double seconds = 0;  ///< that the cue is shown
};

/// Returns the part of a translation that each cue shows, with '\n' for line breaks.
///
/// The cuts between cues minimize the sum of: the squared difference to the cue's share of the source, links to words
/// of other cues, cuts without punctuation, columns beyond two lines, and columns beyond 17 for each second. Every cue
/// has at least one word; if there are too few, some repeat that of the cue before. A pair that a cut runs through is
/// closed at the end of the cue and opened again in the next, so its tags may occur several times. Marks (times,
/// {\an8}) stay in their cue.
///
/// Lines have at most 42 columns, of which a Chinese or Japanese character takes two. There are as few as possible,
/// about equally long, broken after punctuation where that is near. Returns no parts for a translation without words.
std::vector<InlineText> lay_out_cues(const UnitTranslation& translation, std::span<const CueSlot> cues);

}  // namespace gloss
