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

// A beam gives no more than it may finish.
void require_n_best_of_beam(const DecodingConfig& config) {
  const auto beam = config.beam_size, enough = config.enough_finished();
  require(config.n_best >= 1 && config.n_best <= beam, "decoding.n_best",
          {"a whole number from 1 to ", Key{"decoding.beam_size"}, " (" + std::to_string(beam) + ")"}, config.n_best);
  require(config.n_best <= enough, "decoding.n_best",
          {"at most ", Key{"decoding.beam_size"}, " * ", Key{"decoding.patience"}, " (" + std::to_string(enough) + ")"},
          config.n_best);
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
  require(coverage_penalty >= 0 && coverage_penalty <= kLargestCoveragePenalty, "decoding.coverage_penalty",
          "a number from 0 to 10", coverage_penalty);
  require(no_repeat_ngram >= 0 && no_repeat_ngram <= kLongestNgram, "decoding.no_repeat_ngram",
          "a whole number from 0 to 100", no_repeat_ngram);
  require(repetition_penalty > 0 && repetition_penalty <= kLargestRepetitionPenalty, "decoding.repetition_penalty",
          "a number above 0, at most 10", repetition_penalty);
  require_whole("decoding.batch_size", batch_size, kLargestBatch);
  sampling.validate();
  if (sampling.enabled)
    require_whole("decoding.n_best", n_best, kLargestBeam);
  else
    require_n_best_of_beam(*this);
}

DecodingConfig read_decoding_config(ConfigSection section) {
  DecodingConfig config;
  section.read("beam_size", config.beam_size);
  section.read("length_penalty", config.length_penalty);
  section.read("length_penalty_kind", config.length_penalty_kind, kKinds);
  section.read("patience", config.patience);
  section.read("max_length", config.max_length);
  section.read("min_length", config.min_length);
  section.read("coverage_penalty", config.coverage_penalty);
  section.read("no_repeat_ngram", config.no_repeat_ngram);
  section.read("repetition_penalty", config.repetition_penalty);
  section.read("no_unk", config.no_unk);
  section.read("n_best", config.n_best);
  section.read("batch_size", config.batch_size);
  config.sampling = read_sampling_config(section.section("sampling"));
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
          {"coverage_penalty", config.coverage_penalty},
          {"no_repeat_ngram", config.no_repeat_ngram},
          {"repetition_penalty", config.repetition_penalty},
          {"no_unk", config.no_unk},
          {"n_best", config.n_best},
          {"batch_size", config.batch_size},
          {"sampling", to_json(config.sampling)}};
}

}  // namespace gloss
