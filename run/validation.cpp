#include "run/validation.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/files/sha256.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "evaluation/bleu/bleu.h"
#include "model/padding.h"
#include "tensor/workers.h"
#include "training/batch_loss.h"
#include "translation/models/translation_model.h"
#include "translation/translate_texts.h"
#include "translation/translation_runner.h"

namespace gloss {
namespace {

// Returns some lines, evenly spread over the text, whose two sides are not empty.
std::vector<std::size_t> sample_lines(const LinePairs& text, std::size_t samples) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < text.sources.size(); ++i)
    if (!text.sources[i].empty() && !text.references[i].empty()) lines.push_back(i);
  if (lines.size() <= samples) return lines;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < samples; ++i) chosen.push_back(lines[i * lines.size() / samples]);
  return chosen;
}

// Returns the lines that this process translates. Neighbors go to different processes, since texts often begin with
// short lines.
std::vector<std::string> lines_of(const Exchange& exchange, const std::vector<std::string>& lines) {
  std::vector<std::string> own;
  for (auto i = static_cast<std::size_t>(exchange.rank()); i < lines.size();
       i += static_cast<std::size_t>(exchange.size()))
    own.push_back(lines[i]);
  return own;
}

// Returns the translations of all lines, which lines_of has divided.
std::vector<TranslatedText> of_all_processes(Exchange& exchange, std::vector<TranslatedText> own, std::size_t lines) {
  if (exchange.is_alone()) return own;
  std::string bytes;  // a mark, the number of bytes and the text of each line
  for (const auto& [text, truncated] : own) {
    const std::uint64_t size = text.size();
    bytes += truncated ? '\1' : '\0';
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += text;
  }
  const auto parts = exchange.all_gather_texts(bytes);
  std::vector<std::size_t> read(parts.size());  // bytes of each part
  std::vector<TranslatedText> all;
  for (std::size_t line = 0; line < lines; ++line) {
    const auto& part = parts[line % parts.size()];
    auto& at = read[line % parts.size()];
    std::uint64_t size = 0;
    expect_sent(part.size() - at > sizeof size);
    std::memcpy(&size, part.data() + at + 1, sizeof size);
    expect_sent(size <= part.size() - at - 1 - sizeof size);
    all.push_back({part.substr(at + 1 + sizeof size, size), part[at] != '\0'});
    at += 1 + sizeof size + size;
  }
  return all;
}

ParallelCorpus read_corpus(const DataConfig& data, const LinePairs& text, const Tokenizer& source,
                           const Tokenizer& target) {
  if (data.valid_source.empty()) {
    auto corpus = ParallelCorpus::of_lines(text.sources, text.references, source, target, data.max_length);
    if (corpus.size() == 0)
      throw DataError("data.hold_out: wanted held-out pairs that can be used, got none of " +
                      counted(text.sources.size(), "pair") + ": one side is longer than data.max_length = " +
                      std::to_string(data.max_length) + " pieces; set data.max_length higher");
    return corpus;
  }
  return ParallelCorpus::read(data.valid_source, data.valid_target, source, target,
                              {.max_length = data.max_length, .before_pair = stop_where_requested});
}

}  // namespace

Validator::Validator(const RunConfig& config, LinePairs text, std::shared_ptr<const Tokenizer> source,
                     std::shared_ptr<const Tokenizer> target, std::size_t samples)
    : config_(config),
      source_tokenizer_(std::move(source)),
      target_tokenizer_(std::move(target)),
      corpus_(read_corpus(config.data, text, *source_tokenizer_, *target_tokenizer_)),
      text_(std::move(text)),
      samples_(samples),
      runner_(std::make_shared<TranslationRunner>(at::get_num_threads())) {}

ValidationReport Validator::operator()(EncoderDecoder& model, Exchange& exchange) const {
  const double loss = mean_loss(model, exchange);
  if (!std::isfinite(loss))
    throw DivergedError("validation: wanted a finite loss, got " + std::to_string(loss) +
                        "; lower training.learning_rate, or set training.clip_norm");
  const bool is_int8 = config_.training.quantize != Int8Scales::kNone && !config_.plain && model->device().is_cpu();
  const auto translator = make_translator(model, config_.translator(), source_tokenizer_, target_tokenizer_,
                                          config_.plain, is_int8 ? WeightPrecision::kInt8 : WeightPrecision::kFloat32)
                              .with_runner(runner_);
  auto own =
      translate_texts(translator, greedy_decoding(config_.decoding), lines_of(exchange, text_.sources), "validating");
  auto [translations, truncated] = Translations(of_all_processes(exchange, std::move(own), text_.sources.size()));
  ValidationReport report{
      .scores = {.loss = loss, .bleu = corpus_bleu(translations, text_.references, config_.evaluation.tokenize).score},
      .signature = bleu_signature(config_.evaluation.tokenize),
      .samples = {},
      .truncated = std::move(truncated)};
  for (const auto i : sample_lines(text_, samples_))
    report.samples.push_back(
        {static_cast<std::int64_t>(i) + 1, text_.sources[i], text_.references[i], translations[i]});
  return report;
}

std::string Validator::hash() const {
  Sha256 sum;
  sum.update(corpus_.hash());
  for (const auto* lines : {&text_.sources, &text_.references})
    for (const auto& line : *lines) sum.update(line + '\n');
  return sum.hex();
}

double Validator::mean_loss(EncoderDecoder& model, Exchange& exchange) const {
  const auto batches = batches_by_length(corpus_, config_.data.batch_tokens);
  const auto count = std::ssize(batches);
  const auto own = at::zeros({count, 2}, at::kDouble);  // negative log-likelihood and tokens of each batch
  const auto score = [&](std::int64_t task) {
    const at::NoGradGuard no_grad;
    stop_where_requested();
    const auto i = exchange.rank() + task * exchange.size();
    const auto batch = corpus_.batch(batches[static_cast<std::size_t>(i)]);
    const Loss loss =
        batch_loss(model, batch, /*label_smoothing=*/0, {.plain = config_.plain, .int8 = config_.training.quantize});
    own.mutable_data_ptr<double>()[2 * i] = loss.nll_sum.item<double>();
    own.mutable_data_ptr<double>()[2 * i + 1] = static_cast<double>(loss.tokens);
  };
  const auto tasks = (count - exchange.rank() + exchange.size() - 1) / exchange.size();
  run_on_kept_workers(model->device().is_cpu() ? at::get_num_threads() : 1, tasks, score);
  const auto all = exchange.all_gather(own);  // in each process the batches of the others are zero
  double sum = 0, tokens = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* const of_batch = all.const_data_ptr<double>() + 2 * (i % exchange.size() * count + i);
    sum += of_batch[0];
    tokens += of_batch[1];
  }
  return sum / tokens;
}

}  // namespace gloss
