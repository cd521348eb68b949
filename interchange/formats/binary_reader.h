#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/system/descriptor.h"

namespace gloss {

/// Reads the parts of a binary file one after the other. Throws ModelError with the name of the file: for a part beyond
/// its end, before anything is allocated; IoError.
///
///     BinaryReader reader(open_unpacked(path, limit), path.string());
///     const auto count = reader.take<std::uint32_t>("the number of tensors");
class BinaryReader {
 public:
  /// `name` is the name of the file in messages, printable.
  BinaryReader(RegularFile file, std::string name);

  std::uint64_t size() const { return file_.size; }
  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return file_.size - position_; }  ///< bytes after the position

  /// Reads values from the position on. `part` names them in messages.
  template <typename Value>
  std::vector<Value> take(std::uint64_t count, const std::string& part) {
    if (count > left() / sizeof(Value)) fail_short(part);
    std::vector<Value> values(count);
    read(position_, std::as_writable_bytes(std::span(values)));
    position_ += count * sizeof(Value);
    return values;
  }
  template <typename Value>
  Value take(const std::string& part) {
    return take<Value>(1, part).front();
  }
  /// Reads a text of `size` bytes, the last of which is its only NUL, and of at most `max_length` others.
  std::string take_name(std::uint64_t size, std::size_t max_length, const std::string& part);
  /// Moves the position on; `part` names the bytes in messages.
  void skip(std::uint64_t bytes, const std::string& part);
  /// Reads bytes at any place of the file.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Throws ModelError unless all bytes were taken; `part` names the last part.
  void expect_end(const std::string& part) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void fail_short(const std::string& part) const;

  RegularFile file_;
  std::string name_;
  std::uint64_t position_ = 0;
};

}  // namespace gloss
