#pragma once

#include <string>

#include <gloss/translator.h>

namespace gloss {

/// Options of gloss_split_sentences.
struct SplitOptions {
  std::string language = {};
  SentenceSplit split = SentenceSplit::kParagraph;
};

/// Each reads a JSON object, the keys of which are named as the fields; NULL is an empty object. Throws UsageError for
/// text that is not such an object, for an unknown key and for a value of the wrong type.
TranslatorSettings read_settings(const char* text);
TranslationOptions read_translation_options(const char* text);
TextOptions read_text_options(const char* text);
SplitOptions read_split_options(const char* text);

}  // namespace gloss
