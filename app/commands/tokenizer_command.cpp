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
  TokenizerConfig config;
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
  std::int64_t pieces = 0;
  name_by_option(
      {{"tokenizer.vocabulary_size", "--vocabulary-size"}, {"tokenizer.character_coverage", "--character-coverage"}},
      [&] {
        const auto model = train_tokenizer(files, options.config);
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
  add_whole_number(command, {"--vocabulary-size", "N", "pieces, special symbols included (default: 10000)"},
                   options->config.vocabulary_size,
                   {TokenizerConfig::kSmallestVocabulary, TokenizerConfig::kLargestVocabulary});
  add_choice<TokenizerType, TokenizerType>(
      command, {"--type", "TYPE", "bpe, unigram or char (default: bpe)"}, options->config.type,
      {{"bpe", TokenizerType::kBpe}, {"unigram", TokenizerType::kUnigram}, {"char", TokenizerType::kChar}});
  add_number(
      command,
      {"--character-coverage", "X",
       "share of the characters' occurrences that get a piece, 0.98 to 1 (default: 1; about 0.9995 suits Chinese)"},
      options->config.character_coverage, {0.98, 1});
  add_choice<Normalization, Normalization>(
      command,
      {"--normalization", "NAME",
       "nmt_nfkc, or identity: characters stay as they are, for Chinese and Japanese (default: nmt_nfkc)"},
      options->config.normalization, {{"nmt_nfkc", Normalization::kNmtNfkc}, {"identity", Normalization::kIdentity}});
  add_flag(command, "--byte-fallback", options->config.byte_fallback, "spell characters without a piece as bytes");
  add_path(command, {"--output", "FILE", "the model to write"}, options->output)->required();
  finish_command(command, "gloss tokenizer train --input train.en train.de --vocabulary-size 8000 --output both.model");
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
