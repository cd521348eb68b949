#include "tests/translation/multilingual_model.h"

#include <fstream>
#include <vector>

#include "model/make_model.h"
#include "model/storage/model_file.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/train_tokenizer.h"
#include "translation/models/translator_config.h"

namespace gloss {
namespace {

constexpr auto kConfig = R"({
  "tokenizer": {"joint": false, "shared_ids": true},
  "data": {"max_length": 64},
  "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 8, "d_ff": 16, "heads": 2, "dropout": 0.1},
  "decoding": {"beam_size": 2, "max_length": 8}
})";

/// A SentencePiece model of characters.
std::string trained_on(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << text;
  TokenizerConfig config;
  config.type = TokenizerType::kChar;
  return train_tokenizer(std::vector<std::filesystem::path>{folder / "text"}, config);
}

}  // namespace

void MultilingualModel::write(const std::filesystem::path& path) const {
  auto json = parse_json(kConfig);
  json["tokenizer"]["source_tag"] = source_tag;
  json["tokenizer"]["target_tag"] = target_tag;
  json["data"]["source_language"] = source;
  json["data"]["target_language"] = target;
  const auto config = read_translator_config(json);
  const MappedVocabulary vocabulary{
      .pieces = {"<pad>", "<unk>", "<s>", "</s>", "__deu__", "__eng__", "__fra__", "▁", "a", "b", "c", "d", "e"},
      .languages = {{"deu", 4}, {"eng", 5}, {"fra", 6}}};
  const auto rows = std::ssize(vocabulary.pieces);
  const auto model = make_model(config.model, {rows, rows}, RandomStream(1, "weights"));
  const auto of = [&](const std::string& text) {
    return MappedTokenizer(vocabulary, trained_on(text), "tokenizer").serialized();
  };
  const ModelDescription description{
      to_json(config), Json::object(), {{kSourceTokenizer, of("a b\nc d\n")}, {kTargetTokenizer, of("a b c\nd e\n")}}};
  write_model_file(path, model, description);
}

}  // namespace gloss
