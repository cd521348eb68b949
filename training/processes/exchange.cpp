#include "training/processes/exchange.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <ATen/Functions.h>

#include "common/error.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxText = std::int64_t{1} << 30;  // bytes

class Alone final : public Exchange {
 public:
  at::Tensor all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>&) override { return sent; }
  at::Tensor all_gather(const at::Tensor& part) override { return part.flatten(); }
  at::Tensor gather(const at::Tensor& part) override { return part.flatten(); }
};

at::Tensor bytes_of(const std::string& text, std::int64_t size) {
  auto bytes = at::zeros({size}, at::kByte);
  if (!text.empty()) std::memcpy(bytes.mutable_data_ptr(), text.data(), text.size());
  return bytes;
}

std::string text_of(const at::Tensor& bytes) {
  if (bytes.numel() == 0) return "";
  return {static_cast<const char*>(bytes.const_data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

}  // namespace

std::vector<std::string> Exchange::all_gather_texts(const std::string& text) {
  if (is_alone()) return {text};
  const auto lengths = all_gather(at::scalar_tensor(static_cast<std::int64_t>(text.size()), at::kLong).reshape({1}));
  const auto* const length = lengths.const_data_ptr<std::int64_t>();
  const auto [min_length, max_length] = std::ranges::minmax(std::span(length, static_cast<std::size_t>(size())));
  expect_sent(min_length >= 0 && max_length <= kMaxText);
  const auto all = all_gather(bytes_of(text, max_length));
  std::vector<std::string> texts;
  for (std::int64_t p = 0; p < size(); ++p) texts.push_back(text_of(all.narrow(0, p * max_length, length[p])));
  return texts;
}

void expect_sent(bool fits) {
  if (!fits)
    throw Error(
        ExitCode::kFault,
        "a process of this run has sent data of another size than expected; start all with the same program, in "
        "a network that no one else reaches");
}

Exchange& no_exchange() {
  static Alone alone;
  return alone;
}

}  // namespace gloss
