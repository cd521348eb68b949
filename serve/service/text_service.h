#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sentences/sentence_splitter.h"
#include "documents/model/passage.h"
#include "serve/service/sentence_cache.h"
#include "serve/service/served_models.h"

namespace gloss {

/// Texts to translate by one way through the models.
struct TextJob {
  std::vector<std::string> texts;                ///< valid UTF-8
  std::string format = "txt";                    ///< a name of document_formats() that is one of text
  SentenceMode mode = SentenceMode::kParagraph;  ///< of plain text
  /// Reads a text in place of the reader of `format`; empty: that one.
  std::function<Passage(std::string text, const DocumentOptions& options)> read = {};
  std::vector<std::pair<std::string, std::string>> glossary = {};  ///< phrases and what they become
  std::size_t alternatives = 0;                                    ///< further translations of each text, at most
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};       ///< the client has left
  SentenceCache* cache = nullptr;  ///< may be null
};

struct TextAnswer {
  std::string text;
  std::vector<std::string> alternatives;  ///< that differ from `text` and from each other
  double confidence = 1;  ///< mean of the units' (UnitTranslation::confidence); of two models the product
};

/// Returns the settings of a search for the best translation.
DecodingConfig best_of(const ServedModel& model);

/// Returns the hashes of the models of a route, separated by commas: the field Gloss-Model.
std::string model_hashes(std::span<const ServedModel* const> route);

/// Throws ApiError 400 for a glossary beside a pivot language.
void expect_direct(std::span<const ServedModel* const> route,
                   const std::vector<std::pair<std::string, std::string>>& glossary);

/// Thrown where nobody waits for an answer any longer.
struct ClientLeft {};

/// Translates texts, as `gloss translate-file` does; without a model they stay as they are. Throws ApiError 400 for a
/// glossary that the model cannot write, and beside a pivot language; 504 if the deadline passes; ClientLeft; DataError
/// for texts that are not of the format.
std::vector<TextAnswer> translate_texts(std::span<const ServedModel* const> route, const TextJob& job);

/// A sentence of a text that is streamed, in order.
struct StreamedSentence {
  std::string_view before;  ///< what stands between the translation before it and this one
  std::string_view source, text;
  double confidence = 1;
};

struct StreamedText {
  std::string whole;  ///< the translation, the same as of translate_texts
  std::string after;  ///< what stands after the last sentence
};

/// Translates one plain text, from its beginning on, and calls `take` for each sentence. Joined, these are the whole
/// translation, unless a sentence needs others of its line: for tags around both, or for a number that the model loses.
/// Throws as translate_texts does.
StreamedText stream_text(std::span<const ServedModel* const> route, const TextJob& job,
                         const std::function<void(const StreamedSentence&)>& take);

}  // namespace gloss
