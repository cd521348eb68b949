#include "tests/stand_in/memory.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>

namespace gloss::stand_in {

/// The pages of one storage.
struct Block {
  void* data;
  std::size_t bytes;  // of whole pages
  int open = 0;       // kernels that use it
};

namespace {

constexpr std::size_t kPage = 4096;

std::mutex pages_mutex;

// Blocks that wait for their next tensor, by size.
std::multimap<std::size_t, Block*>& free_blocks() {
  static auto* const blocks = new std::multimap<std::size_t, Block*>;
  return *blocks;
}

void protect(const Block& block, int access) {
  TORCH_CHECK(::mprotect(block.data, block.bytes, access) == 0, "stand-in device: mprotect failed");
}

void open_block(Block& block) {
  const std::lock_guard lock(pages_mutex);
  if (block.open++ == 0) protect(block, PROT_READ | PROT_WRITE);
}

void close_block(Block& block) {
  const std::lock_guard lock(pages_mutex);
  if (--block.open == 0) protect(block, PROT_NONE);
}

Block* new_block(std::size_t bytes) {
  const std::lock_guard lock(pages_mutex);
  if (const auto found = free_blocks().find(bytes); found != free_blocks().end()) {
    auto* const block = found->second;
    free_blocks().erase(found);
    return block;
  }
  auto* const data = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TORCH_CHECK_WITH(OutOfMemoryError, data != MAP_FAILED, "stand-in device: out of memory");
  return new Block{data, bytes};
}

void free_block(void* context) {
  const std::lock_guard lock(pages_mutex);
  auto* const block = static_cast<Block*>(context);
  free_blocks().emplace(block->bytes, block);
}

class DeviceAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device device(kType, current_device());
    if (bytes == 0) return {nullptr, device};
    auto* const block = new_block((bytes + kPage - 1) / kPage * kPage);
    open_block(*block);
    std::memset(block->data, 0xFF, block->bytes);
    close_block(*block);
    return {block->data, block, &free_block, device};
  }
  void copy_data(void*, const void*, std::size_t) const override {
    TORCH_CHECK(false, "stand-in device: a storage cannot be copied by address");
  }
};

// The sizes of the pieces of pinned memory, by address.
std::map<const std::byte*, std::size_t>& pinned_pieces() {
  static auto* const pieces = new std::map<const std::byte*, std::size_t>;
  return *pieces;
}

void free_pinned(void* data) {
  const std::lock_guard lock(pages_mutex);
  pinned_pieces().erase(static_cast<const std::byte*>(data));
  ::operator delete(data, std::align_val_t(64));
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, at::kCPU};
    auto* const data = ::operator new(bytes, std::align_val_t(64));
    const std::lock_guard lock(pages_mutex);
    pinned_pieces()[static_cast<const std::byte*>(data)] = bytes;
    return {data, data, &free_pinned, at::kCPU};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
};

}  // namespace

OpenPages::~OpenPages() {
  for (auto* const block : blocks_) close_block(*block);
}

at::Tensor OpenPages::add(const at::Tensor& tensor) {
  auto* const block = static_cast<Block*>(tensor.storage().data_ptr().get_context());
  if (block != nullptr) {
    open_block(*block);
    blocks_.push_back(block);
  }
  return at::from_blob(tensor.numel() == 0 ? nullptr : tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(),
                       tensor.options().device(at::kCPU));
}

c10::Allocator& device_allocator() {
  static auto* const allocator = new DeviceAllocator;
  return *allocator;
}

c10::Allocator& pinned_allocator() {
  static auto* const allocator = new PinnedAllocator;
  return *allocator;
}

bool is_pinned(const void* data) {
  const std::lock_guard lock(pages_mutex);
  const auto* const address = static_cast<const std::byte*>(data);
  const auto after = pinned_pieces().upper_bound(address);
  if (after == pinned_pieces().begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return address < begin + bytes;
}

c10::DeviceIndex& current_device() {
  thread_local c10::DeviceIndex device = 0;
  return device;
}

}  // namespace gloss::stand_in
