#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "common/files/safetensors_header.h"
#include "common/files/sha256.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

/// Returns a file of the safetensors layout with right sums, so that inputs reach what reads the rest; bytes whose
/// header cannot be read are returned as they are.
inline std::string with_right_sums(std::string_view bytes) {
  try {
    const auto length = read_header_length(std::as_bytes(std::span(bytes)), bytes.size(), "input");
    const auto data = bytes.substr(kHeaderLengthBytes + length);
    auto json = parse_json(bytes.substr(kHeaderLengthBytes, length));
    auto& metadata = json["__metadata__"];
    metadata["sha256"] = sha256(data);
    metadata.erase(std::string(kHeaderSumKey));
    if (metadata.contains("state")) metadata["state_sha256"] = sha256(value_text(metadata["state"]));  // of checkpoints
    auto header = read_header(to_text(json), data.size(), "input");
    add_header_sum(header);
    return header_bytes(header) + std::string(data);
  } catch (const std::exception&) {
    return std::string(bytes);
  }
}

}  // namespace gloss
