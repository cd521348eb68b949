#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// Decompresses a gzip stream part by part. Members may follow each other, as after `cat a.gz b.gz` (RFC 1952).
///
///     GzipDecoder decoder("train.en.gz");
///     while (read(bytes)) {
///       decoder.feed(bytes);
///       for (auto text = decoder.decode(); !text.empty(); text = decoder.decode()) use(text);
///     }
///     decoder.finish();
class GzipDecoder {
 public:
  /// `name` is the name of the file in messages.
  explicit GzipDecoder(std::string name);
  ~GzipDecoder();

  static bool recognizes(std::string_view head) { return head.starts_with("\x1F\x8B"); }

  /// Sets the next compressed bytes, which must stay valid until decode() has returned nothing.
  void feed(std::string_view compressed);
  /// Returns the next part of the text, at most kBufferBytes; empty if all fed bytes are used. The part is valid until
  /// the next call. Throws DataError if the bytes are damaged.
  std::string_view decode();
  /// Throws DataError if the stream ends within a member.
  void finish() const;

  static constexpr std::size_t kBufferBytes = 1 << 16;

 private:
  struct Stream;

  std::string name_;
  std::unique_ptr<Stream> stream_;
  std::vector<char> text_;
  bool within_member_ = false;
};

}  // namespace gloss
