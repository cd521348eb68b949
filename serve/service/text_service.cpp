#include "serve/service/text_service.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "common/error.h"
#include "common/files/sha256.h"
#include "documents/document.h"
#include "documents/model_sentence_translator.h"
#include "documents/translate_document.h"
#include "documents/unit_translator.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

/// Translates by the candidates of one rank of an n-best search, which is made once for all ranks.
class RankedSentences final : public SentenceTranslator {
 public:
  explicit RankedSentences(const ModelSentenceTranslator& search) : search_(search) {}

  std::size_t rank = 0;  ///< the last candidate stands for those that a sentence lacks

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    std::vector<SentenceRequest> missing;
    for (const auto& sentence : sentences)
      if (!found_.contains({sentence.text, sentence.required})) missing.push_back(sentence);
    auto candidates = search_.candidates(missing);
    for (std::size_t i = 0; i < missing.size(); ++i)
      found_[{missing[i].text, missing[i].required}] = std::move(candidates[i]);
    std::vector<SentenceTranslation> result;
    for (const auto& sentence : sentences) {
      const auto& of_sentence = found_.at({sentence.text, sentence.required});
      result.push_back(of_sentence[std::min(rank, of_sentence.size() - 1)]);
    }
    return result;
  }
  bool fits(std::string_view sentence) const override { return search_.fits(sentence); }
  bool can_spell(std::string_view text) const override { return search_.can_spell(text); }
  std::vector<TextSpan> phrases(std::string_view text) const override { return search_.phrases(text); }

 private:
  const ModelSentenceTranslator& search_;
  mutable std::map<std::pair<std::string, std::vector<std::string>>, std::vector<SentenceTranslation>> found_;
};

/// A text that a function of the job has read.
class ReadText final : public Document {
 public:
  ReadText(Passage passage, std::string& output) : passage_(std::move(passage)), output_(output) {}
  std::optional<Passage> next() override { return std::exchange(passage_, std::nullopt); }
  void write(std::string_view bytes) override { output_ += bytes; }
  void finish() override {}
  double share_read() const override { return passage_ ? 0 : 1; }

 private:
  std::optional<Passage> passage_;
  std::string& output_;
};

std::unique_ptr<Document> opened(const ServedModel& model, const TextJob& job, const std::string& text,
                                 std::string& output) {
  if (job.read)
    return std::make_unique<ReadText>(
        job.read(text, {.name = "text", .source_language = model.source, .target_language = model.target}), output);
  return open_text(text, output,
                   {.format = job.format,
                    .mode = job.format == "txt" ? std::optional(job.mode) : std::nullopt,
                    .source_language = model.source,
                    .target_language = model.target});
}

ModelSentenceTranslator sentences_of(const ServedModel& model, const TextJob& job, const DecodingConfig& decoding) {
  try {
    return {model.translator,
            decoding,
            job.glossary,
            {.deadline = job.deadline, .stop = job.stop},
            model.config.model.has_cross_attention()};
  } catch (const DataError& error) {
    throw ApiError(400, std::string("Invalid request: ") + error.what());  // "glossary: entry 1: ..."
  }
}

/// Returns what translations of a job depend on beside the text.
std::string options_of(const ServedModel& model, const TextJob& job) {
  auto text = model.sha256 + ' ' + model.source + ' ' + model.target;
  for (const auto& [phrase, translation] : job.glossary)
    text.append(1, '\0').append(phrase).append(1, '\0').append(translation);
  return sha256(text);
}

/// Throws if units are left.
void expect_complete(const UnitCounts& counts, const TextJob& job) {
  if (counts.left == 0) return;
  if (job.stop.stop_requested()) throw ClientLeft();
  throw ApiError(504, "The deadline of the request has passed");
}

/// Translates texts by one model.
std::vector<TextAnswer> translated(const ServedModel& model, const TextJob& job, const SentenceTranslator& sentences,
                                   std::span<const std::string> texts) {
  const UnitTranslator units(sentences, model.units);
  std::vector<std::string> outputs(texts.size());
  std::vector<std::unique_ptr<Document>> documents;
  for (std::size_t i = 0; i < texts.size(); ++i) documents.push_back(opened(model, job, texts[i], outputs[i]));
  const auto result = translate_together(documents, units);
  expect_complete(result.counts, job);
  std::vector<TextAnswer> answers;
  for (std::size_t i = 0; i < texts.size(); ++i) answers.push_back({std::move(outputs[i]), {}, result.confidences[i]});
  return answers;
}

/// Adds the alternatives of the last model: those of an n-best search, rank by rank.
void add_alternatives(const ServedModel& model, const TextJob& job, std::span<const std::string> texts,
                      std::vector<TextAnswer>& answers) {
  auto decoding = best_of(model);
  const auto wanted = static_cast<std::int64_t>(job.alternatives) + 1;
  decoding.beam_size = std::max(decoding.beam_size, wanted);
  decoding.n_best = decoding.beam_size;
  const auto search = sentences_of(model, job, decoding);
  RankedSentences ranked(search);
  const auto lacks_some = [&](const TextAnswer& answer) { return answer.alternatives.size() < job.alternatives; };
  for (; ranked.rank < static_cast<std::size_t>(decoding.n_best) && std::ranges::any_of(answers, lacks_some);
       ++ranked.rank) {
    const auto others = translated(model, job, ranked, texts);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      auto& known = answers[i].alternatives;
      const bool is_new = others[i].text != answers[i].text && std::ranges::find(known, others[i].text) == known.end();
      if (is_new && known.size() < job.alternatives) known.push_back(others[i].text);
    }
  }
}

}  // namespace

void expect_direct(std::span<const ServedModel* const> route,
                   const std::vector<std::pair<std::string, std::string>>& glossary) {
  if (route.size() > 1 && !glossary.empty())
    throw ApiError(400, "Invalid request: glossary: wanted none, since these languages are translated through " +
                            route.front()->target);
}

std::string model_hashes(std::span<const ServedModel* const> route) {
  std::string hashes;
  for (const auto* const model : route) hashes += (hashes.empty() ? "" : ", ") + model->sha256;
  return hashes;
}

DecodingConfig best_of(const ServedModel& model) {
  auto decoding = model.config.decoding;
  decoding.sampling.enabled = false;
  decoding.n_best = 1;
  // A request waits for the batch that is computed when it comes.
  constexpr std::int64_t kMaxBatch = 32;
  decoding.batch_size = std::min(decoding.batch_size, kMaxBatch);
  return decoding;
}

std::vector<TextAnswer> translate_texts(std::span<const ServedModel* const> route, const TextJob& job) {
  expect_direct(route, job.glossary);
  auto texts = job.texts;
  std::vector<TextAnswer> answers;
  for (const auto& text : texts) answers.push_back({text, {}, 1});
  for (const auto* const model : route) {
    const auto searched = sentences_of(*model, job, best_of(*model));
    const CachedSentences sentences(searched, job.cache, options_of(*model, job));
    auto found = translated(*model, job, sentences, texts);
    if (model == route.back() && job.alternatives > 0) add_alternatives(*model, job, texts, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].confidence *= answers[i].confidence;
      texts[i] = found[i].text;
    }
    answers = std::move(found);
  }
  return answers;
}

StreamedText stream_text(std::span<const ServedModel* const> route, const TextJob& job,
                         const std::function<void(const StreamedSentence&)>& take) {
  expect_direct(route, job.glossary);
  if (route.empty()) return {job.texts.front(), job.texts.front()};
  constexpr std::size_t kMaxBytes = 64 << 20;
  SentenceCache found(kMaxBytes);  // of this text
  std::deque<ModelSentenceTranslator> searched;
  std::deque<CachedSentences> sentences;  // which stay where they are
  std::vector<UnitTranslator> units;
  for (const auto* const model : route) {
    const auto options = options_of(*model, job);
    searched.push_back(sentences_of(*model, job, best_of(*model)));
    sentences.emplace_back(searched.back(), job.cache, options);
    sentences.emplace_back(sentences.back(), &found, options);
    units.emplace_back(sentences.back(), model->units);
  }
  const auto translated = [&](std::string text) {
    UnitTranslation translation;
    for (const auto& translator : units) {
      UnitCounts counts;
      translation = translate_text(text, job.mode, translator, counts);
      expect_complete(counts, job);
      text = translation.target.text;
    }
    return translation;
  };
  const std::string_view text = job.texts.front();
  const auto spans = sentence_spans(text, job.mode, *route.front()->units.splitter);
  std::size_t count = 1;  // sentences of the next window: each has twice as many as the one before
  constexpr std::size_t kMaxCount = 32;
  std::string joined;
  std::size_t sent = 0;  // bytes of `joined`
  for (std::size_t begin = 0, next = 0; begin < text.size(); count = std::min(2 * count, kMaxCount)) {
    next += count;
    const auto end = next < spans.size() ? spans[next].begin : text.size();
    const auto source = text.substr(begin, end - begin);
    begin = end;
    const auto translation = translated(std::string(source));
    const auto offset = joined.size();
    joined += translation.target.text;
    for (const auto& [target, source_span, confidence] : translation.sentences) {
      const auto begin_of = offset + target.begin, end_of = offset + target.end;
      // Spans of a pivot language are of no use to the client.
      const auto of_source = route.size() == 1 ? source_span.of(source) : std::string_view();
      take({std::string_view(joined).substr(sent, begin_of - sent), of_source,
            std::string_view(joined).substr(begin_of, end_of - begin_of), confidence});
      sent = end_of;
    }
  }
  return {translated(std::string(text)).target.text, joined.substr(sent)};
}

}  // namespace gloss
