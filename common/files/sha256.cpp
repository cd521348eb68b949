#include "common/files/sha256.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include <openssl/evp.h>

#include "common/error.h"
#include "common/system/descriptor.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

void check(int result) {
  if (result != 1) throw Error(ExitCode::kFault, "SHA-256: the cryptography library reports an error");
}

constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // odd, so that multiplying maps no two numbers to one

std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
  const auto product = (sum ^ word) * kFactor;
  return product ^ product >> 32;  // multiplying alone would leave the highest bit of the word in one place
}

}  // namespace

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size()));
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  check(EVP_DigestFinal_ex(context_->evp.get(), digest.data(), nullptr));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const auto byte : digest) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

std::string sha256(std::string_view text) {
  Sha256 sum;
  sum.update(text);
  return sum.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const auto file = open_regular_file(path);
  if (!file) throw IoError(printable(path.string()) + ": wanted a regular file, got a folder or a device");
  Sha256 sum;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  while (const auto size = read_up_to(file->descriptor, buffer, path)) sum.update(std::span(buffer).first(size));
  return sum.hex();
}

void Fingerprint::update(std::span<const std::byte> bytes) {
  auto sums = sums_;
  while (!bytes.empty()) {
    decltype(sums_) words{};
    const auto count = std::min(bytes.size(), sizeof(words));
    std::memcpy(words.data(), bytes.data(), count);
    for (std::size_t lane = 0; lane < words.size(); ++lane) sums[lane] = mix(sums[lane], words[lane]);
    bytes = bytes.subspan(count);
  }
  sums_ = sums;
}

std::uint64_t Fingerprint::value() const { return std::accumulate(sums_.begin(), sums_.end(), std::uint64_t{0}, mix); }

}  // namespace gloss
