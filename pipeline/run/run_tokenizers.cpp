#include "pipeline/run/run_tokenizers.h"

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/log.h"
#include "model/storage/model_file.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxModelFile = 64 << 20;  // bytes

// Returns whether the file can be read and has this SHA-256.
bool has_sum(const fs::path& file, const std::string& wanted) {
  try {
    return !wanted.empty() && sha256(read_file(file, kMaxModelFile)) == wanted;
  } catch (const Error&) {
    return false;
  }
}

std::shared_ptr<const Tokenizer> load_or_train(const TokenizerConfig& config, const std::string& name,
                                               TrainingTexts& texts, TrainingTexts::Sides sides) {
  if (!config.model_file.empty()) {
    if (!fs::exists(config.model_file))
      throw DataError(printable(config.model_file) + ": tokenizer.model_file names this file, but it is not there");
    return SentencePieceTokenizer::load(config.model_file);
  }
  log_info("training " + name + ", " + std::to_string(config.vocabulary_size) + " pieces");
  return std::make_shared<SentencePieceTokenizer>(texts.train_tokenizer(sides, config), name);
}

}  // namespace

RunTokenizers::RunTokenizers(const RunConfig& config, const RunFolder& folder, const CorpusCache& cache,
                             const std::map<std::string, std::string>& given) {
  for (const auto& [name, bytes] : given) by_name_[name] = std::make_shared<SentencePieceTokenizer>(bytes, name);
  if (!given.empty()) return;
  const auto add = [&](const std::string& name, TrainingTexts::Sides sides) {
    const auto kept = folder.tokenizer_file(name);
    const auto& named = config.tokenizer.model_file;
    const bool is_kept = (named.empty() || (folder.resumes() && !fs::exists(named))) && fs::exists(kept);
    const bool takes_kept = is_kept && (folder.resumes() || has_sum(kept, cache.known_tokenizer(name)));
    by_name_[name] =
        takes_kept ? SentencePieceTokenizer::load(kept) : load_or_train(config.tokenizer, name, cache.texts(), sides);
  };
  if (config.tokenizer.joint) {
    add(kJointTokenizer, TrainingTexts::Sides::kBoth);
  } else {
    add(kSourceTokenizer, TrainingTexts::Sides::kSource);
    add(kTargetTokenizer, TrainingTexts::Sides::kTarget);
  }
}

const std::shared_ptr<const Tokenizer>& RunTokenizers::source() const {
  return by_name_.at(by_name_.contains(kJointTokenizer) ? kJointTokenizer : kSourceTokenizer);
}

const std::shared_ptr<const Tokenizer>& RunTokenizers::target() const {
  return by_name_.at(by_name_.contains(kJointTokenizer) ? kJointTokenizer : kTargetTokenizer);
}

void RunTokenizers::save(const RunFolder& folder) const {
  for (const auto& [name, tokenizer] : by_name_) write_file(folder.tokenizer_file(name), tokenizer->serialized());
}

}  // namespace gloss
