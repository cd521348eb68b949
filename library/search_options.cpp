#include "library/search_options.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"

namespace gloss {
namespace {

constexpr std::array kNormalizations = {
    std::pair{std::string_view("power"), std::optional(LengthNormalisation::kPower)},
    std::pair{std::string_view("gnmt"), std::optional(LengthNormalisation::kGnmt)}};

}  // namespace

const std::vector<PublicOption>& public_options() {
  using Options = TranslationOptions;
  static const std::vector<PublicOption> options = {
      {"beam_size", "beam_size", field(&Options::beam_size)},
      {"length_penalty", "length_penalty", field(&Options::length_penalty)},
      {"length_normalisation", "length_penalty_kind", choice_field(&Options::length_normalisation, kNormalizations)},
      {"patience", "patience", field(&Options::patience)},
      {"shrinking_beam", "shrinking_beam", field(&Options::shrinking_beam)},
      {"max_length", "max_length", field(&Options::max_length)},
      {"max_length_factor", "max_length_factor", field(&Options::max_length_factor)},
      {"min_length", "min_length", field(&Options::min_length)},
      {"batch_size", "batch_size", field(&Options::batch_size)},
      {"n_best", "n_best", field(&Options::n_best)},
      {"coverage_penalty", "coverage_penalty", field(&Options::coverage_penalty)},
      {"no_repeat_ngram", "no_repeat_ngram", field(&Options::no_repeat_ngram)},
      {"repetition_penalty", "repetition_penalty", field(&Options::repetition_penalty)},
      {"no_unk", "no_unk", field(&Options::no_unk)},
      {"shortlist", "shortlist", field(&Options::shortlist)},
      {"sample", "sampling.enabled", field(&Options::sample)},
      {"temperature", "sampling.temperature", field(&Options::temperature)},
      {"top_k", "sampling.top_k", field(&Options::top_k)},
      {"top_p", "sampling.top_p", field(&Options::top_p)},
      {"seed", "sampling.seed", field(&Options::seed)}};
  return options;
}

namespace {

std::string public_name(std::string_view key) {
  return std::string(std::ranges::find(public_options(), key, &PublicOption::key)->name);
}

/// Throws UsageError if an option of `given` has no effect.
void expect_to_matter(const Json& given, const DecodingConfig& config) {
  const auto* const idle = decoding_settings().without_effect(given, config);
  if (idle == nullptr) return;
  const auto name = public_name(idle->key) + ": has ";
  if (!idle->only_with.empty())
    throw UsageError(name + "an effect together with sampling only; set " + public_name(idle->only_with) + " to true");
  throw UsageError(name + "no effect if translations are drawn; leave it out, or set " +
                   public_name(idle->only_without) + " to false");
}

}  // namespace

DecodingConfig decoding_config(const TranslationOptions& options, DecodingConfig config) {
  Json given = Json::object();
  for (const auto& [name, key, field] : public_options())
    if (auto value = field.value(options); !value.is_null()) set_value_at(given, key, std::move(value));
  config = decoding_settings().read(ConfigSection(given, "decoding"), config);
  expect_to_matter(given, config);
  if (options.first_line < 0)
    throw UsageError("first_line: wanted 0 or more, got " + std::to_string(options.first_line));
  config.validate();
  return config;
}

}  // namespace gloss
