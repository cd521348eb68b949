#include "common/files/gzip_decoder.h"

#include <utility>

#include <zlib.h>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {

struct GzipDecoder::Stream {
  Stream() {
    if (::inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();  // 16: gzip only
  }
  ~Stream() { ::inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream z = {};
};

GzipDecoder::GzipDecoder(std::string name)
    : name_(std::move(name)), stream_(std::make_unique<Stream>()), text_(kBufferBytes) {}

GzipDecoder::~GzipDecoder() = default;

void GzipDecoder::feed(std::string_view compressed) {
  stream_->z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream_->z.avail_in = static_cast<uInt>(compressed.size());
}

std::string_view GzipDecoder::decode() {
  auto& z = stream_->z;
  for (;;) {
    if (!within_member_ && z.avail_in == 0) return {};
    z.next_out = reinterpret_cast<Bytef*>(text_.data());
    z.avail_out = static_cast<uInt>(text_.size());
    const int status = ::inflate(&z, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      throw DataError(printable(name_) + ": wanted a gzip file, got damaged bytes" +
                      (z.msg == nullptr ? std::string() : std::string(" (") + z.msg + ')'));
    within_member_ = status != Z_STREAM_END;
    if (status == Z_STREAM_END) ::inflateReset(&z);
    const auto bytes = text_.size() - z.avail_out;
    if (bytes > 0) return {text_.data(), bytes};
    if (z.avail_in == 0) return {};
  }
}

void GzipDecoder::finish() const {
  if (within_member_) throw DataError(printable(name_) + ": the gzip file is cut off; get it again");
}

}  // namespace gloss
