// Replaces zip_file.cpp in a build without libzip.
#include <utility>

#include "common/error.h"
#include "interchange/formats/zip_file.h"

namespace gloss {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "archives (.npz, pytorch_model.bin, .argosmodel): this gloss was built without libzip; install libzip-dev and "
      "build it again");
}

}  // namespace

ZipFile::ZipFile(Archive archive, std::uint64_t, std::string) : archive_(std::move(archive)) { refuse(); }
ZipFile ZipFile::open(const std::filesystem::path&) { refuse(); }
std::vector<std::string> ZipFile::entries() const { refuse(); }
std::uint64_t ZipFile::size(std::string_view) const { refuse(); }
std::string ZipFile::read(std::string_view) const { refuse(); }
void ZipFile::read(std::string_view, std::size_t, std::span<std::byte>) const { refuse(); }
std::string ZipFile::read_start(std::string_view, std::size_t) const { refuse(); }

bool has_libzip() { return false; }

void write_zip(const std::filesystem::path&, const std::vector<ZipContent>&) { refuse(); }

}  // namespace gloss
