#include "run/write_model.h"

#include <string>

#include <ATen/Parallel.h>

#include "common/log/log.h"
#include "common/text/format.h"
#include "common/version.h"
#include "model/storage/model_file.h"
#include "run/run_report.h"
#include "tensor/runtime.h"
#include "translation/models/translation_model.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

ModelDescription describe(const RunConfig& config, const RunInputs& inputs, const RunProgress& progress) {
  auto described = config;
  if (const auto guided = config.guided_alignment(); guided.weight > 0 && config.decoding.alignment_from.empty())
    described.decoding.alignment_from = guided.name();
  ModelDescription description{.config = to_portable_json(described),
                               .provenance = {{"program", "gloss " + std::string(kVersion)},
                                              {"steps", progress.steps},
                                              {"epochs", progress.epochs},
                                              {"weights_of_steps", progress.kept_steps},
                                              {"training_pairs", inputs.corpus().size()},
                                              {"training_corpus", inputs.corpus().hash()}},
                               .tokenizers = {}};
  if (inputs.validator) description.provenance["validation_set"] = inputs.validator->hash();
  for (const auto& [key, hash] : inputs.initial.hashes().items())
    description.provenance[key] = progress.hashes->at(key);
  for (const auto& [name, tokenizer] : inputs.tokenizers.by_name())
    description.tokenizers[name] = tokenizer->serialized();
  return description;
}

Bleu score_test_set(const RunConfig& config, const RunInputs& inputs, const EncoderDecoder& model) {
  const auto translator =
      make_translator(model, config.translator(), inputs.tokenizers.source(), inputs.tokenizers.target(), config.plain)
          .with_workers(at::get_num_threads());
  give_back_memory();
  log_info("translating the test set, " + counted(inputs.test->sources.size(), "line"));
  const auto [texts, truncated] = Translations(translate_texts(translator, config.decoding, inputs.test->sources));
  warn_of_truncated("the test source", truncated, translator.max_source_length());
  return corpus_bleu(texts, inputs.test->references, config.evaluation.tokenize);
}

}  // namespace

std::optional<Bleu> write_and_score(const RunConfig& config, const RunInputs& inputs, RunFolder& folder,
                                    EncoderDecoder& model, const RunProgress& progress, RunValidation* validation,
                                    TrainingLens& lens) {
  auto description = describe(config, inputs, progress);
  if (validation != nullptr)
    description.provenance["validation"] = summary(validation->validate_final(model, progress.kept_steps));
  lens.record(model, progress.kept_steps);
  write_model_file(folder.files().model, model, description);
  folder.model_is_written();
  if (!inputs.test) return std::nullopt;
  const auto test = score_test_set(config, inputs, model);
  folder.log("test", summary(test));
  description.provenance["test"] = summary(test);
  write_model_file(folder.files().model, model, description);
  return test;
}

}  // namespace gloss
