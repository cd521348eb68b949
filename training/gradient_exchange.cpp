#include "training/gradient_exchange.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "model/weights.h"

namespace gloss {
namespace {

constexpr double kMaxTokens = 1e15;  // of a batch; exact in a double

/// Returns the statistics as bytes: for each the index of its running tensor, then its values.
std::string bytes_of(const BatchStatistics& statistics, const std::vector<at::Tensor>& running) {
  std::string bytes;
  for (const auto& seen : statistics.seen) {
    const auto is_same = [&](const at::Tensor& tensor) { return tensor.is_same(seen.running); };
    const std::int64_t index = std::ranges::find_if(running, is_same) - running.begin();
    const auto values = seen.value.cpu().contiguous();
    bytes.append(reinterpret_cast<const char*>(&index), sizeof index);
    bytes.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  }
  return bytes;
}

BatchStatistics statistics_of(const std::string& bytes, const std::vector<at::Tensor>& running) {
  BatchStatistics statistics;
  for (std::size_t at = 0; at < bytes.size();) {
    std::int64_t index = 0;
    expect_sent(bytes.size() - at >= sizeof index);
    std::memcpy(&index, bytes.data() + at, sizeof index);
    expect_sent(index >= 0 && index < std::ssize(running));
    const auto& kept = running[static_cast<std::size_t>(index)];
    const auto values = at::empty_like(kept, at::TensorOptions(at::kCPU));
    expect_sent(bytes.size() - at - sizeof index >= values.nbytes());
    std::memcpy(values.mutable_data_ptr(), bytes.data() + at + sizeof index, values.nbytes());
    statistics.seen.push_back({kept, values.to(kept.device())});
    at += sizeof index + values.nbytes();
  }
  return statistics;
}

}  // namespace

GradientExchange::GradientExchange(Exchange& exchange, const EncoderDecoder& model, const Adam& adam, Workers& workers)
    : exchange_(&exchange),
      workers_(&workers),
      parameters_(adam.trained()),
      layout_(parameters_, exchange.size()),
      divided_(adam.divides_state()) {
  for (const auto& item : model->named_parameters())
    if (is_running_statistic(item.key())) running_.push_back(item.value());
}

std::vector<ShardNode> GradientExchange::nodes(std::int64_t shards) const {
  return nodes_of_process(shards, exchange_->rank(), exchange_->size());
}

ShardSums GradientExchange::sum(std::int64_t shards, std::vector<ShardSums> own) {
  const at::NoGradGuard no_grad;
  std::vector<ShardNode> nodes;
  std::vector<std::int64_t> received;
  std::vector<std::vector<ShardSums>> all;  // by process and node
  for (std::int64_t p = 0; p < exchange_->size(); ++p) {
    const auto of_process = nodes_of_process(shards, p, exchange_->size());
    received.push_back(std::ssize(of_process) * layout_.slice());
    all.emplace_back(of_process.size());
    nodes.insert(nodes.end(), of_process.begin(), of_process.end());
  }
  exchange_numbers(own, all);
  if (!running_.empty()) exchange_statistics(own, all);
  const auto defined = divided_ ? at::Tensor() : defined_anywhere(own);
  auto sent = flatten(own);
  own.clear();
  const auto slices = exchange_->all_to_all(sent, received);
  sent.reset();

  std::vector<ShardSums> sums;
  for (auto& of_process : all)
    for (auto& node : of_process) sums.push_back(std::move(node));
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i].gradients = {slices.narrow(0, static_cast<std::int64_t>(i) * layout_.slice(), layout_.slice())};
  auto sum = sum_of_nodes<ShardSums>(shards, nodes, std::move(sums), added);
  if (!divided_) sum.gradients = whole(sum.gradients.front(), defined);
  return sum;
}

// Returns the gradients [processes, nodes, slice]. A worker copies those of a parameter, slice by slice.
at::Tensor GradientExchange::flatten(const std::vector<ShardSums>& sums) const {
  const auto nodes = std::ssize(sums), slice = layout_.slice();
  const auto flat = at::zeros({layout_.processes(), nodes, slice}, parameters_.front().options().requires_grad(false));
  for (std::int64_t node = 0; node < nodes; ++node) {
    const auto& gradients = sums[static_cast<std::size_t>(node)].gradients;
    workers_->run(std::ssize(gradients), [&](std::int64_t i) {
      const at::NoGradGuard no_grad;
      const auto index = static_cast<std::size_t>(i);
      if (!gradients[index].defined()) return;
      const auto gradient = gradients[index].flatten();
      for (std::int64_t begin = 0, count = 0; begin < gradient.numel(); begin += count) {
        const auto place = layout_.offset(index) + begin;
        count = std::min(gradient.numel() - begin, slice - place % slice);
        flat[place / slice][node].narrow(0, place % slice, count).copy_(gradient.narrow(0, begin, count));
      }
    });
  }
  return flat.flatten();
}

// Returns for each parameter whether a shard of any process has a gradient of it.
at::Tensor GradientExchange::defined_anywhere(const std::vector<ShardSums>& own) const {
  const auto here = at::zeros({std::ssize(parameters_)}, at::kByte);
  for (const auto& sums : own)
    for (std::size_t i = 0; i < sums.gradients.size(); ++i)
      if (sums.gradients[i].defined()) here.mutable_data_ptr<std::uint8_t>()[i] = 1;
  return exchange_->all_gather(here).view({exchange_->size(), -1}).amax(0);
}

// Returns the gradients of all parameters, as views of one tensor.
Gradients GradientExchange::whole(const at::Tensor& slice, const at::Tensor& defined) const {
  const auto all = exchange_->all_gather(slice);
  Gradients gradients(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (defined.const_data_ptr<std::uint8_t>()[i] != 0)
      gradients[i] = all.narrow(0, layout_.offset(i), parameters_[i].numel()).view(parameters_[i].sizes());
  return gradients;
}

// Sends negative log-likelihood and tokens of each node.
void GradientExchange::exchange_numbers(const std::vector<ShardSums>& own,
                                        std::vector<std::vector<ShardSums>>& all) const {
  std::size_t max_nodes = 0;
  for (const auto& nodes : all) max_nodes = std::max(max_nodes, nodes.size());
  const auto part = at::zeros({static_cast<std::int64_t>(2 * max_nodes)}, at::kDouble);
  for (std::size_t i = 0; i < own.size(); ++i) {
    part.mutable_data_ptr<double>()[2 * i] = own[i].tokens > 0 ? own[i].nll.item<double>() : 0;
    part.mutable_data_ptr<double>()[2 * i + 1] = static_cast<double>(own[i].tokens);
  }
  const auto numbers = exchange_->all_gather(part);
  const auto on_device = numbers.to(parameters_.front().device());
  std::int64_t first = 0;  // of the process
  for (auto& nodes : all) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto index = first + 2 * static_cast<std::int64_t>(i);
      nodes[i].nll = on_device[index];
      const double tokens = numbers.const_data_ptr<double>()[index + 1];
      expect_sent(tokens >= 0 && tokens < kMaxTokens);
      nodes[i].tokens = static_cast<std::int64_t>(tokens);
    }
    first += part.numel();
  }
}

// Sends the statistics of the nodes one after the other, because only their order matters.
void GradientExchange::exchange_statistics(const std::vector<ShardSums>& own,
                                           std::vector<std::vector<ShardSums>>& all) const {
  BatchStatistics statistics;
  for (const auto& node : own) statistics.append(node.statistics);
  const auto texts = exchange_->all_gather_texts(bytes_of(statistics, running_));
  for (std::size_t p = 0; p < all.size(); ++p) {
    const auto first = std::ranges::find_if(all[p], [](const ShardSums& node) { return node.tokens > 0; });
    if (first != all[p].end()) first->statistics = statistics_of(texts[p], running_);
  }
}

}  // namespace gloss
