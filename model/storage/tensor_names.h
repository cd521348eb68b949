#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gloss {

// Names of the tensors in model files and checkpoints (docs/file_formats.md). A weight has the name of its parameter
// (model/weights.h); every other tensor has one of the names below.

/// Names of the tensors that hold SentencePiece models: one, or one for each side.
inline constexpr const char* kJointTokenizer = "tokenizer.model";
inline constexpr const char* kSourceTokenizer = "source_tokenizer.model";
inline constexpr const char* kTargetTokenizer = "target_tokenizer.model";
std::vector<std::string> tokenizer_names(bool joint);
bool is_tokenizer_name(std::string_view name);

/// Returns the name of the scales of an int8 weight: "source_embedding.weight_scale" for "source_embedding.weight".
std::string scale_name(const std::string& weight);
/// Returns the name of the step of the int8 values of the weight's input: "source_embedding.weight_input_scale".
std::string input_scale_name(const std::string& weight);

/// Names of the tensors of a shortlist (model/shortlist.h).
inline constexpr const char* kShortlistOffsets = "shortlist.offsets";
inline constexpr const char* kShortlistTokens = "shortlist.tokens";
inline constexpr const char* kShortlistAlways = "shortlist.always";
bool is_shortlist_name(std::string_view name);

/// Return the names in a checkpoint of Adam's first and second moment and of the EMA of a weight.
std::string first_moment_name(const std::string& weight);
std::string second_moment_name(const std::string& weight);
std::string ema_name(const std::string& weight);
bool is_ema_name(std::string_view name);

/// Returns whether the tensor of this name is a weight of the network.
bool is_weight_name(std::string_view name);

}  // namespace gloss
