#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/candidates.h"
#include "decoding/hypothesis.h"

namespace gloss {

/// Beam search's book of one sentence: the live hypotheses, the finished ones, and when to stop. Knows no tensors.
class Beam {
 public:
  /// A live hypothesis.
  struct Row {
    Ids ids;  ///< without bos
    double log_probability = 0;
    double penalty = 0;           ///< lowers its rank and its score (phrase_placement.h)
    std::int64_t parent = 0;      ///< the row of the step before that it continues
    std::vector<float> coverage;  ///< [S]: the attention of its tokens, summed; empty where it does not count
  };

  /// `limit`: tokens of a target at most, eos included. `config` must outlive the beam.
  Beam(const DecodingConfig& config, std::int64_t limit) : Beam(config, limit, config.beam_size) {}
  /// The same of which `most_rows` may live, not beam_size.
  Beam(const DecodingConfig& config, std::int64_t limit, std::int64_t most_rows)
      : config_(&config), limit_(limit), most_rows_(most_rows) {}

  /// The next token: takes the continuations that count, best first: the best 2 * beam_size, or what share_rows
  /// (phrase_banks.h) chooses. Of these the first beam_size may finish, by eos or by the limit; the first most_rows
  /// others live on. Where nothing may follow and nothing is finished, the
  /// live ones end as they stand. `attention` [rows, S] of the step, where coverage counts: to the source's positions
  /// without padding.
  void advance(std::span<const Candidate> candidates, std::span<const float> attention = {});

  /// The first of these that holds ends the search:
  /// - no hypothesis is live;
  /// - n_best are finished that no live one can still beat, were it certain of all that follows it and as long as the
  ///   limit;
  /// - beam_size * patience are finished. Where length_penalty is 0 this waits until the best of them cannot be beaten:
  ///   a live one that leads has the greater sum already and is not given up for the count.
  bool done() const;

  const std::vector<Row>& rows() const { return rows_; }
  /// The n_best finished hypotheses, best first, the one finished earlier first among equals. Fewer where fewer exist.
  std::vector<Hypothesis> best() const;

 private:
  void add_attention(std::span<const float> attention);
  void finish(Row row, bool ended);

  const DecodingConfig* config_;
  std::int64_t limit_, most_rows_;
  std::int64_t length_ = 0;
  std::vector<Row> rows_ = {Row{}};
  std::vector<Hypothesis> finished_;  ///< best score first
};

}  // namespace gloss
