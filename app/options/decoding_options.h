#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "app/options/given_settings.h"
#include "decoding/decoding_config.h"

namespace gloss {

/// Adds the options of the section `decoding`. A setting that the command line does not give is the model's.
void add_decoding_options(CLI::App& command, GivenSettings& given);
/// Adds them without --n-best, and with --sample-seed in place of --seed: for a command that uses the best translation
/// of each line only and whose --seed has another meaning.
void add_best_decoding_options(CLI::App& command, GivenSettings& given);
/// Adds the options of `keys` only.
void add_decoding_options(CLI::App& command, GivenSettings& given, std::initializer_list<std::string_view> keys);

/// Why translations are drawn, or why unk is banned, for a message: the option that was typed, or else the key of the
/// run file and the option that overrides it.
std::string why_drawn(const GivenSettings& given);
std::string why_no_unk(const GivenSettings& given);

/// Number of lines to read at once: enough for batches of similar length, few enough that results come soon.
std::size_t lines_at_once(const DecodingConfig& config);

/// The model's settings with the given ones in their place; n_best is 1 unless it is given. Throws UsageError that
/// names an option as it was typed, and other settings by their keys; also where an option has no effect.
DecodingConfig decoding_config(const GivenSettings& given, DecodingConfig config);

}  // namespace gloss
