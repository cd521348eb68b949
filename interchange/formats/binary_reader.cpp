#include "interchange/formats/binary_reader.h"

#include <utility>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {

BinaryReader::BinaryReader(RegularFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

std::string BinaryReader::take_name(std::uint64_t size, std::size_t max_length, const std::string& part) {
  if (size < 2 || size > max_length + 1)
    fail(part + ": wanted 2 to " + std::to_string(max_length + 1) + " bytes, got " + std::to_string(size) +
         "; the file is damaged");
  const auto bytes = take<char>(size, part);
  std::string name(bytes.begin(), bytes.end());
  if (name.find('\0') != size - 1)
    fail(part + ": wanted one NUL, at its end, got \"" + printable(name, 80) + "\"; the file is damaged");
  name.pop_back();
  return name;
}

void BinaryReader::skip(std::uint64_t bytes, const std::string& part) {
  if (bytes > left()) fail_short(std::to_string(bytes) + " bytes of " + part);
  position_ += bytes;
}

void BinaryReader::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (read_up_to(file_.descriptor, offset, bytes, name_) != bytes.size())
    fail("the file became shorter while it was read");
}

void BinaryReader::expect_end(const std::string& part) const {
  if (left() > 0)
    fail("wanted the end of the file after " + part + ", got " + std::to_string(left()) +
         " bytes more; the file is damaged");
}

void BinaryReader::fail(const std::string& what) const { throw ModelError(name_ + ": " + what); }

void BinaryReader::fail_short(const std::string& part) const {
  fail("wanted " + part + ", got the end of the file; it is cut short or damaged");
}

}  // namespace gloss
