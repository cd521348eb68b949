#include "run/doctor/machine_report.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/system/machine.h"
#include "kernels/kernel_table.h"
#include "tensor/runtime.h"

namespace gloss {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Returns the report of a machine without problems.
MachineReport good_machine() {
  MachineReport report;
  report.libtorch_built = "2.13.0";
  report.libtorch_run = "2.13.1+cu128";
  report.mkl = "2024.2";
  report.cuda_built = true;
  report.cuda_devices = 1;
  report.openmp_files = {"/lib/libgomp.so.1"};
  report.exchange = {.gloo = true};
  report.processors = 8;
  report.usable_processors = report.threads = report.threads_got = 4;
  report.processor_limit = 4;
  report.instructions = {"generic", "avx2"};
  report.usable_memory = std::int64_t{16} << 30;
  report.free_memory = std::int64_t{8} << 30;
  report.matrix_gflops = 200;
  return report;
}

std::vector<Remark> remarks_where(const std::function<void(MachineReport&)>& change) {
  auto report = good_machine();
  change(report);
  return remarks_on(report);
}

auto only_remark(const std::string& message) {
  return ElementsAre(testing::Field(&Remark::message, HasSubstr(message)));
}

TEST(MachineReportTest, AGoodMachineHasNoRemarks) { EXPECT_THAT(remarks_on(good_machine()), IsEmpty()); }

TEST(MachineReportTest, ProblemsAreReportedWithTheRemedy) {
  using Report = MachineReport;
  EXPECT_THAT(remarks_where([](Report& it) { it.optimized = false; }), only_remark("without optimization"));
  EXPECT_THAT(remarks_where([](Report& it) { it.instructions = {"generic"}; }), only_remark("no AVX2"));
  EXPECT_THAT(remarks_where([](Report& it) { it.mkl = ""; }), only_remark("without MKL"));
  EXPECT_THAT(remarks_where([](Report& it) { it.processor_limit = 2.5; }),
              only_remark("leaves 2.5 processors to 4 threads"));
  EXPECT_THAT(remarks_where([](Report& it) { it.threads_got = 2; }), only_remark("gives 2 threads in place of 4"));
  EXPECT_THAT(remarks_where([](Report& it) { it.usable_processors = 8; }), only_remark("4 of 8 processors are used"));
  EXPECT_THAT(remarks_where([](Report& it) { it.usable_processors = 2; }), only_remark("use --threads 2"));
  EXPECT_THAT(remarks_where([](Report& it) {
                it.openmp_settings = {{"GOMP_CPU_AFFINITY", "0"}};
              }),
              only_remark("GOMP_CPU_AFFINITY is set"));
  EXPECT_THAT(remarks_where([](Report& it) {
                it.openmp_settings = {{"OMP_NUM_THREADS", "1"}};
              }),
              only_remark("OMP_NUM_THREADS is set, but gloss ignores it"));
  EXPECT_THAT(remarks_where([](Report& it) { it.openmp_settings = {{"OMP_NUM_THREADS", "4"}}; }), IsEmpty());
  EXPECT_THAT(remarks_where([](Report& it) { it.openmp_files.push_back("/lib/libiomp5.so"); }),
              only_remark("2 OpenMP run-times are loaded"));
  EXPECT_THAT(remarks_where([](Report& it) { it.matrix_gflops = 40; }), only_remark("10.0 GFLOP/s"));
  EXPECT_THAT(remarks_where([](Report& it) { it.free_memory = 1 << 20; }),
              only_remark("1 of 16384 MiB of memory are free"));
  EXPECT_THAT(remarks_where([](Report& it) { it.cuda_devices = 0; }), only_remark("there is no device"));
  EXPECT_THAT(remarks_where([](Report& it) {
                it.cuda_devices = 0;
                it.cuda_built = false;
              }),
              only_remark("no GPU"));
  EXPECT_THAT(remarks_where([](Report& it) {
                it.cuda_devices = 0;
                it.cuda_built = false;
                it.gpus = {{"Some GPU", 1 << 30, 8, 6}};
              }),
              only_remark("a GPU is not used, since this LibTorch is built without CUDA: Some GPU"));
  EXPECT_THAT(remarks_where([](Report& it) { it.cuda_devices = 4; }),
              only_remark("one of 4 GPUs is used, since gloss was built without LibTorch's version of NCCL"));
  EXPECT_THAT(remarks_where([](Report& it) {
                it.cuda_devices = 4;
                it.exchange.nccl = "2.29.7";
              }),
              IsEmpty());
  EXPECT_THAT(remarks_where([](Report& it) {
                it.cuda_devices = 4;
                it.exchange.gloo = false;
              }),
              only_remark("without Gloo and NCCL"));
  EXPECT_THAT(remarks_where([](Report& it) {
                it.usable_processors = it.threads = it.threads_got = 1;
                it.processor_limit.reset();
              }),
              only_remark("one processor"));
}

TEST(MachineReportTest, OnlyAnotherLibTorchIsAFailure) {
  const auto remarks = remarks_where([](MachineReport& it) { it.libtorch_run = "2.6.0"; });
  ASSERT_THAT(remarks, only_remark("built with LibTorch 2.13.0, running with 2.6.0"));
  EXPECT_EQ(remarks[0].failure, ExitCode::kFault);
  EXPECT_FALSE(remarks_where([](MachineReport& it) { it.mkl = ""; })[0].failure.has_value());
}

TEST(MachineReportTest, InspectsThisMachine) {
  const auto report = examine_machine(set_up_runtime(1));
  EXPECT_THAT(report.libtorch_run, testing::MatchesRegex("[0-9]+\\.[0-9]+.*"));
#ifdef __clang__
  EXPECT_THAT(report.openmp_files, SizeIs(2));  // LLVM's and the idle one of LibTorch (docs/building.md)
#else
  EXPECT_THAT(report.openmp_files, SizeIs(1));
#endif
  EXPECT_THAT(report.sentencepiece_files, Contains(HasSubstr("libsentencepiece")));
  EXPECT_EQ(report.usable_processors, available_processors());
  EXPECT_GE(report.processors, 1);
  EXPECT_EQ(report.threads_got, 1);
  EXPECT_GT(report.matrix_gflops, 0);
  EXPECT_GT(report.free_memory, 0);
  EXPECT_LE(report.free_memory, report.usable_memory);
  EXPECT_EQ(report.instructions.front(), "generic");
  EXPECT_EQ(report.instructions.back(), name_of(kernels::active_instruction_set()));
  const auto json = to_json(report);
  EXPECT_TRUE(json.at("libtorch").at("run").is_string());
  EXPECT_EQ(json.at("processes").at("gloo"), report.exchange.gloo);
}

TEST(CudaDevicesTest, TheDriverNamesThemAndOneThatFailsIsLeftOut) {
  const auto devices = cuda_devices(GLOSS_FAKE_CUDA_DRIVER);
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].name, "Fake 10");
  EXPECT_EQ(devices[0].memory, std::int64_t{16} << 30);
  EXPECT_EQ(devices[0].major, 7);
  EXPECT_EQ(devices[0].minor, 5);
  EXPECT_FALSE(devices[0].has_bfloat16());
  EXPECT_EQ(devices[1].name, "Fake 12");
  EXPECT_EQ(devices[1].major, 9);
  EXPECT_TRUE(devices[1].has_bfloat16());
}

TEST(CudaDevicesTest, WithoutADriverThereAreNone) {
  EXPECT_THAT(cuda_devices("libcuda_that_is_not_there.so"), IsEmpty());
  EXPECT_THAT(cuda_devices("libm.so.6"), IsEmpty()) << "a library without its functions";
}

}  // namespace
}  // namespace gloss
