#include "translation/models/translation_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/make_model.h"
#include "tensor/accelerator.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class TranslationModelTest : public DeviceTest {
 protected:
  // A model file whose weights have these many rows, beside tokenizers of `pieces_` pieces.
  void write(const Vocabularies& rows) const {
    const auto model = make_model(job_.config.model, rows, RandomStream(1, "weights"));
    ModelDescription description{to_portable_json(job_.config), Json::object(), {}};
    if (job_.config.tokenizer.joint)
      description.tokenizers["tokenizer.model"] = tokenizer_;
    else
      description.tokenizers = {{"source_tokenizer.model", tokenizer_}, {"target_tokenizer.model", tokenizer_}};
    write_model_file(job_ / "model.safetensors", model, description);
  }
  TranslationModel load() const { return load_translation_model(job_ / "", device()); }

  SmallJob job_;
  std::string tokenizer_ =
      train_tokenizer(std::vector<std::filesystem::path>{job_.config.data.train_source}, job_.config.tokenizer);
  std::int64_t pieces_ = SentencePieceTokenizer(tokenizer_, "t").vocabulary_size();
};

TEST_P(TranslationModelTest, FolderOrFileGiveTheSameTranslator) {
  write({pieces_, pieces_});
  const auto loaded = load();
  EXPECT_EQ(loaded.source_tokenizer, loaded.target_tokenizer);
  EXPECT_EQ(loaded.file.vocabularies.source, pieces_);
  const std::vector<std::string> lines = {"a", "b"};
  const auto translations = loaded.translator().translate(lines, loaded.config.decoding);
  const auto again = load_translation_model(job_ / "model.safetensors", device());
  EXPECT_EQ(again.translator().translate(lines, loaded.config.decoding)[1].candidates[0].text,
            translations[1].candidates[0].text);
}

TEST_P(TranslationModelTest, VocabulariesOfAnotherSizeThanTheWeightsAreRefused) {
  for (const std::int64_t more : {-1, 1}) {
    write({pieces_ + more, pieces_ + more});
    EXPECT_THAT([&] { load(); },
                ThrowsMessage<ModelError>(AllOf(HasSubstr("tokenizer.model has " + std::to_string(pieces_) + " pieces"),
                                                HasSubstr(std::to_string(pieces_ + more) + " rows"))));
  }
  job_.config.tokenizer.joint = false;
  job_.config.model.tie_embeddings = TieEmbeddings::kNone;
  write({pieces_, pieces_});
  EXPECT_NO_THROW(load());
  write({pieces_ + 1, pieces_});
  EXPECT_THAT([&] { load(); }, ThrowsMessage<ModelError>(HasSubstr("source_tokenizer.model has")));
  write({pieces_, pieces_ + 1});
  EXPECT_THAT([&] { load(); }, ThrowsMessage<ModelError>(HasSubstr("target_tokenizer.model has")));
}

TEST_P(TranslationModelTest, OneTokenizerGoesWithEmbeddingsOfOneSize) {
  job_.config.model.tie_embeddings = TieEmbeddings::kNone;
  write({pieces_, pieces_ + 1});
  EXPECT_THAT([&] { load(); }, ThrowsMessage<ModelError>(HasSubstr("embeddings of different sizes")));
}

TEST_P(TranslationModelTest, NoModelIsAUsageError) {
  EXPECT_THAT([&] { load(); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("model: there is no"), HasSubstr("model.safetensors"))));
  EXPECT_THROW(load_translation_model("", device()), UsageError);
}

TEST_P(TranslationModelTest, DevicesHaveTheirPrecisions) {
  const at::Device gpu(at::kCUDA, 1);
  const auto wanted = [](WeightPrecision precision, at::Device where) {
    return [=] { expect_translating_precision(precision, where, false); };
  };
  for (const auto where : {at::Device(at::kCPU), gpu}) {
    EXPECT_NO_THROW(wanted(WeightPrecision::kFloat32, where)());
    EXPECT_NO_THROW(expect_translating_precision(std::nullopt, where, true));
  }
  EXPECT_NO_THROW(wanted(WeightPrecision::kInt8, at::kCPU)());
  EXPECT_NO_THROW(wanted(WeightPrecision::kFloat16, gpu)());
  EXPECT_THAT(wanted(WeightPrecision::kInt8, gpu),
              ThrowsMessage<UsageError>(AllOf(HasSubstr("precision: wanted float32, bfloat16 or float16"),
                                              HasSubstr("cuda:1"), HasSubstr("take the device cpu"))));
  EXPECT_THAT(wanted(WeightPrecision::kFloat16, at::kCPU),
              ThrowsMessage<UsageError>(HasSubstr("wanted float32, bfloat16 or int8 on the device cpu, got float16")));
  if (!device().is_cpu() && has_bfloat16(device())) {
    EXPECT_NO_THROW(wanted(WeightPrecision::kBfloat16, device())());
    EXPECT_EQ(translating_precision(WeightPrecision::kBfloat16, device()), WeightPrecision::kBfloat16);
  }
  EXPECT_EQ(translating_precision(WeightPrecision::kInt8, gpu), WeightPrecision::kFloat32);
  write({pieces_, pieces_});
  const auto loaded = load();
  const bool on_cpu = device().is_cpu();
  EXPECT_NO_THROW(loaded.translator(on_cpu ? WeightPrecision::kInt8 : WeightPrecision::kFloat16));
  EXPECT_THROW(loaded.translator(on_cpu ? WeightPrecision::kFloat16 : WeightPrecision::kInt8), UsageError);
}

INSTANTIATE_DEVICES(TranslationModelTest);

}  // namespace
}  // namespace gloss
