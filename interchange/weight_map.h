#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "interchange/model_family.h"
#include "model/model_config.h"

namespace gloss {

/// A tensor of another program that holds a weight of gloss.
struct ForeignName {
  std::string name;
  bool transposed = false;  ///< a matrix that is stored as [in, out]; gloss has [out, in]
  /// The tensor has the rows of `parts` weights of equal shape, one below the other; this weight is number `part`.
  std::int64_t part = 0, parts = 1;
  bool operator==(const ForeignName&) const = default;
};

/// Returns the names under which a family stores a weight of network_weights (model/weights.h). The first one is the
/// usual name, which export writes; import also accepts the others, which older versions of the program wrote. Empty:
/// the family has no such weight. Both learned positions, of source and target, are one tensor in Marian.
std::vector<ForeignName> foreign_names(ModelFamily family, const std::string& weight, const ModelConfig& config);

/// Returns the axes of a weight that are channels of the residual stream. Examples are the columns of an embedding and
/// the rows of an attention's output; the inner axes of attention and feed-forward are not among them.
std::vector<std::int64_t> residual_axes(std::string_view weight);
/// Returns the axis of a weight that has one entry for each piece: 0 of the embeddings and of the generator.
std::optional<std::int64_t> piece_axis(std::string_view weight);

/// Beginning of the names of tensors with the rows of pad and bos, [2] or [2, D], in a file for Marian, which has
/// neither piece. gloss's name of the weight follows. Marian skips tensors of names that begin with "special:".
inline constexpr std::string_view kMissingRows = "special:gloss.";

/// The foreign ids of gloss's pieces: rows[id] is a row of the other program's embedding, or kNoRow.
struct PieceRows {
  static constexpr std::int64_t kNoRow = -1;
  /// Bias of a piece that the other program does not have: its probability is practically 0, but its logit is finite.
  static constexpr float kNoRowBias = -100;

  /// Foreign rows by gloss's id. Import may use a row twice, such as that of eos also for bos; export uses it once.
  std::vector<std::int64_t> rows;
  std::int64_t foreign_size = 0;  ///< number of rows of the other program

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  bool operator==(const PieceRows&) const = default;
};

/// Ids of the special pieces in another program; kNoRow for a piece that it does not have.
struct SpecialRows {
  std::int64_t pad = PieceRows::kNoRow, unk = PieceRows::kNoRow, bos = PieceRows::kNoRow, eos = PieceRows::kNoRow;
};
/// Special pieces of Marian's own vocabularies: no pad and no bos. Its decoder starts with a vector of zeros.
inline constexpr SpecialRows kMarianSpecials{.unk = 1, .eos = 0};
/// Returns the ids with the special pieces at gloss's places and all other pieces after them, in the other program's
/// order.
PieceRows piece_rows(std::int64_t foreign_size, const SpecialRows& specials);

/// Some rows of a weight.
struct RowRange {
  std::int64_t first = 0, count = 0;
};

/// Converts weights between gloss and a family, in both directions. The two are inverse to each other, bit by bit, for
/// every row that both programs have.
///
///     const WeightMap map(ModelFamily::kMarian, config, rows, rows);
///     const auto foreign = map.names("generator.bias").front();    // decoder_ff_logit_out_b
///     const auto bias = map.to_gloss("generator.bias", foreign, tensor);
class WeightMap {
 public:
  /// `reorders_channels`: the other program has all sines of its positions before all cosines.
  WeightMap(ModelFamily family, ModelConfig config, PieceRows source, PieceRows target, bool reorders_channels);
  WeightMap(ModelFamily family, const ModelConfig& config, PieceRows source, PieceRows target)
      : WeightMap(family, config, std::move(source), std::move(target), config.positions == Positions::kSinusoidal) {}

  const ModelConfig& config() const { return config_; }
  std::vector<ForeignName> names(const std::string& weight) const { return foreign_names(family_, weight, config_); }
  /// Returns the numbers of gloss's pieces.
  Vocabularies vocabularies() const { return {source_.size(), target_.size()}; }
  /// Returns the shape of the foreign tensor, given that of the weight in gloss. Vectors are [1, n] in Marian; so is
  /// the output bias of Hugging Face's classes.
  std::vector<std::int64_t> foreign_shape(const std::string& weight, const ForeignName& foreign,
                                          std::vector<std::int64_t> shape) const;

  /// Returns the weight in gloss's layout, contiguous and of the same element type. A foreign vector may be [n] or [1,
  /// n]. Pieces without a row get zeros, and kNoRowBias in the bias. Throws ShapeError if the shape is not
  /// foreign_shape. Of a weight with a row for each piece, `range` selects the rows of the result.
  at::Tensor to_gloss(const std::string& weight, const ForeignName& foreign, const at::Tensor& values,
                      std::optional<RowRange> range = {}) const;
  /// Returns the foreign tensor, contiguous and of the same element type. Foreign rows without a piece get zeros,
  /// and kNoRowBias in the bias.
  at::Tensor to_foreign(const std::string& weight, const ForeignName& foreign, const at::Tensor& values) const;

 private:
  const PieceRows& rows_of(const std::string& weight) const;

  ModelFamily family_;
  ModelConfig config_;
  PieceRows source_, target_;
  bool reorders_channels_;
};

/// Return `values` with the channels of `axis`, whose size is even, in gloss's order, and in the other order. gloss's
/// sinusoids alternate sine and cosine; the other programs have all sines before all cosines.
at::Tensor alternate_channels(const at::Tensor& values, std::int64_t axis);
at::Tensor separate_channels(const at::Tensor& values, std::int64_t axis);

}  // namespace gloss
