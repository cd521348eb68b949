#include "pipeline/run/validation.h"

#include <cmath>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/files/sha256.h"
#include "common/system/stop.h"
#include "common/text/counted.h"
#include "model/padding.h"
#include "pipeline/models/translation_model.h"
#include "pipeline/translate_texts.h"
#include "tensor/workers.h"
#include "training/batch_loss.h"

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
      samples_(samples) {}

ValidationReport Validator::operator()(EncoderDecoder& model, Exchange& exchange) const {
  const double loss = mean_loss(model, exchange);
  if (!std::isfinite(loss))
    throw DivergedError("validation: wanted a finite loss, got " + std::to_string(loss) +
                        "; lower training.learning_rate, or set training.clip_norm");
  const auto translator = make_translator(model, config_, source_tokenizer_, target_tokenizer_, config_.plain);
  auto [translations, truncated] =
      translate_texts(translator, greedy_decoding(config_.decoding), text_.sources, "validating", exchange);
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
    const Loss loss = batch_loss(model, batch, /*label_smoothing=*/0, {.plain = config_.plain});
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
