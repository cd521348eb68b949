#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "common/special_ids.h"
#include "common/text/printable.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/huggingface_folder.h"

namespace gloss {
namespace {

/// Settings that gloss has, at least for some of their values.
constexpr std::array<std::string_view, 13> kCarried{
    "bad_words_ids",        "early_stopping",     "forced_eos_token_id", "length_penalty", "max_length",
    "max_new_tokens",       "min_length",         "min_new_tokens",      "num_beams",      "renormalize_logits",
    "no_repeat_ngram_size", "repetition_penalty", "suppress_tokens"};

/// Members of generation_config.json that do not change a translation, or that belong to the network.
constexpr std::array<std::string_view, 15> kNoSearch{
    "_commit_hash",         "_from_model_config", "transformers_version",    "use_cache",
    "cache_implementation", "low_memory",         "output_attentions",       "output_hidden_states",
    "output_logits",        "output_scores",      "return_dict_in_generate", "pad_token_id",
    "bos_token_id",         "eos_token_id",       "decoder_start_token_id"};

/// Settings that gloss lacks, with the values that have no effect.
const Json& other_settings() {
  static const Json settings = {{"begin_suppress_tokens", nullptr},
                                {"constraints", nullptr},
                                {"diversity_penalty", 0},
                                {"do_sample", false},
                                {"dola_layers", nullptr},
                                {"encoder_no_repeat_ngram_size", 0},
                                {"encoder_repetition_penalty", 1},
                                {"epsilon_cutoff", 0},
                                {"eta_cutoff", 0},
                                {"exponential_decay_length_penalty", nullptr},
                                {"force_bos_token_to_be_generated", false},
                                {"force_words_ids", nullptr},
                                {"forced_bos_token_id", nullptr},
                                {"forced_decoder_ids", nullptr},
                                {"guidance_scale", 1},
                                {"max_time", nullptr},
                                {"min_p", nullptr},
                                {"num_beam_groups", 1},
                                {"num_return_sequences", 1},
                                {"penalty_alpha", nullptr},
                                {"remove_invalid_values", false},
                                {"sequence_bias", nullptr},
                                {"stop_strings", nullptr},
                                {"task_specific_params", nullptr},
                                {"temperature", 1},
                                {"token_healing", false},
                                {"top_h", nullptr},
                                {"top_k", 50},
                                {"top_p", 1},
                                {"typical_p", 1},
                                {"watermarking_config", nullptr}};
  return settings;
}

bool is_listed(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class SearchReader {
 public:
  SearchReader(const Json& generation, const HuggingFaceBans& bans, DecodingConfig& decoding,
               std::vector<std::string>& notes)
      : generation_(generation), bans_(bans), decoding_(decoding), notes_(notes), fields_(generation, unusable_) {}

  void read() {
    decoding_.beam_size = fields_.integer("num_beams", 1, 1000, decoding_.beam_size);
    decoding_.length_penalty = fields_.number("length_penalty", 0, 10, decoding_.length_penalty);
    decoding_.no_repeat_ngram = fields_.integer("no_repeat_ngram_size", 0, 100, decoding_.no_repeat_ngram);
    decoding_.repetition_penalty = fields_.number("repetition_penalty", 1e-3, 10, decoding_.repetition_penalty);
    set_lengths();
    ban("suppress_tokens");
    ban("bad_words_ids");
    note_differences();
    note_others();
    for (const auto& reason : unusable_.reasons()) notes_.push_back(reason + "; the default holds");
  }

 private:
  void note(std::string_view key, const Json& value, const std::string& reason) {
    notes_.push_back(printable(key, 80) + ' ' + printable(to_text(value), 80) + ": " + reason);
  }
  void note_not_carried(std::string_view key, const Json& value) { note(key, value, "not carried over"); }

  /// A number of tokens without the decoder's first input, and the key that sets it.
  struct Length {
    const char* key;
    std::int64_t tokens;
  };

  /// Returns the length under the newer name, otherwise under the older one, which counts the decoder's first input.
  std::optional<Length> length(const char* newer, const char* older, std::int64_t min) {
    if (const auto value = fields_.optional_integer(newer, min, ModelConfig::kMaxPositions))
      return Length{newer, *value};
    if (const auto value = fields_.optional_integer(older, min, ModelConfig::kMaxPositions))
      return Length{older, std::max(min, *value - 1)};
    return std::nullopt;
  }

  void set_lengths() {
    if (const auto max = length("max_new_tokens", "max_length", 1)) {
      decoding_.max_length = std::min(max->tokens, DecodingConfig::kMaxTargetLength);
      if (max->tokens > decoding_.max_length)
        note(max->key, generation_.at(max->key),
             "gloss generates at most " + std::to_string(decoding_.max_length) + " tokens");
    }
    const auto min = length("min_new_tokens", "min_length", 0);
    if (min && min->tokens > decoding_.max_length)
      note_not_carried(min->key, generation_.at(min->key));
    else if (min)
      decoding_.min_length = min->tokens;
  }

  /// Returns whether gloss can generate the piece of a row.
  bool is_possible(std::int64_t row) {
    if (possible_.empty()) {
      possible_.resize(static_cast<std::size_t>(bans_.rows.foreign_size));
      for (Id id = 0; id < bans_.rows.size(); ++id)
        if (const auto of_id = bans_.rows.rows[static_cast<std::size_t>(id)];
            of_id >= 0 && !(bans_.suppressed && (id == kPad || id == kBos)))
          possible_[static_cast<std::size_t>(of_id)] = true;
    }
    return row >= 0 && row < bans_.rows.foreign_size && possible_[static_cast<std::size_t>(row)];
  }

  /// Carries over the bans of <unk> and of pieces that gloss never generates. An entry is a row, or the rows of a word.
  void ban(const char* key) {
    const auto found = generation_.find(key);
    if (found == generation_.end() || found->is_null()) return;
    auto others = Json::array();
    for (const auto& entry : *found) {
      const auto& token = entry.is_array() && entry.size() == 1 ? entry.front() : entry;
      if (token.is_number_integer() && token == bans_.rows.rows[kUnk])
        decoding_.no_unk = true;
      else if (!token.is_number_integer() || is_possible(token.get<std::int64_t>()))
        others.push_back(entry);
    }
    if (!others.empty()) note_not_carried(key, others);
  }

  /// Notes settings whose meaning in gloss depends on others.
  void note_differences() {
    const auto value = [&](const char* key) {
      const auto found = generation_.find(key);
      return found == generation_.end() ? Json() : *found;
    };
    const bool is_beam = decoding_.beam_size > 1;
    if (is_beam && decoding_.repetition_penalty != 1)
      note("repetition_penalty", value("repetition_penalty"),
           "gloss changes logits by it, transformers log-probabilities in a beam search");
    // With a length penalty, gloss ends a beam like `true`; without one, when no better translation can follow.
    const bool ends_early = decoding_.length_penalty > 0;
    if (const auto early = value("early_stopping"); is_beam && !early.is_null() && (early == true) != ends_early)
      note_not_carried("early_stopping", early);
    const auto eos = bans_.rows.rows[kEos];
    if (const auto forced = value("forced_eos_token_id");
        !forced.is_null() && forced != eos && forced != Json::array({eos}))
      note_not_carried("forced_eos_token_id", forced);
    else if (!forced.is_null())
      note("forced_eos_token_id", forced,
           "transformers puts it in the place of the last token of a translation that is cut at the length limit; "
           "gloss does not");
    const bool has_bans = decoding_.min_length > 0 || decoding_.no_unk || decoding_.no_repeat_ngram > 0;
    if (value("renormalize_logits") == true && has_bans) note_not_carried("renormalize_logits", true);
  }

  void note_others() {
    const auto& others = other_settings();
    for (const auto& [key, value] : generation_.items()) {
      if (value.is_null() || is_listed(kCarried, key) || is_listed(kNoSearch, key)) continue;
      if (const auto usual = others.find(key); usual == others.end() || value != *usual) note_not_carried(key, value);
    }
  }

  const Json& generation_;
  const HuggingFaceBans& bans_;
  DecodingConfig& decoding_;
  std::vector<std::string>& notes_;
  Refusals unusable_;
  JsonFields fields_;
  std::vector<bool> possible_;  // by row
};

}  // namespace

Json huggingface_search(const Json& config) {
  Json result = Json::object();
  for (const auto& [key, value] : config.items())
    if (is_listed(kCarried, key) || other_settings().contains(key)) result[key] = value;
  return result;
}

void set_huggingface_search(const Json& generation, const HuggingFaceBans& bans, DecodingConfig& decoding,
                            std::vector<std::string>& notes) {
  SearchReader(generation, bans, decoding, notes).read();
}

}  // namespace gloss
