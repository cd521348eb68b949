#include "interchange/export/ctranslate2_file.h"

#include <bit>
#include <limits>
#include <span>
#include <utility>

#include <ATen/ops/scalar_tensor.h>

#include "common/error.h"
#include "common/files/atomic_file.h"

namespace gloss {
namespace {

constexpr std::uint32_t kBinaryVersion = 6, kSpecRevision = 7;
constexpr const char* kSpec = "TransformerSpec";

static_assert(std::endian::native == std::endian::little);

template <typename Number>
void write_number(AtomicFile& file, Number value) {
  file.write(std::as_bytes(std::span(&value, 1)));
}

template <typename Number>
Number fitting(const std::string& name, std::size_t value) {
  if (value <= std::numeric_limits<Number>::max()) return static_cast<Number>(value);
  throw UsageError("--to ctranslate2: " + name + ": wanted at most " +
                   std::to_string(std::numeric_limits<Number>::max()) + " bytes, for which its format has room, got " +
                   std::to_string(value) + "; export in a lower precision");
}

/// Writes the length with a NUL, the text, and the NUL.
void write_text(AtomicFile& file, const std::string& text) {
  write_number(file, fitting<std::uint16_t>(text, text.size() + 1));
  file.write(text + '\0');
}

/// Returns the number of the type in CTranslate2's enumeration.
std::uint8_t type_number(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return 0;
    case at::kChar:
      return 1;
    case at::kShort:
      return 2;
    case at::kBFloat16:
      return 5;
    default:
      throw ShapeError("a variable of CTranslate2: wanted float32, int8, int16 or bfloat16");
  }
}

void write_variable(AtomicFile& file, const std::string& name, const at::Tensor& values) {
  const auto contiguous = values.contiguous();
  write_text(file, name);
  write_number(file, static_cast<std::uint8_t>(contiguous.dim()));
  for (const auto size : contiguous.sizes()) write_number(file, static_cast<std::uint32_t>(size));
  write_number(file, type_number(contiguous.scalar_type()));
  write_number(file, fitting<std::uint32_t>(name, contiguous.nbytes()));
  file.write({static_cast<const std::byte*>(contiguous.const_data_ptr()), contiguous.nbytes()});
}

}  // namespace

void Ctranslate2Variables::add_number(const std::string& name, std::int64_t value, at::ScalarType type) {
  values[name] = [value, type] { return at::scalar_tensor(value, type); };
}

void write_ctranslate2_file(const std::filesystem::path& path, const Ctranslate2Variables& variables) {
  AtomicFile file(path);
  write_number(file, kBinaryVersion);
  write_text(file, kSpec);
  write_number(file, kSpecRevision);
  write_number(file, static_cast<std::uint32_t>(variables.values.size()));
  for (const auto& [name, values] : variables.values) write_variable(file, name, values());
  write_number(file, static_cast<std::uint32_t>(variables.aliases.size()));
  for (const auto& [alias, name] : variables.aliases) {
    write_text(file, alias);
    write_text(file, name);
  }
  file.commit();
}

}  // namespace gloss
