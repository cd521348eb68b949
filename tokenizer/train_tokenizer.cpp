#include "tokenizer/train_tokenizer.h"

#include <charconv>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include <sentencepiece_trainer.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/log.h"
#include "common/special_ids.h"
#include "common/text/noted_lines.h"
#include "common/text/utf8.h"
#include "tokenizer/plain_text.h"

namespace gloss {
namespace {

constexpr std::size_t kLongestLine = 4192;  // bytes; SentencePiece's default

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t") == line.npos; }

std::int64_t count_lines(std::span<const std::filesystem::path> files) {
  std::int64_t count = 0;
  for (const auto& file : files) {
    LineReader reader(file);
    for (std::string line; reader.next(line);) ++count;
  }
  return count;
}

// So many of all lines, and evenly spaced.
struct Share {
  std::int64_t wanted, all;

  bool takes(std::int64_t line) const { return wanted >= all || line * wanted / all != (line + 1) * wanted / all; }
};

// The usable lines among a share of those of all files, one after the other. SentencePiece is handed lines, not files:
// it would write their names into the model.
class TrainingLines final : public sentencepiece::SentenceIterator {
 public:
  TrainingLines(std::span<const std::filesystem::path> files, const Share& share) : files_(files), share_(share) {
    advance();
  }

  bool done() const override { return parts_.empty(); }
  void Next() override {
    parts_.pop_front();
    if (parts_.empty()) advance();
  }
  const std::string& value() const override { return parts_.front(); }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void advance() {
    for (std::string line; parts_.empty() && read(line);) {
      if (!share_.takes(lines_read_++)) continue;
      if (line.size() > kLongestLine)
        too_long_.note(reader_->line_number());
      else if (!is_text(line))
        not_utf8_.note(reader_->line_number());
      else if (!is_blank(line))
        for (auto& part : split_symbol_names(without_space_marks(line))) parts_.push_back(std::move(part));
    }
  }

  bool read(std::string& line) {
    while (true) {
      if (reader_ && reader_->next(line)) return true;
      warn_of_left_out();
      if (files_.empty()) return false;
      file_ = files_.front();
      reader_.emplace(file_);
      files_ = files_.subspan(1);
    }
  }

  // At the end of a file, whose lines they are.
  void warn_of_left_out() {
    const auto warn = [&](const std::string& reason, NotedLines& lines) {
      if (lines.count > 0)
        log_warning(printable(file_.string()) + ": " + std::to_string(lines.count) +
                    " lines left out of the tokenizer's training: " + reason + " (" + lines.text() + ")");
      lines = {};
    };
    warn("not UTF-8", not_utf8_);
    warn("longer than " + std::to_string(kLongestLine) + " bytes", too_long_);
  }

  std::span<const std::filesystem::path> files_;  // still to be read
  Share share_;
  std::int64_t lines_read_ = 0;  // of all files
  std::filesystem::path file_;
  NotedLines not_utf8_, too_long_;  // of `file_`
  std::optional<LineReader> reader_;
  std::deque<std::string> parts_;  // of the present line
};

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view words) {
  const auto place = text.find(words);
  if (place == text.npos) return std::nullopt;
  text.remove_prefix(place + words.size());
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// SentencePiece says only in words what is wrong with a vocabulary's size.
[[noreturn]] void throw_training_error(const std::string& message, const TokenizerConfig& config) {
  const auto got = ", got " + std::to_string(config.vocabulary_size);
  if (const auto most = number_behind(message, "Please set it to a value <= "))
    throw UsageError({Key{"tokenizer.vocabulary_size"},
                      ": wanted at most " + std::to_string(*most) + got + "; the training text has no more pieces"});
  if (const auto least = number_behind(message, "required_chars. " + std::to_string(config.vocabulary_size) + " vs "))
    throw UsageError(
        {Key{"tokenizer.vocabulary_size"},
         ": wanted at least " + std::to_string(*least) + got + "; so many characters and symbols need a piece at this ",
         Key{"tokenizer.character_coverage"}});
  throw DataError("tokenizer: SentencePiece cannot train on this text: " + printable(message));
}

}  // namespace

std::string train_tokenizer(std::span<const std::filesystem::path> files, const TokenizerConfig& config,
                            std::int64_t most_lines) {
  config.validate();
  const Share share{most_lines, count_lines(files)};
  if (share.wanted < share.all)
    log_info("the tokenizer is trained on " + std::to_string(share.wanted) + " of " + std::to_string(share.all) +
             " lines, evenly spaced");
  TrainingLines lines(files, share);
  if (lines.done()) {
    const auto name = files.empty() ? "tokenizer" : printable(files.front().string());
    throw DataError(name + ": wanted text to train a tokenizer on, got no usable line");
  }
  const std::unordered_map<std::string, std::string> options{
      {"model_type", std::string(tokenizer_type_name(config.type))},
      {"vocab_size", std::to_string(config.vocabulary_size)},
      {"character_coverage", to_text(config.character_coverage)},
      {"normalization_rule_name", std::string(normalization_name(config.normalization))},
      {"byte_fallback", config.byte_fallback ? "true" : "false"},
      {"hard_vocab_limit", "true"},
      {"pad_id", std::to_string(kPad)},
      {"unk_id", std::to_string(kUnk)},
      {"bos_id", std::to_string(kBos)},
      {"eos_id", std::to_string(kEos)},
      {"input_sentence_size", "0"},  // all
      {"max_sentence_length", std::to_string(kLongestLine)},
      {"num_threads", "1"},
      {"minloglevel", "3"},  // what matters comes back as a status
  };
  std::string serialized;
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &lines, &serialized);
  if (!status.ok()) throw_training_error(status.ToString(), config);
  return serialized;
}

}  // namespace gloss
