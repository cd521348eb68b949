#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/input/line_source.h"
#include "app/options/tokenizer_options.h"
#include "app/output/standard_output.h"
#include "common/files/atomic_file.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

constexpr std::size_t kLinesAtOnce = 1024;

/// Converts every line of stdin with `convert`, which also receives the line's number.
template <typename Convert>
ExitCode convert_lines(Convert convert) {
  const StopOnSignal stop(kSecondsToStop);
  LineSource source(STDIN_FILENO, TextPath{"stdin"});
  for (std::int64_t line = 0;;) {
    const auto input = source.next(kLinesAtOnce);
    if (input.empty()) return stop_requested().value_or(ExitCode::kDone);
    std::string output;
    for (const auto& [text, cut, crlf] : input) {
      if (++line; cut) log_warning("line " + std::to_string(line) + ": is too long; only its beginning is read");
      output += convert(text, line) + '\n';
    }
    write_result(output);
  }
}

std::shared_ptr<const Tokenizer> tokenizer_of(const ConvertLinesOptions& options) {
  set_up(options.common, {{{"--model", options.model}, standard_input()}});
  expect_input_file("--model", options.model, "a SentencePiece model, as runs/en-de/tokenizer.model");
  return load_tokenizer(options.model);
}

}  // namespace

ExitCode run(const TrainTokenizerOptions& options) {
  CommandFiles compared{.inputs = {}, .outputs = {{"--output", options.output}}};
  for (const auto& file : options.input) compared.inputs.push_back({"--input", file});
  set_up(options.common, compared);
  for (const auto& file : options.input) expect_input_file("--input", file, "text files");
  expect_output_file("--output", options.output, "the name of a model file to write", options.overwrite);
  const auto config = options.given.over(tokenizer_settings(), TokenizerConfig());
  std::int64_t pieces = 0;
  name_by_option(options.given.names(), [&] {
    const auto model = train_tokenizer(options.input, config);
    write_file(options.output, model);
    pieces = SentencePieceTokenizer(model, options.output.string()).vocabulary_size();
  });
  log_info("wrote " + printable(options.output.string()) + ", " + std::to_string(pieces) + " pieces");
  return ExitCode::kDone;
}

ExitCode run(const EncodeOptions& options) {
  const auto tokenizer = tokenizer_of(options);
  return convert_lines([&](const std::string& text, std::int64_t) {
    std::string pieces;
    for (const auto id : tokenizer->encode(repair_utf8(text))) {
      if (!pieces.empty()) pieces += ' ';
      pieces += tokenizer->piece(id);
    }
    return pieces;
  });
}

ExitCode run(const DecodeOptions& options) {
  const auto tokenizer = tokenizer_of(options);
  std::unordered_map<std::string, Id> ids;
  for (Id id = 0; id < tokenizer->vocabulary_size(); ++id) ids.emplace(tokenizer->piece(id), id);
  return convert_lines([&](const std::string& text, std::int64_t line) {
    Ids pieces;
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find(' ', begin), text.size());
      const auto piece = text.substr(begin, end - begin);
      begin = end + 1;
      if (piece.empty()) continue;
      const auto id = ids.find(piece);
      if (id == ids.end())
        throw DataError("line " + std::to_string(line) + ": wanted pieces of " + printable(options.model.string()) +
                        ", got " + printable(piece));
      pieces.push_back(id->second);
    }
    return tokenizer->decode(pieces);
  });
}

}  // namespace gloss
