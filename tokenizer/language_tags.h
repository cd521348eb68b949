#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// The languages of a translation, as the user names them; empty: not named.
struct Languages {
  std::string source, target;
};

/// Returns whether sources or targets of the model have a language tag.
bool has_tags(const TokenizerConfig& config);

/// Returns the tokenizer of sources, which adds the tag that tokenizer.source_tag selects, if any. `keys` begins the
/// names of the settings in messages: "data." or "". Throws UsageError naming the setting and some known languages if
/// the language is not named or has no tag.
std::shared_ptr<const Tokenizer> tagged_source(std::shared_ptr<const Tokenizer> source, const TokenizerConfig& config,
                                               const Languages& languages, std::string_view keys);
/// Returns the tokenizer of targets in the same way, as tokenizer.target_tag selects.
std::shared_ptr<const Tokenizer> tagged_target(std::shared_ptr<const Tokenizer> target, const TokenizerConfig& config,
                                               const Languages& languages, std::string_view keys);

/// Returns the languages of a call: those of `given`, otherwise those of the model. Throws UsageError with the key
/// "source_language" or "target_language" if a language is given that differs from the model's and has no effect.
Languages choose_languages(const Languages& given, const Languages& of_model, const TokenizerConfig& config);

}  // namespace gloss
