#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <unistd.h>

#include "app/commands/command_options.h"
#include "app/commands/commands.h"
#include "app/input/line_source.h"
#include "app/options/given_settings.h"
#include "app/output/standard_output.h"
#include "common/files/atomic_file.h"
#include "common/log.h"
#include "common/system/signals.h"
#include "common/text/utf8.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

struct TrainTokenizerOptions {
  CommonOptions common;
  std::vector<std::string> input;
  GivenSettings given;
  std::filesystem::path output;
};

struct ConvertOptions {
  CommonOptions common;
  std::filesystem::path model;
};

constexpr std::size_t kLinesAtOnce = 1024;

ExitCode train_model(const TrainTokenizerOptions& options) {
  CommandFiles compared{.inputs = {}, .outputs = {{"--output", options.output}}};
  for (const auto& file : options.input) compared.inputs.push_back({"--input", file});
  set_up(options.common, compared);
  std::vector<std::filesystem::path> files(options.input.begin(), options.input.end());
  for (const auto& file : files) expect_file("--input", file);
  const auto config = options.given.over(tokenizer_settings(), TokenizerConfig());
  std::int64_t pieces = 0;
  name_by_option(options.given.names(), [&] {
    const auto model = train_tokenizer(files, config);
    write_file(options.output, model);
    pieces = SentencePieceTokenizer(model, options.output.string()).vocabulary_size();
  });
  log_info("wrote " + printable(options.output.string()) + ", " + std::to_string(pieces) + " pieces");
  return ExitCode::kDone;
}

/// Every line of stdin through `convert`, which also gets the line's number.
template <typename Convert>
ExitCode convert_lines(Convert convert) {
  const StopOnSignal stop(kSecondsToStop);
  LineSource source(STDIN_FILENO, "stdin");
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

std::shared_ptr<const SentencePieceTokenizer> load_tokenizer(const ConvertOptions& options) {
  set_up(options.common, {{{"--model", options.model}, standard_input()}});
  expect_file("--model", options.model);
  return SentencePieceTokenizer::load(options.model);
}

ExitCode encode(const ConvertOptions& options) {
  const auto tokenizer = load_tokenizer(options);
  return convert_lines([&](const std::string& text, std::int64_t) {
    std::string pieces;
    for (const auto id : tokenizer->encode(repair_utf8(text))) {
      if (!pieces.empty()) pieces += ' ';
      pieces += tokenizer->piece(id);
    }
    return pieces;
  });
}

ExitCode decode(const ConvertOptions& options) {
  const auto tokenizer = load_tokenizer(options);
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

void add_train(CLI::App& tokenizer, Action& chosen) {
  const auto options = std::make_shared<TrainTokenizerOptions>();
  auto& command = add_command(tokenizer, "train", "Train a SentencePiece model on text files", options->common);
  command.add_option("--input", options->input, "text files")->type_name("FILE...")->required();
  for (const auto& setting : tokenizer_settings().list())
    if (!setting.flag.empty()) add_setting(command, setting, options->given);
  add_path(command, {"--output", "FILE", "the model to write"}, options->output)->required();
  finish_command(command,
                 "gloss tokenizer train --input train.en train.de --output both.model\n"
                 "gloss tokenizer train --input train.zh --type unigram --normalization identity --output zh.model");
  command.callback([options, &chosen] { chosen = [options] { return train_model(*options); }; });
}

using Convert = ExitCode (*)(const ConvertOptions&);

void add_convert(CLI::App& tokenizer, const char* name, const char* description, Convert convert, Action& chosen) {
  const auto options = std::make_shared<ConvertOptions>();
  auto& command = add_command(tokenizer, name, description, options->common);
  add_path(command, {"--model", "FILE", "a SentencePiece model"}, options->model)->required();
  finish_command(command, std::string("gloss tokenizer ") + name + " --model both.model < input.txt");
  command.callback([options, convert, &chosen] { chosen = [options, convert] { return convert(*options); }; });
}

}  // namespace

void add_tokenizer_command(CLI::App& program, Action& chosen) {
  auto& tokenizer = *program.add_subcommand("tokenizer", "Train a tokenizer, or use one");
  tokenizer.require_subcommand(0, 1);
  add_train(tokenizer, chosen);
  add_convert(tokenizer, "encode", "Lines of stdin to pieces separated by spaces", encode, chosen);
  add_convert(tokenizer, "decode", "Pieces separated by spaces back to lines", decode, chosen);
}

}  // namespace gloss
