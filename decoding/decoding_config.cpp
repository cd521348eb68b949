#include "decoding/decoding_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace gloss {
namespace {

constexpr std::array<std::pair<std::string_view, LengthPenaltyKind>, 2> kLengthPenaltyKinds{
    {{"power", LengthPenaltyKind::kPower}, {"gnmt", LengthPenaltyKind::kGnmt}}};
constexpr Choices<LengthPenaltyKind> kKinds(kLengthPenaltyKinds);

void require_whole(std::string_view key, std::int64_t value, std::int64_t most) {
  require(value >= 1 && value <= most, key, "a whole number from 1 to " + std::to_string(most), value);
}

}  // namespace

std::int64_t DecodingConfig::enough_finished() const {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(beam_size) * patience));
}

void DecodingConfig::validate() const {
  require_whole("decoding.beam_size", beam_size, kLargestBeam);
  require(length_penalty >= 0 && length_penalty <= kLargestLengthPenalty, "decoding.length_penalty",
          "a number from 0 to 10", length_penalty);
  require(patience > 0 && patience <= kLargestPatience, "decoding.patience", "a number above 0, at most 100", patience);
  require_whole("decoding.max_length", max_length, kLongest);
  require(min_length >= 0 && min_length <= max_length, "decoding.min_length",
          {"a whole number from 0 to ", Key{"decoding.max_length"}, " (" + std::to_string(max_length) + ")"},
          min_length);
  require(n_best >= 1 && n_best <= beam_size, "decoding.n_best",
          {"a whole number from 1 to ", Key{"decoding.beam_size"}, " (" + std::to_string(beam_size) + ")"}, n_best);
  require(n_best <= enough_finished(), "decoding.n_best",
          {"at most ", Key{"decoding.beam_size"}, " * ", Key{"decoding.patience"},
           " (" + std::to_string(enough_finished()) + ")"},
          n_best);
  require_whole("decoding.batch_size", batch_size, kLargestBatch);
}

DecodingConfig read_decoding_config(ConfigSection section) {
  DecodingConfig config;
  section.read("beam_size", config.beam_size);
  section.read("length_penalty", config.length_penalty);
  section.read("length_penalty_kind", config.length_penalty_kind, kKinds);
  section.read("patience", config.patience);
  section.read("max_length", config.max_length);
  section.read("min_length", config.min_length);
  section.read("n_best", config.n_best);
  section.read("batch_size", config.batch_size);
  section.finish();
  return config;
}

Json to_json(const DecodingConfig& config) {
  return {{"beam_size", config.beam_size},
          {"length_penalty", config.length_penalty},
          {"length_penalty_kind", choice_name(config.length_penalty_kind, kKinds)},
          {"patience", config.patience},
          {"max_length", config.max_length},
          {"min_length", config.min_length},
          {"n_best", config.n_best},
          {"batch_size", config.batch_size}};
}

}  // namespace gloss
