#include "tokenizer/train_tokenizer.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sentencepiece_trainer.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/log/log.h"
#include "common/special_ids.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "tokenizer/plain_text.h"
#include "tokenizer/sentencepiece_library.h"

namespace gloss {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

// Selects `wanted` of `all` lines, evenly spaced.
struct Share {
  std::int64_t wanted, all;

  bool takes(std::int64_t line) const { return wanted >= all || line * wanted / all != (line + 1) * wanted / all; }
};

void warn_of(const UnusableLines& lines, const std::filesystem::path& file) {
  const auto warn = [&](const std::string& reason, const NotedLines& noted) {
    if (noted.count > 0)
      log_warning(printable(file.string()) + ": " + counted(noted.count, "line") +
                  " left out of the tokenizer's training: " + reason + " (" + noted.text() + ")");
  };
  warn("not UTF-8", lines.not_utf8);
  warn("longer than " + std::to_string(UnusableLines::kMaxLineBytes) + " bytes", lines.too_long);
}

// The usable lines of texts, text by text: those of the samples, which are emptied, or a share of the files' lines.
class SampledLines {
 public:
  // Takes the samples if there is no share.
  SampledLines(std::span<TrainingText> texts, std::optional<Share> share) : texts_(texts), share_(share) {}

  bool next(std::string& line) {
    for (; !texts_.empty(); texts_ = texts_.subspan(1)) {
      auto& [file, sample] = texts_.front();
      if (share_ ? next_of_file(line) : sample.take(line)) return true;
      warn_of(share_ ? std::exchange(unusable_, {}) : sample.unusable(), file);
      reader_.reset();
    }
    return false;
  }

 private:
  bool next_of_file(std::string& line) {
    if (!reader_) reader_ = std::make_unique<LineReader>(texts_.front().file);
    while (reader_->next(line))
      if (share_->takes(lines_read_++) && unusable_.accept(line, is_text(line), reader_->line_number())) return true;
    return false;
  }

  std::span<TrainingText> texts_;  // still to be read
  std::optional<Share> share_;
  std::int64_t lines_read_ = 0;  // of all files
  std::unique_ptr<LineReader> reader_;
  UnusableLines unusable_;
};

// Passes lines to SentencePiece. If SentencePiece read the files itself, it would write their names into the model.
class TrainingLines final : public sentencepiece::SentenceIterator {
 public:
  explicit TrainingLines(SampledLines lines) : lines_(std::move(lines)) { advance(); }

  bool done() const override { return parts_.empty(); }
  void Next() override {
    parts_.pop_front();
    if (parts_.empty()) advance();
  }
  const std::string& value() const override { return parts_.front(); }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void advance() {
    for (std::string line; parts_.empty() && lines_.next(line);)
      for (auto& part : split_symbol_names(without_space_marks(visible_text(line)))) parts_.push_back(std::move(part));
  }

  SampledLines lines_;
  std::deque<std::string> parts_;  // of the current line
};

std::optional<std::int64_t> number_after(std::string_view text, std::string_view words) {
  const auto place = text.find(words);
  if (place == text.npos) return std::nullopt;
  text.remove_prefix(place + words.size());
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Returns the symbols as a line of CSV, each in quotation marks, as SentencePiece reads lists.
std::string csv_of(const std::vector<std::string>& symbols) {
  std::string line;
  for (const auto& symbol : symbols) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : symbol) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line;
}

// Returns the largest possible vocabulary if the message of a failed training names it.
std::optional<std::int64_t> max_vocabulary(const std::string& message) {
  return number_after(message, "Please set it to a value <= ");
}

// Throws the error of a training. SentencePiece reports a wrong vocabulary size only in the words of its message.
[[noreturn]] void throw_training_error(const std::string& message, const TokenizerConfig& config) {
  const auto got = ", got " + std::to_string(config.vocabulary_size);
  if (const auto max_size = max_vocabulary(message))
    throw UsageError({Key{"tokenizer.vocabulary_size"}, ": wanted at most " + std::to_string(*max_size) + got +
                                                            "; the training text has no more pieces"});
  if (const auto min_size = number_after(message, "required_chars. " + std::to_string(config.vocabulary_size) + " vs "))
    throw UsageError({Key{"tokenizer.vocabulary_size"},
                      ": wanted at least " + std::to_string(*min_size) + got +
                          "; so many characters and symbols need a piece at this ",
                      Key{"tokenizer.character_coverage"}});
  throw DataError("tokenizer: SentencePiece cannot train on this text: " + sentencepiece_message(message));
}

}  // namespace

bool UnusableLines::accept(std::string_view line, bool is_text, std::int64_t number) {
  if (line.size() > kMaxLineBytes) {
    too_long.note(number);
    return false;
  }
  if (!is_text) {
    not_utf8.note(number);
    return false;
  }
  return !is_blank(line);
}

void TrainingSample::add(std::string_view line, bool is_text) {
  ++lines_;
  const bool usable = unusable_.accept(line, is_text, lines_);
  if (!complete()) blocks_.clear();
  if (!usable || !complete()) return;
  if (blocks_.empty() || blocks_.back().size() + line.size() >= kBlockBytes) {
    blocks_.emplace_back();
    blocks_.back().reserve(kBlockBytes);
  }
  blocks_.back().append(line) += '\n';
}

bool TrainingSample::take(std::string& line) {
  if (blocks_.empty()) return false;
  const auto& block = blocks_.front();
  const auto end = block.find('\n', place_);
  line.assign(block, place_, end - place_);
  place_ = end + 1;
  if (place_ == block.size()) {
    blocks_.pop_front();
    place_ = 0;
  }
  return true;
}

std::string train_tokenizer(std::span<TrainingText> texts, const TokenizerConfig& config, std::int64_t max_lines) {
  config.validate();
  Share share{max_lines, 0};
  for (const auto& text : texts) share.all += text.sample.lines();
  const bool has_samples = std::ranges::all_of(texts, [](const auto& text) { return text.sample.complete(); });
  if (share.wanted < share.all)
    log_info("the tokenizer is trained on " + std::to_string(share.wanted) + " of " + std::to_string(share.all) +
             " lines, evenly spaced");
  const bool takes_samples = has_samples && share.wanted >= share.all;
  TrainingLines lines(SampledLines(texts, takes_samples ? std::nullopt : std::optional(share)));
  if (lines.done()) {
    const auto name = texts.empty() ? "tokenizer" : printable(texts.front().file.string());
    throw DataError(name + ": wanted text to train a tokenizer on, got no usable line");
  }
  std::unordered_map<std::string, std::string> options{
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
      {"max_sentence_length", std::to_string(UnusableLines::kMaxLineBytes)},
      {"num_threads", "1"},
      {"minloglevel", "3"},  // errors are returned as a status
  };
  if (!config.symbols.empty()) options["user_defined_symbols"] = csv_of(config.symbols);
  std::string serialized;
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &lines, &serialized);
  if (status.ok()) return serialized;
  const auto max_size = max_vocabulary(status.ToString());
  if (config.joint || !max_size) throw_training_error(status.ToString(), config);
  // One size rarely suits the texts of two languages, such as Chinese and English.
  std::vector<std::filesystem::path> files;
  for (const auto& text : texts) files.push_back(text.file);
  log_info("the text of this language has no more than " + std::to_string(*max_size) + " pieces");
  auto smaller = config;
  smaller.vocabulary_size = *max_size;
  return train_tokenizer(files, smaller, max_lines);
}

std::string train_tokenizer(std::span<const std::filesystem::path> files, const TokenizerConfig& config,
                            std::int64_t max_lines) {
  std::vector<TrainingText> texts;
  std::int64_t lines_left = max_lines;
  for (const auto& file : files) {
    auto& sample = texts.emplace_back(TrainingText{file, TrainingSample(lines_left)}).sample;
    LineReader reader(file);
    for (std::string line; reader.next(line);) sample.add(line, is_text(line));
    lines_left = std::max<std::int64_t>(lines_left - sample.lines(), 0);
  }
  return train_tokenizer(texts, config, max_lines);
}

}  // namespace gloss
