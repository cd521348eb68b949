#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/line_reader.h"
#include "common/text/noted_lines.h"
#include "evaluation/bleu/bleu.h"
#include "pipeline/models/translation_model.h"
#include "pipeline/text_pairs.h"

namespace gloss {

/// The lines of a text: none is left out; broken UTF-8, or a NUL, becomes U+FFFD, of which a warning is logged. Throws
/// as LineReader does, and DataError where a line is too long to be kept whole.
std::vector<std::string> read_lines(const std::filesystem::path& path, Passes passes = Passes::kSeveral);

/// Throws DataError where the counts of lines differ, and as read_lines.
TestSet read_test_set(const std::filesystem::path& source, const std::filesystem::path& reference);

/// The best translation of each line.
struct Translations {
  std::vector<std::string> texts;
  NotedLines truncated;  ///< of which only the beginning was translated: the model takes no longer ones
};

/// Shows its progress at the foot of a terminal, where it is called `job`. Throws Stopped where a signal asks for an
/// end.
Translations translate_texts(const LineTranslator& translator, const DecodingConfig& decoding,
                             std::span<const std::string> lines, const std::string& job = "translating");

/// Says that not all of `text` ("the validation source") was translated, where it was not.
void warn_of_truncated(std::string_view text, const NotedLines& truncated, std::int64_t max_length);

/// Both of it, for the source of a test.
std::vector<std::string> translate_lines(const LineTranslator& translator, const DecodingConfig& decoding,
                                         std::span<const std::string> lines);

/// Translates the sources and scores the best hypotheses against the references.
Bleu evaluate_model(const LineTranslator& translator, const DecodingConfig& decoding, const TestSet& test,
                    BleuTokenizer tokenizer = BleuTokenizer::k13a);

}  // namespace gloss
