#include "tests/interchange/export/ctranslate2_reader.h"

#include <cstring>
#include <stdexcept>

namespace gloss {
namespace {

class ByteReader {
 public:
  explicit ByteReader(std::string_view rest) : rest_(rest) {}

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw std::runtime_error("model.bin ends early");
    const auto bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::uint32_t number(std::size_t bytes) {
    std::uint32_t value = 0;
    const auto text = take(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
    return value;
  }
  std::string text() {
    const auto bytes = take(number(2));
    if (bytes.empty() || bytes.back() != '\0') throw std::runtime_error("a text without its end");
    return std::string(bytes.substr(0, bytes.size() - 1));
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

template <typename Stored, typename Value>
std::vector<Value> values_of(const std::string& bytes) {
  std::vector<Stored> stored(bytes.size() / sizeof(Stored));
  std::memcpy(stored.data(), bytes.data(), bytes.size());
  return {stored.begin(), stored.end()};
}

}  // namespace

std::vector<float> ReadVariable::floats() const {
  if (type != 0) throw std::runtime_error("wanted float32");
  return values_of<float, float>(bytes);
}

std::vector<int> ReadVariable::integers() const {
  if (type != 1 && type != 2) throw std::runtime_error("wanted int8 or int16");
  return type == 1 ? values_of<std::int8_t, int>(bytes) : values_of<std::int16_t, int>(bytes);
}

std::vector<float> ReadVariable::bfloats() const {
  if (type != 5) throw std::runtime_error("wanted bfloat16");
  std::vector<float> values;
  for (const auto half : values_of<std::uint16_t, std::uint32_t>(bytes)) {
    const std::uint32_t bits = half << 16;
    std::memcpy(&values.emplace_back(), &bits, sizeof bits);
  }
  return values;
}

ReadModel read_ctranslate2_model(std::string_view bytes) {
  ByteReader reader(bytes);
  ReadModel model;
  model.version = reader.number(4);
  model.spec = reader.text();
  model.revision = reader.number(4);
  for (auto count = reader.number(4); count > 0; --count) {
    const auto name = reader.text();
    auto& variable = model.variables[name];
    for (auto rank = reader.number(1); rank > 0; --rank) variable.shape.push_back(reader.number(4));
    variable.type = static_cast<int>(reader.number(1));
    variable.bytes = reader.take(reader.number(4));
  }
  for (auto count = reader.number(4); count > 0; --count) {
    const auto alias = reader.text();
    model.aliases[alias] = reader.text();
  }
  if (!reader.done()) throw std::runtime_error("model.bin goes on after its end");
  return model;
}

}  // namespace gloss
