#pragma once

#include <memory>

#include "common/files/document_input.h"
#include "documents/model/passage.h"

namespace gloss {

/// Returns a reader of SubRip subtitles (SRT). A passage has at most some hundred cues.
///
/// Cues that a sentence runs through are one unit: up to an end mark, a pause of 2 s, a line that begins with a dash,
/// brackets or a note, or another speaker (<v Name>, or a label in capitals such as "JOHN:"). Its translation is spread
/// over the same cues by lay_out_cues. Numbers, times, settings, line ends, the dash, label or brackets of a line, and
/// tags around a whole cue stay as they are; so does a cue whose times are damaged. Text after an empty line, up to the
/// next times, is a unit of its own. `next` throws DataError if the document has text but no cue, or is WebVTT.
std::unique_ptr<PassageReader> read_srt(DocumentInput input, const DocumentOptions& options);

/// Returns a reader of WebVTT (W3C, 2019), as above. The header, notes, styles, regions and cue ids stay as they are,
/// apart from the language in the header, which becomes that of the translation.
/// `next` throws DataError if the first line is not WEBVTT.
std::unique_ptr<PassageReader> read_vtt(DocumentInput input, const DocumentOptions& options);

}  // namespace gloss
