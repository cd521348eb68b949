#include "run/run_identity.h"

#include "common/files/sha256.h"

namespace gloss {
Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator) {
  auto identity = settings_identity(config);
  identity["training corpus"] = corpus.hash();
  if (corpus.reports().size() > 1) {  // the hash is over the pairs of all texts, which weights tell apart
    auto& pairs = identity["pairs of the training texts"] = Json::array();
    for (const auto& report : corpus.reports()) pairs.push_back(report.pairs);
  }
  if (validator) identity["validation set"] = validator->hash();
  if (config.plain) identity["--plain"] = true;  // left out otherwise, so that earlier runs can be resumed
  for (const auto& [name, tokenizer] : tokenizers.by_name()) identity[name] = sha256(tokenizer->serialized());
  return identity;
}

}  // namespace gloss
