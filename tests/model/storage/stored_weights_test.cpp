#include "model/storage/stored_weights.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/storage/model_file.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class Int8WeightsTest : public DeviceTest {};

TEST_P(Int8WeightsTest, ErrorIsAtMostHalfAScale) {
  const auto weight = formula_tensor({7, 50}, device()) * 3;
  const auto rounded = to_int8(weight);
  EXPECT_EQ(rounded.values.scalar_type(), at::kChar);
  EXPECT_EQ(rounded.values.abs().amax(1).to(at::kInt).eq(127).all().item<bool>(), true);
  const auto error = (rounded.to_float() - weight).abs() / rounded.scales.unsqueeze(1);
  EXPECT_LE(error.max().item<float>(), 0.5F + 1e-4F);
}

TEST_P(Int8WeightsTest, QuantizedWeightsRoundTrip) {
  const auto sizes = at::arange(-100, 100, at::device(device())).to(at::kDouble).exp2().unsqueeze(1);
  for (const int seed : {0, 1, 2, 3}) {
    const auto weight = (formula_tensor({200, 33}, device(), seed).to(at::kDouble) * 0.7 * sizes).to(at::kFloat);
    const auto once = to_int8(weight);
    const auto back = once.to_float();
    const auto twice = to_int8(back);
    EXPECT_THAT(twice.values.to(at::kFloat), SameAs(once.values.to(at::kFloat)));
    EXPECT_THAT(twice.scales, SameAs(once.scales));
    EXPECT_THAT(twice.to_float(), SameAs(back));
  }
}

// 127 times this scale and 127 times its neighbor round to the same float32.
TEST_P(Int8WeightsTest, AnyScaleRoundTripsWithinOneRounding) {
  const StoredWeight given{at::tensor({127, -3, 64}, at::kChar).view({1, 3}).to(device()),
                           at::tensor({0x1.FF8080p-1F}).to(device())};
  const auto back = to_int8(given.to_float());
  EXPECT_THAT(back.values.to(at::kFloat), SameAs(given.values.to(at::kFloat)));
  EXPECT_NEAR(back.scales.item<float>(), given.scales.item<float>(), 0x1p-24);
}

TEST_P(Int8WeightsTest, RowOfZerosStaysZero) {
  const auto rounded = to_int8(at::zeros({2, 4}, device()));
  EXPECT_THAT(rounded.to_float(), SameAs(at::zeros({2, 4}, device())));
}

TEST_P(Int8WeightsTest, ShapesAreChecked) {
  EXPECT_THROW(to_int8(at::zeros({2}, device())), ShapeError);
  EXPECT_THROW(StoredWeight(at::zeros({2, 3}, at::kChar), at::zeros({3})).to_float(), ShapeError);
}

INSTANTIATE_DEVICES(Int8WeightsTest);

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class StoredWeightsTest : public DeviceTest {
 protected:
  SafetensorsFile written(WeightPrecision precision, const ModelConfig& config = small_config()) {
    const ModelDescription description{
        {{"model", to_json(config)}, {"seed", 1}}, Json::object(), {{"tokenizer.model", "pieces"}}};
    model_ = small_model(device(), config);
    write_model_file(folder_ / "model", model_, description, precision);
    return SafetensorsFile::open(folder_ / "model");
  }

  /// A file with one tensor changed or removed.
  std::string error_where(const std::string& name, std::optional<TensorView> other) {
    const auto file = written(WeightPrecision::kInt8);
    auto tensors = file.tensors();
    tensors.erase(name);
    if (other) tensors.insert_or_assign(name, *other);
    write_safetensors(folder_ / "spoiled", tensors, file.metadata());
    try {
      read_model_file(folder_ / "spoiled", device());
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  EncoderDecoder model_{nullptr};
};

TEST_P(StoredWeightsTest, MatricesAreRoundedAndTheRestIsNot) {
  auto config = small_config();
  config.positions = Positions::kLearned;
  for (const auto& [precision, dtype, name] : {std::tuple(WeightPrecision::kFloat32, Dtype::kF32, "float32"),
                                               std::tuple(WeightPrecision::kBfloat16, Dtype::kBF16, "bfloat16"),
                                               std::tuple(WeightPrecision::kInt8, Dtype::kI8, "int8")}) {
    const auto file = written(precision, config);
    EXPECT_EQ(stored_precision(file), precision);
    EXPECT_EQ(weight_precision_name(precision), name);
    EXPECT_EQ(file.tensors().at("encoder.layers.0.feed_forward.inner.weight").dtype, dtype);
    EXPECT_EQ(file.tensors().at("source_embedding.weight").dtype, dtype);
    EXPECT_EQ(file.tensors().at("source_positions.weight").dtype, Dtype::kF32);
    EXPECT_EQ(file.tensors().at("encoder.norm.weight").dtype, Dtype::kF32);
    EXPECT_EQ(file.tensors().contains("source_embedding.weight_scale"), precision == WeightPrecision::kInt8);
  }
}

TEST_P(StoredWeightsTest, LoadedWeightsEqualRoundedOnes) {
  for (const auto precision : {WeightPrecision::kBfloat16, WeightPrecision::kInt8}) {
    const auto loaded = read_model_file(written(precision), device());
    EXPECT_EQ(loaded.precision, precision);
    const auto read = loaded.model->named_parameters();
    for (const auto& item : model_->named_parameters()) {
      const auto weight = item.value().detach();
      if (weight.dim() != 2) {
        EXPECT_THAT(read[item.key()].detach(), SameAs(weight)) << item.key();
      } else if (precision == WeightPrecision::kBfloat16) {
        EXPECT_THAT(read[item.key()].detach(), SameAs(weight.to(at::kBFloat16).to(at::kFloat))) << item.key();
      } else {
        EXPECT_THAT(read[item.key()].detach(), AllClose(to_int8(weight).to_float(), 1e-6)) << item.key();
      }
    }
  }
}

// In both precisions the nearest value of the largest float32 would be infinite, and the file could not be loaded.
TEST_P(StoredWeightsTest, LargestValuesStayFinite) {
  const auto model = small_model(device());
  const std::vector<float> largest = {std::numeric_limits<float>::max(), 3.4e38F, 3.3895e38F, -3.4e38F, -1e38F};
  {
    const c10::InferenceMode inference;
    const auto weight = model->named_parameters()["encoder.layers.0.feed_forward.inner.weight"].detach();
    for (std::size_t row = 0; row < largest.size(); ++row) weight[static_cast<std::int64_t>(row)].fill_(largest[row]);
  }
  const ModelDescription description{
      {{"model", to_json(small_config())}, {"seed", 1}}, Json::object(), {{"tokenizer.model", "pieces"}}};
  for (const auto precision : {WeightPrecision::kFloat32, WeightPrecision::kBfloat16, WeightPrecision::kInt8}) {
    write_model_file(folder_ / "large", model, description, precision);
    const auto read = read_model_file(folder_ / "large", device()).model;
    const auto weight = read->named_parameters()["encoder.layers.0.feed_forward.inner.weight"].detach();
    for (std::size_t row = 0; row < largest.size(); ++row)
      EXPECT_NEAR(weight[static_cast<std::int64_t>(row)][0].item<float>() / largest[row], 1, 0.004);
  }
}

TEST_P(StoredWeightsTest, ScalesAreRequiredWithTheirShape) {
  const std::string name = "encoder.layers.0.feed_forward.inner.weight_scale";
  EXPECT_THAT(error_where(name, std::nullopt), HasSubstr(name + " is missing"));
  const std::vector<std::byte> few(8);
  EXPECT_THAT(error_where(name, TensorView{Dtype::kF32, {2}, few}), HasSubstr("wanted F32 [32], got F32 [2]"));
}

TEST_P(StoredWeightsTest, WeightsAreReadInStoredPrecision) {
  for (const auto& [precision, type] :
       {std::pair(WeightPrecision::kFloat32, at::kFloat), std::pair(WeightPrecision::kBfloat16, at::kBFloat16),
        std::pair(WeightPrecision::kInt8, at::kChar)}) {
    const auto file = written(precision);
    const std::string name = "encoder.layers.0.feed_forward.inner.weight";
    const auto weight = read_weight(file, name);
    EXPECT_EQ(weight.values.scalar_type(), type);
    EXPECT_EQ(weight.scales.defined(), precision == WeightPrecision::kInt8);
    EXPECT_THAT(weight.to_float().to(device()),
                SameAs(read_model_file(file, device()).model->named_parameters()[name].detach()));
    EXPECT_THAT(weight.rows(3, 5).to_float(), SameAs(weight.to_float().narrow(0, 3, 5)));
    EXPECT_EQ(read_weight(file, "generator.bias").values.scalar_type(), at::kFloat);
  }
}

TEST(StoredWeightTest, Int8ValuesAreNotQuantizedAgain) {
  const StoredWeight stored(at::tensor({1, -3, 2}, at::kChar).view({1, 3}), at::tensor({0.5F}));
  EXPECT_TRUE(stored.as_int8().values.equal(stored.values));
  EXPECT_TRUE(stored.as_int8().scales.equal(stored.scales));
  EXPECT_EQ(StoredWeight(stored.to_float()).as_int8().values[0][1].item<int>(), -127);
}

TEST_P(StoredWeightsTest, ValuesThatAreNotFiniteAreRefusedInEveryPrecision) {
  for (const auto precision : {WeightPrecision::kFloat32, WeightPrecision::kBfloat16, WeightPrecision::kInt8})
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const auto file = written(precision);
      const std::string name = "encoder.layers.0.feed_forward.inner.weight";
      const auto spoiled = precision == WeightPrecision::kInt8 ? scale_name(name) : name;
      auto tensors = file.tensors();
      const auto half = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
      const auto first = precision == WeightPrecision::kBfloat16 ? std::as_bytes(std::span(&half, 1))
                                                                 : std::as_bytes(std::span(&value, 1));
      std::vector<std::byte> bytes(tensors.at(spoiled).bytes.begin(), tensors.at(spoiled).bytes.end());
      std::ranges::copy(first, bytes.begin());
      tensors.at(spoiled).bytes = bytes;
      write_safetensors(folder_ / "spoiled", tensors, file.metadata());
      EXPECT_THAT([&] { read_weight(SafetensorsFile::open_in_place(folder_ / "spoiled"), name); },
                  ThrowsMessage<ModelError>(HasSubstr(name + " holds values that are not finite")));
    }
}

TEST_P(StoredWeightsTest, ScalesOfOtherTypesAreRefused) {
  const auto file = written(WeightPrecision::kBfloat16);
  auto tensors = file.tensors();
  const std::vector<std::byte> scales(32 * 4);
  tensors.insert_or_assign("encoder.layers.0.feed_forward.inner.weight_scale", TensorView{Dtype::kF32, {32}, scales});
  write_safetensors(folder_ / "spoiled", tensors, file.metadata());
  EXPECT_THAT([&] { read_model_file(folder_ / "spoiled", device()); },
              ThrowsMessage<ModelError>(HasSubstr("does not belong to the model")));
}

INSTANTIATE_DEVICES(StoredWeightsTest);

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TensorViewTest : public DeviceTest {};

TEST_P(TensorViewTest, ValuesRoundTrip) {
  const auto x = formula_tensor({2, 3});
  const auto y = at::zeros({2, 3}, device());
  copy_into(y, view_of(x), "file", "name");
  EXPECT_THAT(y, SameAs(x));
}

TEST_P(TensorViewTest, ViewsRequirePlainTensors) {
  const auto x = formula_tensor({2, 3});
  EXPECT_EQ(view_of(x).bytes.size(), 24U);
  EXPECT_THROW(view_of(x.t()), ShapeError);
  EXPECT_THROW(view_of(x.to(at::kDouble)), ShapeError);
}

TEST_P(TensorViewTest, RejectsAnotherShapeAndValuesThatAreNotFinite) {
  const auto x = formula_tensor({2, 3});
  EXPECT_THAT(
      [&] {
        copy_into(formula_tensor({3, 2}, device()), view_of(x), "file", "name");
      },
      ThrowsMessage<ModelError>(HasSubstr("file: tensor name: wanted F32 [3, 2], got F32 [2, 3]")));
  x[1][2] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(
      [&] {
        copy_into(formula_tensor({2, 3}, device()), view_of(x), "file", "name");
      },
      ThrowsMessage<ModelError>(HasSubstr("file: tensor name holds values that are not finite")));
}

INSTANTIATE_DEVICES(TensorViewTest);

}  // namespace

}  // namespace gloss
