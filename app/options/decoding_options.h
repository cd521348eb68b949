#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "app/options/given_settings.h"
#include "decoding/decoding_config.h"

namespace gloss {

/// Adds the options of the section `decoding`. Settings absent from the command line have the model's values.
void add_decoding_options(CLI::App& command, GivenSettings& given);
/// Adds the same options without --n-best, and with --sample-seed in place of --seed. For a command that uses only the
/// best translation of each line and whose --seed has another meaning.
void add_best_decoding_options(CLI::App& command, GivenSettings& given);
/// Adds the options of `keys` only.
void add_decoding_options(CLI::App& command, GivenSettings& given, std::initializer_list<std::string_view> keys);

/// Returns the reason why translations are drawn, or unk is banned, for a message. This is the option that was typed,
/// otherwise the key of the run file and the option that overrides it.
std::string why_drawn(const GivenSettings& given);
std::string why_no_unk(const GivenSettings& given);

/// Returns the number of lines to read at once: enough for batches of similar length, few enough that results come
/// soon.
std::size_t lines_at_once(const DecodingConfig& config);

/// Returns the model's settings with the given ones in their place; n_best is 1 unless it is given. Throws UsageError
/// if a setting is wrong or an option has no effect. The message names an option as it was typed, and other settings by
/// their keys.
DecodingConfig decoding_config(const GivenSettings& given, DecodingConfig config);

}  // namespace gloss
