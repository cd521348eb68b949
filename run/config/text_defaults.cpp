#include "run/config/text_defaults.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "common/text/format.h"
#include "common/text/printable.h"
#include "evaluation/tokenize/tokenize.h"
#include "model/model_config.h"
#include "run/config/defaults_table.h"
#include "run/config/run_file_keys.h"
#include "tokenizer/tokenizer_config.h"
#include "training/training_config.h"

namespace gloss {
namespace {

constexpr std::int64_t kWordsPerPiece = 8;               // a model cannot learn a piece from fewer occurrences
constexpr std::int64_t kPairsPerSpelledLine = 1'000;     // from this share on a text keeps how its words are spelled,
constexpr std::int64_t kPairsPerChangedLine = 20;        // and from this one on its other characters
constexpr std::int64_t kWarmupShare = 4;                 // the warm-up is at most this part of the run
constexpr std::int64_t kValidations = 15;                // of a run
constexpr std::int64_t kMinEpochs = 8, kMaxEpochs = 25;  // runs of these lengths are validated at each epoch's end
constexpr std::int64_t kMinValidateEvery = 50;           // updates; more validations would take longer than training
constexpr double kBytesPerPiece = 4, kBytesPerShortPiece = 3;
constexpr std::int64_t kShortPieces = 2'000;  // vocabularies of at most this size have short pieces
constexpr double kConstantShare = 0.2;        // of the peak of inverse_sqrt, for a constant learning rate
constexpr double kNoamFactor = 0.1;           // learning rates from here on are factors of noam

/// Keys that a run keeps when it is resumed. The others, which limit and validate it, may change.
constexpr std::array kKeptKeys{"tokenizer.normalization",
                               "tokenizer.vocabulary_size",
                               "data.batch_tokens",
                               "model.encoder_layers",
                               "model.decoder_layers",
                               "model.d_model",
                               "model.d_ff",
                               "model.heads",
                               "model.dropout",
                               "model.attention_dropout",
                               "model.feed_forward_dropout",
                               "training.schedule",
                               "training.learning_rate",
                               "training.warmup_steps",
                               "training.average_last",
                               "training.ema_decay",
                               "evaluation.tokenize"};

bool is_limited(const RunFileKeys& keys) {
  return keys.has("training.max_steps") || keys.has("training.max_epochs") || keys.has("training.max_hours");
}

/// Returns the nearest number of two digits.
double rounded(double value) { return std::strtod(formatted("%.1e", value).c_str(), nullptr); }

/// Number of updates of the run, as far as its limits and the size of the text determine it; 0: unknown.
struct ForeseenUpdates {
  std::int64_t per_epoch = 1, in_run = 0;
};

/// Chooses the values of open keys.
class Rule {
 public:
  Rule(Json& run_file, const TextSize& text)
      : run_file_(run_file),
        keys_(run_file),
        text_(text),
        row_(*std::ranges::find_if(kDefaultsRows, [&](const DefaultsRow& row) { return text.pairs <= row.pairs; })),
        start_row_(*std::ranges::find_if(kStartRows, [&](const auto& row) { return text.pairs <= row.pairs; })) {}

  std::vector<ChosenDefault> apply() {
    if (starts_from_model()) return apply_to_start_model();
    choose_writing();
    choose_tokenizer();
    choose_batch();
    choose_model();
    choose_dropout();
    choose_limit();
    choose_schedule("suits a model and a run of this size");
    choose_averages();
    choose_validation();
    return std::move(chosen_);
  }

 private:
  /// Chooses the values of a run that trains a model further. The model gives the others.
  std::vector<ChosenDefault> apply_to_start_model() {
    choose("data.batch_tokens", start_row_.batch_tokens, "batches that give a text of this size enough updates");
    const std::string reason = "a trained model needs few epochs of a text of this size; its best validation is kept";
    const bool is_open = !is_limited(keys_);
    if (is_open)
      choose("training.max_epochs",
             std::max(start_row_.epochs, std::min(kStartUpdates / updates().per_epoch, kSmallTextEpochs)), reason);
    choose_schedule("a trained model of this width needs smaller steps than a new one");
    choose("training.ema_decay", kStartEma, "means of weights translate better than the last ones");
    choose_validation();
    if (is_open && validates() && keys_.whole("training.average_last", 0) == 0)
      choose("training.early_stop.patience", kStartPatience, reason);
    return std::move(chosen_);
  }
  bool choose(const std::string& key, const Json& value, const std::string& reason) {
    if (keys_.has(key)) return false;
    set_key(run_file_, key, value);
    chosen_.push_back({key, value, reason});
    return true;
  }

  bool starts_from_model() const { return !keys_.text("training.start_from").empty(); }
  bool is_char() const { return keys_.text("tokenizer.type") == "char"; }

  /// Chooses what depends on the characters of the text.
  void choose_writing() {
    const auto* side = needs_its_characters(text_.source) ? &text_.source : &text_.target;
    if (needs_its_characters(*side) && keys_.text("tokenizer.model_file").empty())
      choose("tokenizer.normalization", normalization_name(Normalization::kIdentity),
             "nmt_nfkc would change " + character_text(side->first_changed) + " and others in " +
                 std::to_string(side->changed_by_nfkc) + " lines");
    const auto writing = text_.target.letters.writing();
    if (const auto tokenizer = unspaced_tokenizer(writing))
      choose("evaluation.tokenize", bleu_tokenizer_name(*tokenizer),
             "the target is " + std::string(writing_name(writing)) + ", whose words have no spaces between them");
  }

  /// Returns whether nmt_nfkc would change too much of a side. Identity has a price, too: it knows decomposed letters,
  /// ligatures and no-break spaces only where the text has them.
  bool needs_its_characters(const TextVariety& side) const {
    const auto often = [&](std::int64_t lines, std::int64_t per) { return lines > 0 && lines * per >= text_.pairs; };
    const bool full_width = side.letters.writing() != Writing::kSpaces && often(side.full_width, kPairsPerSpelledLine);
    return full_width || often(side.joined, kPairsPerSpelledLine) || often(side.changed_by_nfkc, kPairsPerChangedLine);
  }

  void choose_tokenizer() {
    if (is_char() || !keys_.text("tokenizer.model_file").empty()) return;
    const auto wanted = std::min(row_.vocabulary, text_.words / kWordsPerPiece);
    auto min_pieces = required_pieces(text_.both), max_pieces = available_pieces(text_.both);
    if (!keys_.flag("tokenizer.joint", true)) {
      min_pieces = std::max(required_pieces(text_.source), required_pieces(text_.target));
      max_pieces = std::min(available_pieces(text_.source), available_pieces(text_.target));
      // If no size suits both, the side that has fewer pieces gets fewer (tokenizer/train_tokenizer.h).
      if (max_pieces < std::max(single_pieces(text_.source), single_pieces(text_.target))) max_pieces = min_pieces;
    }
    const auto vocabulary = std::min(std::max(wanted, min_pieces), max_pieces);
    choose("tokenizer.vocabulary_size", std::clamp(vocabulary, min_vocabulary(), TokenizerConfig::kMaxVocabulary),
           vocabulary == row_.vocabulary ? "pieces that the text has often enough"
                                         : "as many pieces as the text can teach");
  }
  /// Returns the number of pieces for bytes and symbols of the run file.
  std::int64_t extra_pieces() const {
    const auto* symbols = keys_.find("tokenizer.symbols");
    return (keys_.flag("tokenizer.byte_fallback", false) ? 256 : 0) +
           (symbols != nullptr && symbols->is_array() ? static_cast<std::int64_t>(symbols->size()) : 0);
  }
  std::int64_t min_vocabulary() const { return TokenizerConfig::kMinVocabulary + extra_pieces(); }
  /// Returns the number of pieces for single characters, the mark of a word's beginning and the special symbols.
  std::int64_t single_pieces(const TextVariety& side) const { return side.characters + 5 + extra_pieces(); }
  std::int64_t required_pieces(const TextVariety& side) const {
    return single_pieces(side) + side.characters / 20 + 10;  // normalization may produce other characters
  }
  /// Returns a lower bound for the number of pieces that SentencePiece can learn. Its largest pieces are whole words
  /// without punctuation marks. A unigram model has no piece that occurs only once, as most words of a tiny text do.
  std::int64_t available_pieces(const TextVariety& side) const {
    constexpr std::int64_t kTinyText = 100;
    const bool has_repetitions = keys_.text("tokenizer.type") != "unigram" || side.distinct_words >= kTinyText;
    return single_pieces(side) + (has_repetitions ? side.distinct_words / 4 : 0);
  }

  void choose_batch() {
    constexpr std::int64_t kCharactersPerPiece = 4;
    choose("data.batch_tokens", row_.batch_tokens * (is_char() ? kCharactersPerPiece : 1),
           "batches that give a text of this size enough updates");
  }

  void choose_model() {
    const std::string reason = "a model that a text of this size can train";
    for (const auto* key : {"model.encoder_layers", "model.decoder_layers"}) choose(key, row_.layers, reason);
    const bool has_vectors = !keys_.text("training.initial_embeddings.source").empty() ||
                             !keys_.text("training.initial_embeddings.target").empty();
    // Vectors from a file have their own width, which is often that of the fixed default.
    if (!has_vectors) choose("model.d_model", width_for_heads(), reason);
    const auto d_model = width();
    choose("model.d_ff", d_model * (row_.d_ff / row_.d_model), reason);
    choose("model.heads", heads_for(d_model), reason);
  }
  std::int64_t width() const { return keys_.whole("model.d_model", ModelConfig{}.d_model); }
  std::int64_t width_for_heads() const {
    const auto heads = keys_.whole("model.heads", 1);
    return heads < 1 ? row_.d_model : (row_.d_model + heads - 1) / heads * heads;
  }
  std::int64_t heads_for(std::int64_t d_model) const {
    auto heads = std::max(row_.heads, d_model / 64);
    while (heads > 1 && d_model % heads != 0) --heads;
    return heads;
  }

  /// Chooses dropout. A dropout that the run file sets applies inside the sublayers, too, as with fixed defaults.
  void choose_dropout() {
    const std::string reason = "a text of this size is soon memorized";
    if (!choose("model.dropout", row_.dropout, reason)) return;
    choose("model.attention_dropout", row_.inner_dropout, reason);
    choose("model.feed_forward_dropout", row_.inner_dropout, reason);
  }

  void choose_limit() {
    if (is_limited(keys_)) return;
    if (row_.epochs > 0)
      choose("training.max_epochs",
             std::max(row_.epochs, std::min(kSmallTextUpdates / updates().per_epoch, kSmallTextEpochs)),
             "enough for a text of this size");
    else
      choose("training.max_steps", TrainingConfig::kDefaultSteps, "enough for a text of this size");
  }

  ForeseenUpdates updates() const {
    const bool has_short_pieces = keys_.whole("tokenizer.vocabulary_size", row_.vocabulary) <= kShortPieces;
    const double bytes = is_char() ? 1 : has_short_pieces ? kBytesPerShortPiece : kBytesPerPiece;
    const auto pieces = static_cast<double>(text_.bytes) / bytes + static_cast<double>(text_.pairs);
    const auto batch = static_cast<double>(keys_.whole("data.batch_tokens", row_.batch_tokens)) *
                       static_cast<double>(std::max<std::int64_t>(keys_.whole("training.accumulate", 1), 1));
    ForeseenUpdates updates{std::max<std::int64_t>(static_cast<std::int64_t>(pieces / std::max(batch, 1.0)), 1)};
    constexpr std::int64_t kNone = std::numeric_limits<std::int32_t>::max();
    const auto epochs = keys_.whole("training.max_epochs", kNone);
    const auto steps = std::min(keys_.whole("training.max_steps", kNone),
                                epochs > kNone / updates.per_epoch ? kNone : epochs * updates.per_epoch);
    updates.in_run = steps == kNone ? 0 : std::max<std::int64_t>(steps, 0);
    return updates;
  }

  void choose_schedule(const std::string& reason) {
    const bool is_factor = keys_.number("training.learning_rate", 0) >= kNoamFactor;
    const auto usual = starts_from_model() ? "inverse_sqrt" : row_.schedule;
    choose("training.schedule", is_factor ? "noam" : usual,
           is_factor && !starts_from_model() ? "a learning rate as high is a factor of this schedule" : reason);
    const auto schedule = keys_.text("training.schedule");
    const bool is_foreign = schedule == "noam" && row_.schedule != "noam";  // the fixed defaults are meant for noam
    if (is_foreign && !starts_from_model()) return;
    const auto warmup = warmup_for(starts_from_model() ? start_row_.warmup_steps : row_.warmup_steps);
    choose("training.learning_rate", learning_rate(schedule, keys_.whole("training.warmup_steps", warmup)), reason);
    if (schedule != "constant") choose("training.warmup_steps", warmup, reason);
  }
  /// Returns a warm-up of `steps`, or fewer in a short run.
  std::int64_t warmup_for(std::int64_t steps) const {
    const auto in_run = updates().in_run;
    return in_run > 0 ? std::min(steps, std::max<std::int64_t>(in_run / kWarmupShare, 1)) : steps;
  }
  /// Returns the peak of the learning rate, or what sets it. Wider models than those measured need less.
  double learning_rate(const std::string& schedule, std::int64_t warmup) const {
    constexpr double kBasePeak = 0.0007;
    const bool starts = starts_from_model();
    if (schedule == "noam" && !starts) return row_.learning_rate;
    const double peak = starts ? kStartRate : row_.schedule == "noam" ? kBasePeak : row_.learning_rate;
    const auto d_model = static_cast<double>(std::max<std::int64_t>(width(), 1));
    const double for_width = peak * std::min(1.0, (starts ? kStartWidth : static_cast<double>(row_.d_model)) / d_model);
    if (schedule == "noam")
      return rounded(for_width * std::sqrt(d_model * static_cast<double>(std::max<std::int64_t>(warmup, 1))));
    return rounded(schedule == "constant" ? for_width * kConstantShare : for_width);
  }

  void choose_averages() {
    const std::string reason = "means of weights translate better than the last ones";
    if (row_.average_last > 0 && keys_.whole("training.early_stop.patience", 0) == 0)
      choose("training.average_last", row_.average_last, reason);
    if (row_.ema_decay > 0) choose("training.ema_decay", row_.ema_decay, reason);
  }

  bool validates() const {
    return !keys_.text("data.valid_source").empty() || !keys_.text("data.valid_target").empty() ||
           keys_.flag("data.hold_out", false);
  }
  void choose_validation() {
    if (!validates()) choose("data.hold_out", true, "there is no validation text");
    const auto [per_epoch, in_run] = updates();
    if (!validates() || in_run == 0 || keys_.has("training.validate_every")) return;
    const auto epochs = in_run / per_epoch;
    const bool at_epochs = epochs >= kMinEpochs && epochs <= kMaxEpochs;
    const std::int64_t equal = in_run / kValidations;
    const auto every = static_cast<std::int64_t>(rounded(static_cast<double>(equal)));
    choose("training.validate_every", at_epochs ? 0 : std::max(every, kMinValidateEvery),
           at_epochs ? "after each epoch" : "often enough to follow the run");
  }

  Json& run_file_;
  RunFileKeys keys_;
  const TextSize& text_;
  const DefaultsRow& row_;
  const StartRow& start_row_;
  std::vector<ChosenDefault> chosen_;
};

}  // namespace

bool has_open_defaults(const Json& run_file) {
  const RunFileKeys keys(run_file);
  const auto is_open = [&](const char* key) { return !keys.has(key); };
  return std::ranges::any_of(kKeptKeys, is_open) || !is_limited(keys) || is_open("training.validate_every");
}

std::vector<ChosenDefault> complete_defaults(Json& run_file, const TextSize& text) {
  return Rule(run_file, text).apply();
}

void complete_from_kept(Json& run_file, const Json& kept) {
  const RunFileKeys keys(run_file), kept_keys(kept);
  for (const auto* key : kKeptKeys)
    if (const auto* value = kept_keys.find(key); value != nullptr && !keys.has(key)) set_key(run_file, key, *value);
  const auto* hold_out = kept_keys.find("data.hold_out");
  if (hold_out != nullptr && !keys.has("data.hold_out") && keys.text("data.valid_source").empty())
    set_key(run_file, "data.hold_out", *hold_out);
}

}  // namespace gloss
