#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "decoding/decoding_config.h"
#include "translation/models/translation_model.h"

namespace gloss {

inline constexpr std::string_view kExplanationFormat = "gloss.explanation";
inline constexpr int kExplanationVersion = 1;

/// A model to explain, with its search options.
struct ExplainedModel {
  std::string name;
  TranslationModel model;
  DecodingConfig decoding;
};

struct ExplainRequest {
  std::vector<std::string> sentences;
  std::optional<std::string> target = {};  ///< forced in place of a translation
  std::vector<std::string> without = {};   ///< names of parts (model/part.h), or source.N for word N of the source
  bool quick = false;                      ///< no occlusion, and no pass without each part
};

/// Returns the document of docs/explanation_format.md: each sentence by each model, and again without the parts if
/// there are any. On a CPU its bits do not depend on the number of threads. Throws UsageError before it computes
/// anything: with the key "without" for a part that a model lacks, with the key "target" for a target that is too long,
/// for a sentence without pieces, and for more sentences than fit into memory. Throws Stopped after a signal.
Json explain(std::span<const ExplainedModel> models, const ExplainRequest& request);

}  // namespace gloss
