#include "run/doctor/machine_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <dlfcn.h>
#include <torch/version.h>
#include <unistd.h>

#include "common/system/machine.h"
#include "kernels/kernel_table.h"
#include "tokenizer/sentencepiece_library.h"

namespace gloss {
namespace {

// Attributes of the CUDA driver API, whose numbers and signatures are stable.
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;

/// Calls the function `name` of the library. Returns whether it exists and succeeds.
template <typename... Arguments>
bool call(void* library, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library, name));
  return function != nullptr && function(arguments...) == 0;
}

constexpr std::int64_t kMib = 1 << 20;

/// Returns the files of this process's libraries whose names have one of these beginnings.
std::vector<std::string> loaded_files(std::initializer_list<std::string_view> beginnings) {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.substr(std::min(line.find('/'), line.size()));
    const auto name = path.substr(path.rfind('/') + 1);
    if (std::ranges::any_of(beginnings, [&](auto beginning) { return name.starts_with(beginning); }))
      files.insert(path);
  }
  return {files.begin(), files.end()};
}

/// Returns the value of a key in LibTorch's build settings: "TORCH_VERSION=2.13.0, USE_CUDA=0, ..."
std::string value_in_settings(const std::string& key) {
  const auto settings = at::show_config();
  const auto place = settings.find(key + '=');
  if (place == settings.npos) return {};
  const auto begin = place + key.size() + 1;
  return settings.substr(begin, settings.find_first_of(", \n", begin) - begin);
}

/// Returns the version number in a library's description, such as "3.10.2" in "... v3.10.2 (...)".
std::string version_in(const std::string& text) {
  const auto digit = text.find_first_of("0123456789");
  return digit == text.npos ? text : text.substr(digit, text.find_first_of(" (-", digit) - digit);
}

std::int64_t free_memory() {
  const auto usable = usable_memory();
  return std::min(size_in_proc("/proc/meminfo", "MemAvailable:").value_or(usable), usable);
}

int count_threads() {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  return threads;
}

double measure_product() {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kSize = 1024;
  const auto a = at::ones({kSize, kSize}), b = at::ones({kSize, kSize});
  double best = std::numeric_limits<double>::max();
  const auto end = Clock::now() + std::chrono::milliseconds(300);
  do {
    const auto begin = Clock::now();
    at::mm(a, b);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  } while (Clock::now() < end);
  return 2e-9 * kSize * kSize * kSize / best;
}

std::vector<std::string> instructions() {
  std::vector<std::string> names;
  for (const auto set : kernels::kInstructionSets)
    if (kernels::is_supported(set) && set <= kernels::active_instruction_set()) names.push_back(name_of(set));
  return names;
}

std::map<std::string, std::string> openmp_settings() {
  std::map<std::string, std::string> settings;
  for (const auto* name : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY",
                           "OMP_DYNAMIC", "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT", "KMP_AFFINITY", "MKL_NUM_THREADS"})
    if (const auto* value = std::getenv(name)) settings[name] = value;
  return settings;
}

std::string minor_version(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

std::string number(double value) {
  const auto text = std::to_string(value);
  return text.substr(0, text.find('.') + 2);
}

void remark_on_threads(const MachineReport& report, std::vector<Remark>& remarks) {
  const auto usable = std::to_string(report.usable_processors), threads = std::to_string(report.threads);
  if (report.usable_processors == 1) remarks.push_back({"one processor: training a base model takes weeks here"});
  if (report.threads > report.usable_processors)
    remarks.push_back({threads + " threads on " + usable + " processors hinder each other; use --threads " + usable});
  if (report.threads < report.usable_processors)
    remarks.push_back({threads + " of " + usable + " processors are used; leave out --threads"});
  if (report.processor_limit && *report.processor_limit < report.threads)
    remarks.push_back({"a control group leaves " + number(*report.processor_limit) + " processors to " + threads +
                       " threads, which will be held up; raise its limit or use fewer"});
  if (report.threads_got < report.threads)
    remarks.push_back({"OpenMP gives " + std::to_string(report.threads_got) + " threads in place of " + threads +
                       "; unset OMP_THREAD_LIMIT"});
  for (const auto* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (report.threads > 1 && report.openmp_settings.contains(name))
      remarks.push_back({std::string(name) + " is set and may put several threads on one processor; unset it"});
  if (const auto set = report.openmp_settings.find("OMP_NUM_THREADS");
      set != report.openmp_settings.end() && set->second != threads)
    remarks.push_back({"OMP_NUM_THREADS is set, but gloss ignores it; use --threads"});
  if (report.openmp_files.size() > 1)
    remarks.push_back({std::to_string(report.openmp_files.size()) +
                       " OpenMP run-times are loaded and their threads hinder each other: " + report.openmp_files[0] +
                       " and " + report.openmp_files[1] + "; rebuild gloss (docs/building.md)"});
}

}  // namespace

std::vector<CudaDevice> cuda_devices(const std::string& driver) {
  void* const library =
      ::dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);  // the library may have threads
  std::vector<CudaDevice> devices;
  int count = 0;
  if (library == nullptr || !call(library, "cuInit", 0U) || !call(library, "cuDeviceGetCount", &count)) return devices;
  for (int i = 0; i < count; ++i) {
    int handle = 0;
    std::array<char, 256> name{};
    std::size_t memory = 0;
    CudaDevice device;
    if (!call(library, "cuDeviceGet", &handle, i) ||
        !call(library, "cuDeviceGetName", name.data(), static_cast<int>(name.size() - 1), handle) ||
        !call(library, "cuDeviceTotalMem_v2", &memory, handle) ||
        !call(library, "cuDeviceGetAttribute", &device.major, kCapabilityMajor, handle) ||
        !call(library, "cuDeviceGetAttribute", &device.minor, kCapabilityMinor, handle))
      continue;
    device.name = name.data();
    device.memory = static_cast<std::int64_t>(memory);
    devices.push_back(std::move(device));
  }
  return devices;
}

MachineReport examine_machine(int threads) {
  MachineReport report;
  report.libtorch_built = TORCH_VERSION;
  report.libtorch_run = value_in_settings("TORCH_VERSION");
  if (at::hasMKL()) report.mkl = version_in(at::get_mkl_version());
  if (at::hasMKLDNN())
    report.onednn = version_in(at::get_mkldnn_version().substr(at::get_mkldnn_version().find(" v") + 1));
  report.vector_code = at::get_cpu_capability();
  report.cuda_built = value_in_settings("USE_CUDA") == "ON" || value_in_settings("USE_CUDA") == "1";
  report.cuda_devices = at::hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  report.gpus = cuda_devices();
  report.sentencepiece_built = sentencepiece_version();
  report.sentencepiece_files = loaded_files({"libsentencepiece"});
  report.openmp_files = loaded_files({"libgomp", "libiomp", "libomp"});
  report.exchange = exchange_libraries();
  report.processors = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  report.usable_processors = available_processors();
  report.processor_limit = cgroup_limits().processors;
  report.threads = threads;
  report.threads_got = count_threads();
  report.instructions = instructions();
  report.openmp_settings = openmp_settings();
  report.usable_memory = usable_memory();
  report.free_memory = free_memory();
  report.matrix_gflops = measure_product();
#if !defined(__OPTIMIZE__)
  report.optimized = false;
#endif
  return report;
}

std::vector<Remark> remarks_on(const MachineReport& report) {
  std::vector<Remark> remarks;
  if (minor_version(report.libtorch_run) != minor_version(report.libtorch_built))
    remarks.push_back({"built with LibTorch " + report.libtorch_built + ", running with " + report.libtorch_run +
                           "; behavior is undefined; rebuild gloss (docs/building.md)",
                       ExitCode::kFault});
  if (!report.optimized) remarks.push_back({"gloss was built without optimization; use the preset release"});
  if (report.instructions.size() == 1)
    remarks.push_back({"this processor has no AVX2, or it is switched off: everything takes several times as long"});
  if (report.mkl.empty())
    remarks.push_back(
        {"LibTorch is without MKL: products of matrices take several times as long; use the one of the "
         "PyTorch wheel (docs/building.md)"});
  remark_on_threads(report, remarks);
  constexpr double kSlowThread = 15;  // GFLOP/s; any processor with AVX2 of the last ten years has twice that
  if (report.threads > 0 && report.matrix_gflops / report.threads < kSlowThread)
    remarks.push_back({"a thread multiplies at " + number(report.matrix_gflops / report.threads) +
                       " GFLOP/s, where 30 to 100 are usual; is something else running here?"});
  if (report.free_memory < report.usable_memory / 4)
    remarks.push_back({std::to_string(report.free_memory / kMib) + " of " +
                       std::to_string(report.usable_memory / kMib) + " MiB of memory are free"});
  if (report.cuda_devices == 0 && !report.cuda_built && !report.gpus.empty())
    remarks.push_back({"a GPU is not used, since this LibTorch is built without CUDA: " + report.gpus[0].name +
                       "; build with a LibTorch for CUDA (docs/building.md)"});
  else if (report.cuda_devices == 0)
    remarks.push_back({report.cuda_built ? "LibTorch is built for CUDA, but there is no device that it can use"
                                         : "no GPU: LibTorch is built without CUDA"});
  else if (report.cuda_devices > 1 && report.exchange.nccl.empty())
    remarks.push_back(
        {"one of " + std::to_string(report.cuda_devices) + " GPUs is used, since gloss was built without " +
         (report.exchange.gloo ? "LibTorch's version of NCCL" : "Gloo and NCCL") + " (docs/building.md)"});
  return remarks;
}

Json to_json(const MachineReport& report) {
  const auto limit = report.processor_limit;
  Json gpus = Json::array();
  for (const auto& gpu : report.gpus)
    gpus.push_back({{"name", gpu.name},
                    {"memory", gpu.memory},
                    {"capability", std::to_string(gpu.major) + '.' + std::to_string(gpu.minor)},
                    {"bfloat16", gpu.has_bfloat16()}});
  return {
      {"libtorch",
       {{"built", report.libtorch_built},
        {"run", report.libtorch_run},
        {"mkl", report.mkl},
        {"onednn", report.onednn},
        {"vector_code", report.vector_code},
        {"cuda_built", report.cuda_built},
        {"cuda_devices", report.cuda_devices}}},
      {"gpus", std::move(gpus)},
      {"sentencepiece", {{"built", report.sentencepiece_built}, {"files", report.sentencepiece_files}}},
      {"openmp", {{"files", report.openmp_files}, {"settings", report.openmp_settings}}},
      {"processes", {{"gloo", report.exchange.gloo}, {"nccl", report.exchange.nccl}}},
      {"processors",
       {{"machine", report.processors},
        {"usable", report.usable_processors},
        {"limit", limit ? Json(*limit) : Json()},
        {"threads", report.threads},
        {"threads_got", report.threads_got},
        {"instructions", report.instructions}}},
      {"memory", {{"usable", report.usable_memory}, {"free", report.free_memory}}},
      {"matrix_gflops", report.matrix_gflops},
      {"optimised", report.optimized},
  };
}

Json to_json(const std::vector<Remark>& remarks) {
  Json json = Json::array();
  for (const auto& [message, failure] : remarks) json.push_back({{"message", message}, {"fails", failure.has_value()}});
  return json;
}

}  // namespace gloss
