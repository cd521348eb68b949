#include "model/storage/tensor_names.h"

namespace gloss {
namespace {

constexpr std::string_view kMoments = "adam.", kEma = "ema.", kScale = "_scale";

/// Returns whether the name is that of the scales of an int8 weight, or of its input. The logarithm of the scale of
/// cosine scores is a weight.
bool is_scale_name(std::string_view name) { return name.ends_with(kScale) && !name.ends_with(".log_scale"); }

}  // namespace

std::vector<std::string> tokenizer_names(bool joint) {
  return joint ? std::vector<std::string>{kJointTokenizer}
               : std::vector<std::string>{kSourceTokenizer, kTargetTokenizer};
}

bool is_tokenizer_name(std::string_view name) {
  return name == kJointTokenizer || name == kSourceTokenizer || name == kTargetTokenizer;
}

std::string scale_name(const std::string& weight) { return weight + std::string(kScale); }

std::string input_scale_name(const std::string& weight) { return scale_name(weight + "_input"); }

bool is_shortlist_name(std::string_view name) {
  return name == kShortlistOffsets || name == kShortlistTokens || name == kShortlistAlways;
}

std::string first_moment_name(const std::string& weight) { return std::string(kMoments) + "m." + weight; }

std::string second_moment_name(const std::string& weight) { return std::string(kMoments) + "v." + weight; }

std::string ema_name(const std::string& weight) { return std::string(kEma) + weight; }

bool is_ema_name(std::string_view name) { return name.starts_with(kEma); }

bool is_weight_name(std::string_view name) {
  return !is_tokenizer_name(name) && !is_shortlist_name(name) && !is_ema_name(name) && !name.starts_with(kMoments) &&
         !is_scale_name(name);
}

}  // namespace gloss
