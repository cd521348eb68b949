#include <algorithm>
#include <set>
#include <utility>

#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/system/descriptor.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/torch_pickle.h"
#include "interchange/formats/zip_file.h"

namespace gloss {
namespace {

constexpr std::string_view kPickle = "/data.pkl";
constexpr std::uint64_t kMaxReads = 16;  // of a storage that tensors share, on average

/// Refuses a pickle without an archive, as torch.save wrote it before version 1.6.
void refuse_old_form(const std::filesystem::path& path) {
  const auto file = open_regular_file(path);
  if (!file) return;
  std::string start(2, '\0');
  start.resize(read_up_to(file->descriptor, 0, std::as_writable_bytes(std::span(start)), path));
  if (start != "\x80\x02") return;
  const auto name = shell_quoted(path);
  throw ModelError(
      printable(path.string()) +
      ": wanted the ZIP archive of PyTorch 1.6 and later, got the older form, one pickle; this rewrites it "
      "in place: python3 -c \"import sys, torch; f = sys.argv[1]; torch.save(torch.load(f, "
      "map_location='cpu', weights_only=True), f)\" " +
      name);
}

class TorchFile final : public ForeignTensors {
 public:
  explicit TorchFile(ZipFile archive) : ForeignTensors(archive.name()), archive_(std::move(archive)) {
    read_structure();
    for (const auto& [tensor, view] : views_) add(tensor, view.info);
    check_storages();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ModelError(name() + ": " + what); }

  void read_structure() {
    std::string pickle;
    for (const auto& entry : archive_.entries()) {
      if (entry.ends_with("/constants.pkl")) fail("wanted a state_dict() of torch.save, got a TorchScript program");
      if (!entry.ends_with(kPickle)) continue;
      if (!pickle.empty()) fail("wanted one " + std::string(kPickle.substr(1)) + ", got several");
      pickle = entry;
    }
    if (pickle.empty()) fail("wanted an archive of torch.save with data.pkl, got another ZIP archive");
    folder_ = pickle.substr(0, pickle.size() - kPickle.size() + 1);
    if (archive_.size(pickle) > kMaxPickleBytes)
      fail("entry " + printable(pickle) + ": wanted at most " + std::to_string(kMaxPickleBytes) + " bytes, got " +
           std::to_string(archive_.size(pickle)));
    const auto order = folder_ + "byteorder";
    if (std::ranges::count(archive_.entries(), order) != 0)
      if (const auto text = archive_.read(order); text != "little")
        fail("byteorder: wanted little, got " + printable(text, 20) + "; save it on a little-endian machine");
    views_ = parse_torch_pickle(archive_.read(pickle), name() + ": " + printable(pickle));
  }

  std::string entry_of(const PickledTensor& view) const { return folder_ + "data/" + view.storage; }

  /// Compares the sizes of the storages with their entries, and bounds what reading all tensors takes.
  void check_storages() const {
    std::set<std::string_view> storages;
    std::uint64_t stored = 0, read = 0;
    for (const auto& [tensor, view] : views_) {
      const auto size = archive_.size(entry_of(view)), item = std::uint64_t{c10::elementSize(view.info.type)};
      if (size % item != 0 || size / item != view.storage_elements)
        fail("tensor " + tensor + ": wanted " + std::to_string(view.storage_elements) + " elements of " +
             std::string(foreign_type_name(view.info.type)) + " in entry " + printable(entry_of(view)) + ", got " +
             std::to_string(size) + " bytes; the file is damaged");
      read += size;
      if (storages.insert(view.storage).second) stored += size;
    }
    if (read / kMaxReads > stored + ZipFile::kSmallBytes)
      fail("wanted tensors with storages of their own, got views of storages of " + std::to_string(read) +
           " bytes in all; save a copy of each tensor (clone())");
  }

  at::Tensor read(const std::string& tensor, const ForeignTensorInfo& info) const override {
    const auto& view = views_.at(tensor);
    const auto storage = at::empty({static_cast<std::int64_t>(view.storage_elements)}, info.type);
    archive_.read(entry_of(view), 0, bytes_of(storage));
    if (checked_byte_count(info, name()) == 0) return at::empty(info.shape, info.type);
    return storage.as_strided(info.shape, view.strides, static_cast<std::int64_t>(view.offset));
  }

  ZipFile archive_;
  std::string folder_;  // of all entries, with its slash
  std::map<std::string, PickledTensor> views_;
};

}  // namespace

std::unique_ptr<ForeignTensors> open_torch_file(const std::filesystem::path& path) {
  refuse_old_form(path);
  return std::make_unique<TorchFile>(ZipFile::open(path));
}

}  // namespace gloss
