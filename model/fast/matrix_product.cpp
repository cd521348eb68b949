#include "model/fast/matrix_product.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <c10/util/BFloat16.h>

#include "common/log/log.h"
#include "kernels/kernel_table.h"
#include "model/fast/kernel_compilation.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

using kernels::Bfloat16Bits;

// Sizes of a block: rows and columns of `out`, and terms of a sum. These were the fastest for the products of small and
// base models.
constexpr std::int64_t kRowsOfBlock = 128, kColumnsOfBlock = 256, kTermsOfBlock = 256;
constexpr std::int64_t kMinRows = 16;  // of a block
constexpr std::int64_t kStrip = 64;    // columns that one thread goes through at a time

thread_local bool by_bfloat16 = false;

template <typename Element>
struct Matrix {
  Element* data;
  std::int64_t stride;
  Element* at(std::int64_t row, std::int64_t column) const { return data + row * stride + column; }
  Matrix from(std::int64_t row, std::int64_t column) const { return {at(row, column), stride}; }
};

Matrix<float> matrix(const at::Tensor& tensor) {
  return {const_cast<float*>(tensor.const_data_ptr<float>()), tensor.stride(0)};
}

// out [M, N] = a [M, K] b [K, N], or out + a b. In bfloat16 the rows of b are stored in pairs, and K is even.
template <typename Element>
void multiply_block(Matrix<Element> a, Matrix<Element> b, Matrix<float> out, std::int64_t M, std::int64_t N,
                    std::int64_t K, bool add) {
  constexpr bool kRounded = std::is_same_v<Element, Bfloat16Bits>;
  using Factor = std::conditional_t<kRounded, c10::BFloat16, float>;
  with_kernel({M, N, K, a.stride, b.stride, out.stride, add, kRounded}, [&] {
    at::native::cpublas::brgemm(M, N, K, a.stride, b.stride, out.stride, add, reinterpret_cast<const Factor*>(a.data),
                                reinterpret_cast<const Factor*>(b.data), out.data, /*is_vnni=*/kRounded);
  });
}

// Returns whether oneDNN's blocks multiply matrices of ones correctly.
template <typename Element>
bool works(Element one) {
  std::vector<Element> a(std::size_t{16} * 32, one), b(std::size_t{32} * 16, one);
  std::vector<float> out(std::size_t{16} * 16);
  try {
    multiply_block<Element>({a.data(), 32}, {b.data(), 16}, {out.data(), 16}, 16, 16, 32, false);
    at::native::cpublas::brgemm_release(std::is_same_v<Element, Bfloat16Bits>);
  } catch (const c10::Error&) {  // this processor or LibTorch has none
    return false;
  }
  return std::ranges::all_of(out, [](float x) { return x == 32; });
}

// Returns whether kernels can be compiled; logs a warning otherwise.
bool compiles() {
  if (may_compile_kernels()) return true;
  log_warning(
      "this system lets no process run code that it has written (MemoryDenyWriteExecute=, PR_SET_MDWE or SELinux); "
      "products of matrices are LibTorch's own: slower, and with other last digits");
  return false;
}

bool goes_by_blocks(const at::Tensor& a, const at::Tensor& b) {
  const auto fits = [](const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat && x.numel() > 0 && x.stride(1) == 1;
  };
  return fits(a) && fits(b) && has_block_products();
}

std::int64_t blocks(std::int64_t size, std::int64_t of) { return (size + of - 1) / of; }

// Calls strip(begin, count) for strips of 0 to `size` that are `of` long but for the last, several at a time.
template <typename Strip>
void in_strips(std::int64_t size, std::int64_t of, const Strip& strip) {
  at::parallel_for(0, blocks(size, of), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t begin = first * of; begin < std::min(last * of, size); begin += of)
      strip(begin, std::min(of, size - begin));
  });
}

// Calls part(begin, count) for parts of 0 to `size` whose counts are `whole` and then powers of two below it: oneDNN
// compiles a kernel for each size that it meets, and batches would add new sizes again and again.
template <typename Part>
void in_powers_of_two(std::int64_t size, std::int64_t whole, const Part& part) {
  std::int64_t begin = 0;
  for (std::int64_t count = whole; begin < size; begin += count) {
    while (count > size - begin) count /= 2;
    part(begin, count);
  }
}

// The sizes of the parts of out [M, N]: there are a few more parts than threads, so that all threads are busy to the
// end.
struct Cut {
  std::int64_t rows, columns;  // of a part; a power of two from kMinRows on, and whole blocks or all
};
Cut cut(std::int64_t M, std::int64_t N, bool whole_rows) {
  Cut part{kRowsOfBlock, N};
  const auto parts = [&] { return blocks(M, part.rows) * blocks(N, part.columns); };
  const auto wanted = std::int64_t{2} * at::get_num_threads();
  while (!whole_rows && parts() < wanted && part.columns > kColumnsOfBlock)
    part.columns = blocks(part.columns / 2, kColumnsOfBlock) * kColumnsOfBlock;
  while (parts() < wanted && part.rows > kMinRows) part.rows /= 2;
  return part;
}

struct Product {
  Matrix<float> a, b, out;
  std::int64_t M, N, K;
  bool transposed = false;  // a is stored as [K, M]
  bool add = false;
  const float* bias = nullptr;
};

// Returns b in pairs, all columns of kTermsOfBlock rows before the next such rows.
std::unique_ptr<Bfloat16Bits[]> pairs(const Product& product) {
  auto packed =
      std::make_unique_for_overwrite<Bfloat16Bits[]>(static_cast<std::size_t>((product.K + 1) / 2 * 2 * product.N));
  constexpr std::int64_t kRows = 16;
  in_strips(product.K, kRows, [&](std::int64_t k, std::int64_t rows) {
    kernels::kernel_table().to_bfloat16_pairs(product.b.at(k, 0), product.b.stride, rows, product.N,
                                              packed.get() + k * product.N);
  });
  return packed;
}

// A block of a, which a thread transposes or rounds for itself.
template <typename Element>
class LeftBlock {
 public:
  explicit LeftBlock(const Product& product) : product_(product) {
    if (product.transposed) transposed_ = std::make_unique_for_overwrite<float[]>(kRowsOfBlock * kTermsOfBlock);
    if (kRounded) rounded_ = std::make_unique_for_overwrite<Bfloat16Bits[]>(kRowsOfBlock * kTermsOfBlock);
  }

  // Returns the block of a with `rows` rows from i on and `terms` terms from k on.
  Matrix<Element> get(std::int64_t i, std::int64_t rows, std::int64_t k, std::int64_t terms) {
    Matrix<float> block = product_.a.from(i, k);
    if (product_.transposed) {
      block = {transposed_.get(), kTermsOfBlock};
      kernels::kernel_table().transpose(product_.a.at(k, i), product_.a.stride, terms, rows, block.data, block.stride);
    }
    if constexpr (kRounded) {
      kernels::kernel_table().to_bfloat16(block.data, block.stride, rows, terms, rounded_.get(), kTermsOfBlock);
      return {rounded_.get(), kTermsOfBlock};
    } else {
      return block;
    }
  }

 private:
  static constexpr bool kRounded = std::is_same_v<Element, Bfloat16Bits>;
  const Product& product_;
  std::unique_ptr<float[]> transposed_;
  std::unique_ptr<Bfloat16Bits[]> rounded_;
};

template <typename Element>
void multiply_by_blocks(const Product& product, const RowsFinished& finished) {
  constexpr bool kRounded = std::is_same_v<Element, Bfloat16Bits>;
  std::unique_ptr<Bfloat16Bits[]> packed;
  if constexpr (kRounded) packed = pairs(product);
  // Returns the part of b from term k and column j on.
  const auto right = [&](std::int64_t k, std::int64_t j) -> Matrix<Element> {
    if constexpr (kRounded)
      return {packed.get() + k * product.N + 2 * j, product.N};
    else
      return product.b.from(k, j);
  };
  const Cut part = cut(product.M, product.N, static_cast<bool>(finished));
  const auto across = blocks(product.N, part.columns);
  at::parallel_for(0, blocks(product.M, part.rows) * across, 1, [&](std::int64_t begin, std::int64_t end) {
    LeftBlock<Element> left(product);
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t i = p / across * part.rows, j = p % across * part.columns;
      const std::int64_t height = std::min(part.rows, product.M - i), width = std::min(part.columns, product.N - j);
      if (product.bias != nullptr)
        for (std::int64_t r = i; r < i + height; ++r)
          std::copy(product.bias + j, product.bias + j + width, product.out.at(r, j));
      in_powers_of_two(product.K, kTermsOfBlock, [&](std::int64_t k, std::int64_t terms) {
        const Matrix<Element> a = left.get(i, height, k, terms);
        const bool add = product.add || product.bias != nullptr || k > 0;
        for (std::int64_t c = 0; c < width; c += kColumnsOfBlock)
          in_powers_of_two(height, part.rows, [&](std::int64_t r, std::int64_t rows) {
            multiply_block<Element>(a.from(r, 0), right(k, j + c), product.out.from(i + r, j + c), rows,
                                    std::min(kColumnsOfBlock, width - c), kRounded ? (terms + 1) / 2 * 2 : terms, add);
          });
      });
      if (finished) finished(i, height);
    }
    at::native::cpublas::brgemm_release(kRounded);
  });
}

void multiply_by_blocks(const Product& product, const RowsFinished& finished) {
  if (by_bfloat16 && has_bfloat16_products())
    multiply_by_blocks<Bfloat16Bits>(product, finished);
  else
    multiply_by_blocks<float>(product, finished);
}

}  // namespace

void multiply(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias, const at::Tensor& out,
              const RowsFinished& finished) {
  const auto [M, K] = sizes<2>(a, "a");
  expect_shape(b, {K, -1}, "b");
  const auto N = b.size(1);
  expect_shape(out, {M, N}, "out");
  if (bias.defined()) expect_shape(bias, {N}, "bias");
  if (goes_by_blocks(a, b))
    return multiply_by_blocks({.a = matrix(a),
                               .b = matrix(b),
                               .out = matrix(out),
                               .M = M,
                               .N = N,
                               .K = K,
                               .bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr},
                              finished);
  at::Tensor result = out;
  bias.defined() ? at::addmm_out(result, bias, a, b) : at::mm_out(result, a, b);
  if (finished) in_strips(M, kMinRows, finished);
}

void multiply_transposed(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out, bool add) {
  const auto [K, M] = sizes<2>(a, "a");
  expect_shape(b, {K, -1}, "b");
  const auto N = b.size(1);
  expect_shape(out, {M, N}, "out");
  at::Tensor result = out;
  if (!goes_by_blocks(a, b)) {
    add ? at::addmm_out(result, out, a.t(), b) : at::mm_out(result, a.t(), b);
  } else if (M <= N) {  // the smaller of the two is transposed
    multiply_by_blocks(
        {.a = matrix(a), .b = matrix(b), .out = matrix(out), .M = M, .N = N, .K = K, .transposed = true, .add = add},
        {});
  } else {
    const auto product = at::empty({N, M}, out.options());
    multiply_by_blocks(
        {.a = matrix(b), .b = matrix(a), .out = matrix(product), .M = N, .N = M, .K = K, .transposed = true}, {});
    add ? result.add_(product.t()) : result.copy_(transposed(product));
  }
}

at::Tensor column_sums(const at::Tensor& a) {
  if (!a.is_cpu() || a.scalar_type() != at::kFloat) return a.sum(0);
  const std::int64_t rows = a.size(0), columns = a.size(1);
  const auto out = at::empty({columns}, a.options());
  const auto from = matrix(a);
  auto* const to = out.mutable_data_ptr<float>();
  in_strips(columns, kStrip, [&](std::int64_t j, std::int64_t count) {
    kernels::kernel_table().column_sums(from.at(0, j), from.stride, rows, count, to + j);
  });
  return out;
}

at::Tensor transposed(const at::Tensor& a) {
  if (!a.is_cpu() || a.scalar_type() != at::kFloat) return a.t().contiguous();
  const std::int64_t M = a.size(0), N = a.size(1);
  const auto out = at::empty({N, M}, a.options());
  const auto from = matrix(a), to = matrix(out);
  in_strips(N, kStrip, [&](std::int64_t j, std::int64_t count) {
    kernels::kernel_table().transpose(from.at(0, j), from.stride, M, count, to.at(j, 0), to.stride);
  });
  return out;
}

bool has_block_products() {
  static const bool has =
      kernels::active_instruction_set() >= kernels::InstructionSet::kAvx512 && compiles() && works(1.0F);
  return has;
}

bool has_bfloat16_products() {
#if defined(__x86_64__)
  static const bool has = has_block_products() &&
                          kernels::active_instruction_set() >= kernels::InstructionSet::kAvx512Bf16 &&
                          works<Bfloat16Bits>(0x3F80);
  return has;
#else
  return false;
#endif
}

Bfloat16Products::Bfloat16Products(bool wanted) : before_(std::exchange(by_bfloat16, wanted)) {}
Bfloat16Products::~Bfloat16Products() { by_bfloat16 = before_; }

}  // namespace gloss
