#include "training/agreement.h"

#include <algorithm>
#include <span>

#include <ATen/Functions.h>

#include "common/files/sha256.h"

namespace gloss {

Agreement agree(Exchange& exchange, std::optional<ExitCode> stop, double seconds) {
  const auto own = at::zeros({2}, at::kDouble);
  own.mutable_data_ptr<double>()[0] = stop ? static_cast<double>(static_cast<int>(*stop)) : 0;
  own.mutable_data_ptr<double>()[1] = seconds;
  const auto all = exchange.all_gather(own);
  const auto* const values = all.const_data_ptr<double>();
  Agreement agreed{.stop = std::nullopt, .seconds = values[1]};
  for (std::int64_t p = 0; p < exchange.size() && !agreed.stop; ++p)
    if (values[2 * p] != 0) {
      expect_sent(values[2 * p] > 0 && values[2 * p] < 256);
      agreed.stop = static_cast<ExitCode>(static_cast<int>(values[2 * p]));
    }
  return agreed;
}

void expect_enough_shards(const Exchange& exchange, at::Device device, std::int64_t shards) {
  if (device.is_cpu() && exchange.size() > shards)
    throw UsageError("training.shards: wanted at least one for each of the " + std::to_string(exchange.size()) +
                     " processes, got " + std::to_string(shards) +
                     "; start fewer processes, or begin a run with more shards");
}

void expect_equal_start(Exchange& exchange, const Json& start) {
  const auto texts = exchange.all_gather_texts(start.dump());
  const auto first = parse_json(texts.front()).flatten();  // "/training/max_steps"
  for (std::size_t p = 1; p < texts.size(); ++p) {
    const auto other = parse_json(texts[p]).flatten();
    std::string names;
    const auto add = [&](std::string name) {
      std::ranges::replace(name, '/', '.');
      names += (names.empty() ? "" : ", ") + name.substr(1);
    };
    for (const auto& [name, value] : first.items())
      if (!other.contains(name) || other.at(name) != value) add(name);
    for (const auto& [name, value] : other.items())
      if (!first.contains(name)) add(name);
    if (names.empty()) continue;
    if (!exchange.is_first()) throw ReportedError(ExitCode::kUsage);
    throw UsageError("processes 0 and " + std::to_string(p) + ": wanted an equal start, got other values of " + names +
                     "; start all with the same program, run file, texts and run folder");
  }
}

std::string hash_of_weights(const Adam& adam) {
  Sha256 sum;
  for (const Adam::Slot& slot : adam.slots()) {
    const auto weights = slot.parameter.detach().cpu().contiguous();
    sum.update(std::span(static_cast<const std::byte*>(weights.const_data_ptr()), weights.nbytes()));
  }
  return sum.hex();
}

void expect_equal_weights(Exchange& exchange, const Adam& adam, std::int64_t step) {
  if (exchange.is_alone()) return;
  const auto hashes = exchange.all_gather_texts(hash_of_weights(adam));
  for (std::size_t p = 1; p < hashes.size(); ++p)
    if (hashes[p] != hashes.front())
      throw Error(ExitCode::kFault, "step " + std::to_string(step) + ": wanted equal weights on all processes, got " +
                                        "others on process " + std::to_string(p) +
                                        "; a machine or its memory is faulty; nothing was saved");
}

}  // namespace gloss
