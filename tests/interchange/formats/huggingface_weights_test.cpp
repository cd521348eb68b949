#include "interchange/formats/huggingface_weights.h"

#include "common/config/json.h"
#include "interchange/formats/zip_file.h"
#include "tests/interchange/formats/pickle_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

// As the library of Hugging Face writes it, without padding of the header.
std::string foreign_file(const std::string& header, const std::string& data) {
  return raw(std::uint64_t{header.size()}) + header + data;
}

std::string one_tensor(const std::string& name, const std::string& type, const std::string& shape,
                       const std::string& data) {
  return foreign_file("{\"__metadata__\":{\"format\":\"pt\"},\"" + name + "\":{\"dtype\":\"" + type +
                          "\",\"shape\":" + shape + ",\"data_offsets\":[0," + std::to_string(data.size()) + "]}}",
                      data);
}

class HuggingFaceWeightsTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { put_file(folder_ / name, bytes); }
  void put_index(const Json& weights) const {
    put("model.safetensors.index.json", Json{{"metadata", {{"total_size", 12}}}, {"weight_map", weights}}.dump());
  }
  std::unique_ptr<ForeignTensors> open() const {
    return open_huggingface_weights(find_huggingface_weights(folder_.path()).value());
  }
  auto opening() const {
    return [this] { open(); };
  }

  TemporaryFolder folder_;
};

TEST_F(HuggingFaceWeightsTest, ReadsAFileOfAnotherProgram) {
  EXPECT_FALSE(find_huggingface_weights(folder_.path()));
  put("model.safetensors",
      foreign_file(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[3,11]},)"
                   R"("a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}, )"
                   R"("c.weight":{"dtype":"BF16","shape":[1,2],"data_offsets":[11,15]}})",
                   "abc" + raw(std::vector<float>{1.5F, -2}) + raw(std::vector<std::uint16_t>{0x3f80, 0xc000})));
  {
    const auto file = open();
    EXPECT_THAT(file->names(), ElementsAre("a", "b", "c.weight"));
    EXPECT_EQ(file->info("c.weight"), (ForeignTensorInfo{at::kBFloat16, {1, 2}}));
    EXPECT_EQ(to_text(file->tensor("a")), "abc");
    EXPECT_THAT(float_values(*file, "b"), ElementsAre(1.5F, -2));
    EXPECT_THAT(float_values(*file, "c.weight"), ElementsAre(1, -2));
    EXPECT_EQ(file->name(), (folder_ / "model.safetensors").string());
  }
}

TEST_F(HuggingFaceWeightsTest, ReadsSeveralFiles) {
  put("model-00001-of-00002.safetensors", one_tensor("a", "F16", "[2]", raw(std::vector<std::uint16_t>{0x3c00, 0})));
  put("model-00002-of-00002.safetensors", one_tensor("b", "F32", "[1]", raw(2.5F)));
  put_index({{"a", "model-00001-of-00002.safetensors"}, {"b", "model-00002-of-00002.safetensors"}});
  const auto file = open();
  EXPECT_THAT(file->names(), ElementsAre("a", "b"));
  EXPECT_THAT(float_values(*file, "a"), ElementsAre(1, 0));
  EXPECT_THAT(float_values(*file, "b"), ElementsAre(2.5F));
}

std::string pickled(const std::string& name, const std::vector<float>& values) {
  const auto size = static_cast<std::int32_t>(values.size());
  const auto tensor = pickle::tensor(pickle::storage("FloatStorage", "0", size), 0, {size}, {1});
  return zip_bytes({{"x/data.pkl", pickle::whole(pickle::dict({{name, tensor}}))}, {"x/data/0", raw(values)}});
}

TEST_F(HuggingFaceWeightsTest, ReadsPicklesAfterSafetensors) {
  if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  put("a.bin", pickled("a", {1, 2}));
  put("b.bin", pickled("b", {3}));
  put("pytorch_model.bin.index.json", Json{{"weight_map", {{"a", "a.bin"}, {"b", "b.bin"}}}}.dump());
  EXPECT_THAT(open()->names(), ElementsAre("a", "b"));
  EXPECT_THAT(float_values(*open(), "b"), ElementsAre(3));
  put("pytorch_model.bin.index.json", R"({"weight_map": {"a": "a.safetensors"}})");
  EXPECT_THAT(opening(), refuses_model("weight_map: a: wanted the name of a .bin file in the same folder"));
  put("pytorch_model.bin", pickled("one", {4}));
  EXPECT_THAT(open()->names(), ElementsAre("one"));
  put_index({{"z", "z.safetensors"}});
  EXPECT_THAT(opening(), refuses_model("model.safetensors.index.json: names z.safetensors, which is not there"));
  put("model.safetensors", one_tensor("y", "F32", "[1]", raw(2.5F)));
  EXPECT_THAT(open()->names(), ElementsAre("y"));
}

TEST_F(HuggingFaceWeightsTest, RefusesFilesOutsideTheFolder) {
  for (const Json& file :
       {Json("../a.safetensors"), Json("/a.safetensors"), Json("x/a.safetensors"), Json("a.bin"), Json(".safetensors"),
        Json("x\\a.safetensors"), Json("a b.safetensors"), Json(7), Json("")}) {
    put_index({{"a", file}});
    EXPECT_THAT(opening(), refuses_model("weight_map: a: wanted the name of a .safetensors file in the same folder"))
        << file;
  }
}

TEST_F(HuggingFaceWeightsTest, RefusesAnIndexThatDoesNotFit) {
  put("x.safetensors", one_tensor("a", "F32", "[1]", raw(2.5F)));
  put("y.safetensors", one_tensor("a", "F32", "[1]", raw(2.5F)));
  put_index({{"b", "x.safetensors"}});
  EXPECT_THAT(opening(), refuses_model("x.safetensors: tensor a: wanted tensors that the index has for this file"));
  put_index({{"a", "x.safetensors"}, {"b", "x.safetensors"}});
  EXPECT_THAT(opening(),
              refuses_model("x.safetensors: wanted a tensor b, which the index has for this file, got none"));
  put_index({{"a", "x.safetensors"}, {"c", "y.safetensors"}});
  EXPECT_THAT(opening(), refuses_model("y.safetensors: tensor a: wanted tensors that the index has for this file"));
  put_index({{"a", "z.safetensors"}});
  EXPECT_THAT(opening(), refuses_model("model.safetensors.index.json: names z.safetensors, which is not there"));
  for (const std::string index :
       {"", "[]", "{}", "{\"weight_map\": {}}", "{\"weight_map\": [1]}", "{\"a\": 1, \"a\": 2}"}) {
    put("model.safetensors.index.json", index);
    EXPECT_THAT(opening(), refuses_model("model.safetensors.index.json: ")) << index;
  }
  auto many = Json::object();
  for (int i = 0; i < 300; ++i) many[std::to_string(i)] = std::to_string(i) + ".safetensors";
  put_index(many);
  EXPECT_THAT(opening(), refuses_model("weight_map: wanted at most 200 files, got more"));
}

TEST_F(HuggingFaceWeightsTest, RefusesDamagedFiles) {
  put("model.safetensors", one_tensor("a", "F64", "[1]", raw(2.5)));
  EXPECT_THAT(opening(), refuses_model("tensor \"a\": dtype: wanted F32, BF16, F16, I64, I32, I8 or U8, got \"F64\""));
  const auto good = one_tensor("a", "F32", "[1]", raw(2.5F));
  for (std::size_t size = 0; size < good.size(); ++size) {
    put("model.safetensors", good.substr(0, size));
    EXPECT_THROW(opening()(), ModelError) << size;
  }
}

}  // namespace
}  // namespace gloss
