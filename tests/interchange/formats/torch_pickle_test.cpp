#include "interchange/formats/torch_pickle.h"

#include "tests/interchange/formats/pickle_bytes.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<std::string, PickledTensor> parse(const std::string& object) {
  return parse_torch_pickle(pickle::whole(object), "a.bin");
}
auto parsing(const std::string& object) {
  return [object] { parse(object); };
}
const std::string kStorage = pickle::storage("FloatStorage", "0", 12);
const std::string kTensor = pickle::tensor(kStorage, 3, {2, 3}, {3, 1});

TEST(TorchPickleTest, ReadsTensors) {
  const auto tensors = parse(pickle::dict({{"a", kTensor}, {"b", pickle::tensor(kStorage, 0, {}, {})}}));
  ASSERT_EQ(tensors.size(), 2u);
  const auto& tensor = tensors.at("a");
  EXPECT_EQ(tensor.info, (ForeignTensorInfo{at::kFloat, {2, 3}}));
  EXPECT_THAT(tensor.strides, ElementsAre(3, 1));
  EXPECT_EQ(tensor.offset, 3u);
  EXPECT_EQ(tensor.storage, "0");
  EXPECT_EQ(tensor.storage_elements, 12u);
  EXPECT_THAT(tensors.at("b").info.shape, IsEmpty());
  EXPECT_THAT(parse("}"), IsEmpty());
}

// A dict that is not ordered, one pair at a time; values that were remembered; a parameter; metadata of seven parts.
TEST(TorchPickleTest, ReadsEveryForm) {
  const auto remembered = "}q" + raw(std::uint8_t{0}) + pickle::text("a") + kTensor + "r" + raw(std::uint32_t{1}) +
                          "s" + pickle::text("b") + "h" + raw(std::uint8_t{1}) + "s" + pickle::text("c") + "j" +
                          raw(std::uint32_t{1}) + "s";
  const auto tensors = parse(remembered);
  EXPECT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors.at("c").info, tensors.at("a").info);
  const auto parameter =
      pickle::name("torch._utils", "_rebuild_parameter") + kTensor + "\x88" + pickle::ordered_dict() + "\x87R";
  EXPECT_EQ(parse(pickle::dict({{"a", parameter}})).at("a").offset, 3u);
  const auto with_metadata = kTensor.substr(0, kTensor.size() - 2) + "}tR";
  EXPECT_EQ(parse(pickle::dict({{"a", with_metadata}})).at("a").offset, 3u);
  const auto long_number = "\x8a\x01\x02";
  EXPECT_EQ(parse(pickle::dict({{"a", pickle::name("torch._utils", "_rebuild_tensor_v2") + "(" + kStorage + "K\x03" +
                                          long_number + "\x85M\x03" + std::string(1, '\0') + "\x85\x89" +
                                          pickle::ordered_dict() + "tR"}}))
                .at("a")
                .info.shape,
            std::vector<std::int64_t>{2});
}

TEST(TorchPickleTest, LeavesOutTheAttributesOfTheDict) {
  const auto metadata =
      pickle::dict({{"", "}" + pickle::text("version") + "K\x01s"}, {"x", "G" + raw(1.5)}, {"y", "N"}});
  const auto state = pickle::dict({{"a", kTensor}}) + "}" + pickle::text("_metadata") + metadata + "sb";
  EXPECT_EQ(parse(state).size(), 1u);
}

TEST(TorchPickleTest, RefusesEveryOtherName) {
  for (const auto& [module, name] : std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                                                     {"builtins", "eval"},
                                                                                     {"torch", "load"},
                                                                                     {"torch", "FloatStorageX"},
                                                                                     {"torch._utils", ""},
                                                                                     {"", "OrderedDict"}})
    EXPECT_THAT(parsing(pickle::name(module, name) + pickle::text("true") + "\x85R"),
                refuses_model("wanted the names of tensors, storages and OrderedDict, got " + module + " " + name));
  EXPECT_THAT(parsing(pickle::name("torch", "FloatStorage") + ")R"), refuses_model("got a call of torch FloatStorage"));
  EXPECT_THAT(parsing(pickle::ordered_dict() + ")R"), refuses_model("a call with arguments"));
}

TEST(TorchPickleTest, RefusesEveryOtherOperation) {
  const std::string known = "(.)0KMJXctbRQqrhjNGsu}\x80\x85\x86\x87\x88\x89\x8a";
  for (int code = 0; code < 256; ++code) {
    const auto operation = static_cast<char>(code);
    if (operation != '0' && known.find(operation) != known.npos) continue;
    EXPECT_THAT(parsing(std::string(1, operation)), refuses_model("wanted an operation that torch.save writes"))
        << code;
  }
  EXPECT_THAT([] { parse_torch_pickle("\x80\x04}.", "a.bin"); }, refuses_model("wanted a pickle of protocol 2"));
}

TEST(TorchPickleTest, RefusesOtherObjects) {
  EXPECT_THAT(parsing("N"), refuses_model("wanted one dict of tensors"));
  EXPECT_THAT(parsing(kTensor), refuses_model("wanted one dict of tensors"));
  EXPECT_THAT(parsing("}}"), refuses_model("wanted one dict of tensors"));
  EXPECT_THAT([] { parse_torch_pickle(pickle::whole("}") + "x", "a.bin"); },
              refuses_model("wanted one dict of tensors"));
  EXPECT_THAT(parsing(pickle::dict({{"a", kTensor}, {"epoch", "K\x01"}})),
              refuses_model("wanted tensors only, as in a state_dict(), got epoch, which is none"));
  EXPECT_THAT(parsing(pickle::dict({{"model", pickle::dict({{"a", kTensor}})}})), refuses_model("got model"));
}

TEST(TorchPickleTest, RefusesTensorsOutsideTheirStorage) {
  const auto refused = [](std::int32_t offset, const std::vector<std::int32_t>& sizes,
                          const std::vector<std::int32_t>& strides) {
    return parsing(pickle::dict({{"a", pickle::tensor(kStorage, offset, sizes, strides)}}));
  };
  EXPECT_NO_THROW(refused(0, {3, 4}, {1, 3})());
  EXPECT_NO_THROW(refused(12, {0, 4}, {4, 1})());
  EXPECT_THAT(refused(1, {3, 4}, {4, 1}), refuses_model("a tensor within its storage"));
  EXPECT_THAT(refused(0, {2, 4}, {9, 1}), refuses_model("a tensor within its storage"));
  EXPECT_THAT(refused(12, {}, {}), refuses_model("a tensor within its storage"));
  EXPECT_THAT(refused(0, {13}, {0}), refuses_model("a tensor within its storage"));
  EXPECT_THAT(refused(-1, {1}, {1}), refuses_model("a tensor with a storage, an offset"));
  EXPECT_THAT(refused(0, {-1}, {1}), refuses_model("sizes and strides from 0"));
  EXPECT_THAT(refused(0, {1}, {-1}), refuses_model("sizes and strides from 0"));
  EXPECT_THAT(refused(0, {1, 1}, {1}), refuses_model("a tensor with a storage, an offset"));
  EXPECT_THAT(refused(0, std::vector<std::int32_t>(9, 1), std::vector<std::int32_t>(9, 1)),
              refuses_model("at most 8 dimensions"));
  EXPECT_THAT(refused(0, {1 << 30, 1 << 30, 1 << 30}, {1, 1, 1}), refuses_model("fewer than 2^62"));
  EXPECT_THAT(refused(0, {1 << 30, 1 << 30}, {1 << 30, 1}), refuses_model("a tensor within its storage"));
}

TEST(TorchPickleTest, BoundsItsMemory) {
  EXPECT_THAT(parsing(std::string(100'000, '(')), refuses_model("at most 65,536 values on the stack"));
  std::string tuples = ")";
  for (int i = 0; i < 3'000'000; ++i) tuples += '\x85';  // a tuple within a tuple within a tuple
  EXPECT_THAT(parsing(tuples), refuses_model("at most 2,000,000 values"));
  EXPECT_THAT(parsing(")r" + raw(std::uint32_t{0xffffffff})), refuses_model("a value to remember"));
  EXPECT_THAT(parsing("j" + raw(std::uint32_t{0xffffffff})), refuses_model("a value that was remembered"));
  EXPECT_THAT(parsing("X" + raw(std::uint32_t{0xffffffff})), refuses_model("texts of at most 256 bytes"));
  EXPECT_THAT(parsing("X" + raw(std::uint32_t{200})), refuses_model("a whole pickle, got its end"));
  EXPECT_THAT(parsing(pickle::text(std::string(257, 'a'))), refuses_model("texts of at most 256 bytes"));
  // A dict that contains itself.
  EXPECT_THAT(parsing("}q" + raw(std::uint8_t{0}) + pickle::text("a") + "h" + raw(std::uint8_t{0}) + "s"),
              refuses_model("got a, which is none"));
}

TEST(TorchPickleTest, RefusesEveryPart) {
  const auto good = pickle::whole(pickle::dict({{"a", kTensor}}));
  EXPECT_NO_THROW(parse_torch_pickle(good, "a.bin"));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(parse_torch_pickle(good.substr(0, size), "a.bin"), ModelError) << size;
}

}  // namespace
}  // namespace gloss
