// Replaces zip_document.cpp in a build without libzip.
#include <utility>

#include "common/error.h"
#include "documents/office/zip_document.h"

namespace gloss {
namespace {

[[noreturn]] void refuse_documents() {
  throw UsageError(
      "office documents and EPUB: this gloss was built without libzip; install libzip-dev and build it again");
}

}  // namespace

ZipDocument::ZipDocument(const std::filesystem::path&, DocumentOptions options, ZipFormat)
    : options_(std::move(options)), archive_(nullptr, nullptr) {
  refuse_documents();
}
std::optional<Passage> ZipDocument::next() { refuse_documents(); }
void ZipDocument::write(std::string) { refuse_documents(); }
double ZipDocument::share_read() const { refuse_documents(); }
void ZipDocument::finish(const std::filesystem::path&) { refuse_documents(); }

}  // namespace gloss
