#include "model/inference/inference_encoder.h"

#include <algorithm>
#include <numeric>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include "kernels/kernel_table.h"
#include "model/inference/inference_rows.h"

namespace gloss {
namespace {

constexpr std::int64_t kTokensOfAGroup = 512;  // tokens of a group: enough for efficient products, few enough for the
                                               // cache
constexpr std::int64_t kQueriesAtATime = 256;  // queries of a long sentence at a time, so that a head's weights stay
                                               // small

/// A group of sentences that one thread encodes together.
struct Group {
  std::vector<std::int64_t> sentences;
  std::int64_t tokens = 0;
};

std::vector<Group> grouped(const std::vector<std::int64_t>& lengths) {
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto threads = static_cast<std::int64_t>(at::get_num_threads());
  const auto enough = std::min(kTokensOfAGroup, (total + threads - 1) / threads);
  std::vector<Group> groups;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    if (groups.empty() || groups.back().tokens + lengths[b] > enough) groups.emplace_back();
    groups.back().sentences.push_back(static_cast<std::int64_t>(b));
    groups.back().tokens += lengths[b];
  }
  return groups;
}

/// Attention of one sentence: from concatenated queries, keys and values [S, 3D] to the heads' contexts [S, D].
void attend_within(const ModelConfig& config, const float* projected, std::int64_t S, float* context,
                   std::vector<float>& scratch) {
  const auto D = config.d_model, H = config.heads, d_k = D / H;
  const auto max_queries = std::min(S, kQueriesAtATime);
  scratch.resize(static_cast<std::size_t>(kernels::attention_scratch(max_queries, S, d_k) + max_queries));
  float* const normalizers = scratch.data();
  for (std::int64_t h = 0; h < H; ++h) {
    const float* const query = projected + h * d_k;
    for (std::int64_t first = 0; first < S; first += kQueriesAtATime) {
      const kernels::AttentionHead head{std::min(S - first, kQueriesAtATime), S, d_k, S, false, nullptr, 0};
      kernels::kernel_table().attention(head, {query + first * 3 * D, 3 * D}, {query + D, 3 * D},
                                        {query + 2 * D, 3 * D}, {context + first * D + h * d_k, D}, normalizers,
                                        normalizers + max_queries);
    }
  }
}

}  // namespace

at::Tensor inference_memory(const InferenceWeights& weights, const ModelConfig& config, const PaddedIds& source,
                            const at::Tensor& positions) {
  const auto D = config.d_model, S = source.ids.size(1);
  const auto& lengths = source.lengths;
  std::vector<std::int64_t> begins(lengths.size() + 1, 0);  // first token of each sentence
  std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
  const auto entry = weights.memory.out();
  auto memory = at::empty({begins.back(), entry}, at::kFloat);  // [tokens, layers * 2D]
  auto* const out = memory.mutable_data_ptr<float>();
  const auto ids = source.ids.contiguous();
  const auto* const id = ids.const_data_ptr<std::int64_t>();
  const auto* const position = positions.const_data_ptr<float>();

  const auto groups = grouped(lengths);
  const auto read = [&](const Group& group) {
    const auto buffer = at::empty({group.tokens * InferenceRows::width(config)}, at::kFloat);
    const InferenceRows rows(config, group.tokens, buffer.mutable_data_ptr<float>());
    std::int64_t row = 0;
    for (const auto b : group.sentences) {
      for (std::int64_t s = 0; s < lengths[b]; ++s)
        rows.embed(row++, id[b * S + s], weights.source_embedding, position + s * D);
    }
    rows.normalize(weights.source_embedding_norm);
    std::vector<float> scratch;
    for (const auto& layer : weights.encoder) {
      const auto& attention = layer.self_attention;
      rows.attention(attention.norm, attention.output, [&](kernels::Rows input) {
        const auto wide = rows.wide(3 * D);
        attention.query.apply(input, rows.rows(), wide);
        attention.keys_and_values.apply(rows.attended(input), rows.rows(), {wide.data + D, wide.stride});
        std::int64_t first = 0;
        for (const auto b : group.sentences) {
          if (lengths[b] > 0)
            attend_within(config, wide.data + first * 3 * D, lengths[b], rows.context(first), scratch);
          first += lengths[b];
        }
      });
      rows.feed_forward(layer.feed_forward);
    }
    rows.normalize(weights.encoder_norm);
    const auto begin = begins[static_cast<std::size_t>(group.sentences.front())];
    weights.memory.apply({rows.x(0), D}, rows.rows(), {out + begin * entry, entry});
  };
  // A single group leaves the threads to its products.
  if (groups.size() == 1) {
    read(groups.front());
  } else {
    at::parallel_for(0, std::ssize(groups), 1, [&](std::int64_t first, std::int64_t last) {
      for (auto g = first; g < last; ++g) read(groups[static_cast<std::size_t>(g)]);
    });
  }
  return memory;
}

}  // namespace gloss
