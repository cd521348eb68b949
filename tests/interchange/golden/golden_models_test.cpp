// The models in tests/golden/interop, made of random numbers in the formats of other programs, against the logits that
// transformers and a NumPy program with Marian's formulas computed for them, or CTranslate2's log-probabilities
// (tests/golden/interop.py).

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "common/files/atomic_file.h"
#include "decoding/scorer.h"
#include "tests/app/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/mapped_tokenizer.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

/// The results of other programs for a model: expected.json.
struct Expected {
  explicit Expected(const std::filesystem::path& folder) {
    const auto json = parse_json(read_file(folder / "expected.json", 1 << 20));
    options = json["options"].get<Arguments>();
    source = json["source"].get<Arguments>();
    target = json["target"].get<Arguments>();
    pieces = json["pieces"].get<Arguments>();
    is_normalized = json.contains("log_probabilities");
    for (const auto& row : json[is_normalized ? "log_probabilities" : "logits"])
      logits.push_back(row.get<std::vector<double>>());
  }

  Arguments options;                        ///< of `gloss import`
  std::vector<std::string> source, target;  ///< pieces; the source ends with eos if the model reads it
  std::vector<std::string> pieces;          ///< [V]
  std::vector<std::vector<double>> logits;  ///< [T + 1, V]
  bool is_normalized = false;               ///< the logits are log-probabilities
};

/// The ids of pieces in an imported model.
Ids ids_of(const std::vector<std::string>& pieces, const Tokenizer& tokenizer) {
  const auto& own = dynamic_cast<const MappedTokenizer&>(tokenizer).vocabulary().pieces;
  std::map<std::string, Id> ids = {{"<pad>", kPad}, {"<unk>", kUnk}, {"<s>", kBos}, {"</s>", kEos}};
  for (Id id = kSpecialIds; id < std::ssize(own); ++id) ids.emplace(own[static_cast<std::size_t>(id)], id);
  Ids result;
  for (const auto& piece : pieces) {
    const auto found = ids.find(piece);
    EXPECT_NE(found, ids.end()) << "no piece " << piece;
    result.push_back(found == ids.end() ? kUnk : found->second);
  }
  return result;
}

/// Logits [T + 1, V] of the ids, token by token.
at::Tensor logits_of(const Scorer& scorer, const Ids& source, const Ids& target) {
  const c10::InferenceMode inference;
  const auto state = scorer.start(pad(std::vector<Ids>{source}, at::kCPU));
  std::vector<at::Tensor> rows;
  Id token = kBos;
  for (std::size_t t = 0; t <= target.size(); ++t) {
    rows.push_back(scorer.step(*state, std::vector<Id>{token}, std::nullopt).logits);
    if (t == target.size()) break;
    scorer.select(*state, {0}, {0});
    token = target[t];
  }
  return at::cat(rows);
}

/// Names of the folders of tests/golden/interop.
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(GLOSS_GOLDEN_FOLDER "/interop"))
    result.push_back(entry.path().filename());
  std::ranges::sort(result);
  return result;
}

class GoldenModelsTest : public testing::TestWithParam<std::string> {
 protected:
  void import_from(const std::filesystem::path& path, const std::string& output, const Arguments& options) const {
    Arguments arguments = {"import", path, "--output", folder_ / output};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto outcome = run_gloss(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }

  TemporaryFolder folder_;
  std::filesystem::path golden_ = std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "interop" / GetParam();
};

TEST_P(GoldenModelsTest, AnImportedModelHasTheLogitsOfItsProgram) {
  const Expected expected(golden_);
  import_from(golden_, "model.safetensors", expected.options);
  const auto model = load_translation_model(folder_ / "model.safetensors", at::kCPU);
  const auto source = ids_of(expected.source, *model.source_tokenizer);
  const auto target = ids_of(expected.target, *model.target_tokenizer);
  const auto pieces = ids_of(expected.pieces, *model.target_tokenizer);
  for (const bool plain : {false, true}) {
    auto logits = logits_of(*model.scorer(WeightPrecision::kFloat32, plain), source, target);
    if (expected.is_normalized) logits = logits.log_softmax(1);
    ASSERT_EQ(logits.size(0), std::ssize(expected.logits));
    double largest = 0, difference = 0;
    for (std::size_t t = 0; t < expected.logits.size(); ++t)
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const double wanted = expected.logits[t][i];
        largest = std::max(largest, std::abs(wanted));
        difference =
            std::max(difference, std::abs(wanted - logits[static_cast<std::int64_t>(t)][pieces[i]].item<double>()));
      }
    EXPECT_LE(difference, 1e-5 * largest) << (plain ? "plain" : "inference");
  }
}

TEST_P(GoldenModelsTest, ACheckWritesNothing) {
  const auto outcome = run_gloss({"import", golden_, "--check"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::Not(testing::IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenModelsTest, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace gloss
