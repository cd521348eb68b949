#include "interchange/formats/npz_file.h"

#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/npy.h"
#include "interchange/formats/zip_file.h"

namespace gloss {
namespace {

constexpr std::string_view kEnding = ".npy";

class NpzFile final : public ForeignTensors {
 public:
  explicit NpzFile(ZipFile archive) : ForeignTensors(archive.name()), archive_(std::move(archive)) {
    for (const auto& entry : archive_.entries()) {
      if (!entry.ends_with(kEnding))
        throw ModelError(name() + ": wanted entries whose names end in .npy, got " + printable(entry) +
                         "; this is a ZIP archive, but not one of NumPy");
      const auto start = archive_.read_start(entry, kMaxNpyHeaderBytes);
      const auto header = read_npy_header(start, archive_.size(entry), name() + ": " + entry);
      const auto tensor = entry.substr(0, entry.size() - kEnding.size());
      add(tensor, header.info);
      offsets_[tensor] = header.data_offset;
    }
    refuse_optimizer_state(*this);
  }

 private:
  void read(const std::string& tensor, ForeignTensor& result) const override {
    result.bytes = archive_.read(tensor + std::string(kEnding), offsets_.at(tensor));
  }

  ZipFile archive_;
  std::map<std::string, std::size_t> offsets_;  // of the elements, within the entry
};

}  // namespace

std::unique_ptr<ForeignTensors> open_npz(const std::filesystem::path& path) {
  return std::make_unique<NpzFile>(ZipFile::open(path));
}

}  // namespace gloss
