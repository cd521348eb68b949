#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "tests/stand_in/memory.h"
#include "tests/stand_in/registration.h"
#include "tests/stand_in/transfers.h"

namespace gloss::stand_in {
namespace {

c10::StreamId& current_stream(c10::DeviceIndex device) {
  thread_local std::vector<c10::StreamId> streams(kDevices);
  return streams.at(static_cast<std::size_t>(device));
}

c10::DeviceIndex index_of(at::Device device) { return device.has_index() ? device.index() : current_device(); }

/// Devices, streams and events of the calling thread. Operators run at once, so that streams differ in name only.
struct DeviceGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }
  at::Device exchangeDevice(at::Device device) const override {
    return {kType, std::exchange(current_device(), index_of(device))};
  }
  at::Device getDevice() const override { return {kType, current_device()}; }
  void setDevice(at::Device device) const override {
    TORCH_CHECK(index_of(device) >= 0 && index_of(device) < kDevices, "stand-in device: there is no ", device);
    current_device() = index_of(device);
  }
  void uncheckedSetDevice(at::Device device) const noexcept override { current_device() = index_of(device); }
  c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }

  c10::Stream stream(at::Device device, c10::StreamId id) const {
    return c10::Stream(c10::Stream::UNSAFE, at::Device(kType, index_of(device)), id);
  }
  c10::Stream getStream(at::Device device) const override { return stream(device, current_stream(index_of(device))); }
  c10::Stream getDefaultStream(at::Device device) const override { return stream(device, 0); }
  c10::Stream getNewStream(at::Device device, int) const override {
    static std::atomic<c10::StreamId> streams = 0;
    return stream(device, ++streams);
  }
  c10::Stream getStreamFromGlobalPool(at::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream exchangeStream(c10::Stream next) const override {
    return stream(next.device(), std::exchange(current_stream(next.device_index()), next.id()));
  }
  bool queryStream(const c10::Stream& of) const override {
    complete_copies(of.device_index());
    return true;
  }
  void synchronizeStream(const c10::Stream& of) const override { wait_for(of.device_index()); }
  void synchronizeDevice(c10::DeviceIndex device) const override { wait_for(device); }

  /// A point in the order of the copies of a device.
  struct Event {
    c10::DeviceIndex device;
    std::uint64_t time;
  };
  void record(void** event, const c10::Stream& of, c10::DeviceIndex, c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event;
    *static_cast<Event*>(*event) = {of.device_index(), copies_begun()};
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void* event) const override {
    if (event != nullptr) complete_copies(static_cast<Event*>(event)->device, static_cast<Event*>(event)->time);
    return true;
  }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) wait_for(static_cast<Event*>(event)->device, static_cast<Event*>(event)->time);
  }
};

/// Random numbers of a device: the CPU's, of an own state.
class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(c10::DeviceIndex device, at::Generator host = at::detail::createCPUGenerator())
      : GeneratorImpl({kType, device}, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)), host_(std::move(host)) {}

  void set_current_seed(std::uint64_t seed) override { host_.set_current_seed(seed); }
  void set_offset(std::uint64_t offset) override { host_.set_offset(offset); }
  std::uint64_t get_offset() const override { return host_.get_offset(); }
  std::uint64_t current_seed() const override { return host_.current_seed(); }
  std::uint64_t seed() override { return host_.seed(); }
  void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host_.unsafeGetGeneratorImpl()->get_state(); }
  const at::Generator& host() const { return host_; }

 private:
  DeviceGenerator* clone_impl() const override { return new DeviceGenerator(device().index(), host_.clone()); }

  mutable at::Generator host_;
};

struct DeviceHooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return kDevices; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device < 0 ? current_device() : device);
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    return at::make_generator<DeviceGenerator>(device < 0 ? current_device() : device);
  }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
};

}  // namespace

at::Generator host_generator(const at::Generator& generator) {
  return generator.device().is_cpu() ? generator : generator.get<DeviceGenerator>()->host();
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  static const auto* const generators = [] {
    auto* const all = new std::vector<at::Generator>;
    for (c10::DeviceIndex i = 0; i < kDevices; ++i) all->push_back(at::make_generator<DeviceGenerator>(i));
    return all;
  }();
  return generators->at(static_cast<std::size_t>(device));
}

void register_device() {
  c10::SetAllocator(kType, &device_allocator());
  const c10::impl::DeviceGuardImplRegistrar guard(kType, new DeviceGuard);
  at::RegisterPrivateUse1HooksInterface(new DeviceHooks);
}

}  // namespace gloss::stand_in
