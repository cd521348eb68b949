#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/candidates.h"
#include "decoding/hypothesis.h"

namespace gloss {

/// Beam search state for one sentence: the live hypotheses, the finished ones, and when to stop. Has no tensors. The
/// tokens of all hypotheses form a tree with pointers to the parents, which a step extends by one token a row.
class Beam {
 public:
  /// A live hypothesis.
  struct Row {
    Id last = kBos;  ///< its last token
    double log_probability = 0;
    double penalty = 0;                ///< lowers the rank and the score (phrase_placement.h)
    std::int64_t parent = 0;           ///< the row of the previous step that it continues
    std::int64_t token = -1;           ///< the place of `last` in the tree; -1: bos
    std::vector<float> coverage = {};  ///< [S]: attention of its tokens, summed; may be empty
  };

  /// `limit`: maximum number of tokens of a target, eos included. `config` must outlive the beam.
  Beam(const DecodingConfig& config, std::int64_t limit) : Beam(config, limit, config.beam_size) {}
  /// Creates a beam with up to `max_rows` live hypotheses instead of beam_size.
  Beam(const DecodingConfig& config, std::int64_t limit, std::int64_t max_rows)
      : config_(&config), limit_(limit), max_rows_(max_rows) {}

  /// Appends the next token. `candidates` are the best 2 * beam_size continuations, best first, or the result of
  /// share_rows (phrase_banks.h). The first beam_size of them may finish, by eos or by the limit; the first max_rows
  /// others stay live. If there are no candidates and no hypothesis is finished, the live hypotheses finish as they
  /// stand. With shrinking_beam only the first max_rows candidates count, and each that finishes lowers max_rows by
  /// one. `attention` [rows, S] of the step, without padding, is needed for the coverage penalty only.
  void advance(std::span<const Candidate> candidates, std::span<const float> attention = {});

  /// Returns whether the search may end. It ends if
  /// - no hypothesis is live; or
  /// - n_best are finished that no live one can beat, even if all its next tokens had probability 1 up to the limit; or
  /// - beam_size * patience are finished. If length_penalty is 0, the best of them must also be unbeatable: a live
  ///   hypothesis that leads has the greater sum already and is not given up for the count.
  bool done() const;

  const std::vector<Row>& rows() const { return rows_; }
  std::int64_t length() const { return length_; }                        ///< number of tokens of each row, without bos
  Ids ids(const Row& row) const;                                         ///< returns these tokens
  const std::vector<Hypothesis>& finished() const { return finished_; }  ///< best score first
  /// Returns the first tokens of the translation that will be the best, without eos, and their log-probabilities: those
  /// that the best finished hypothesis has in common with all live ones that can still beat it; all if the search may
  /// end.
  Hypothesis certain() const;
  /// Returns the n_best finished hypotheses, or all if there are fewer, best first; of equals the earlier one first.
  std::vector<Hypothesis> best() const;

 private:
  /// A token of the tree.
  struct Token {
    Id id;
    std::int64_t parent;  ///< place of the token before it; -1: bos
    double log_probability;
  };

  void add_attention(std::span<const float> attention);
  Row extended(const Candidate& candidate);
  bool are_better(std::int64_t count, const Row& row) const;
  Hypothesis so_far(const Row& row) const;
  void finish(const Row& row, bool ended);

  const DecodingConfig* config_;
  std::int64_t limit_, max_rows_;
  std::int64_t length_ = 0;
  std::vector<Row> rows_ = {Row{}};
  std::vector<Token> tokens_;         ///< the tree; parents precede
  std::vector<Hypothesis> finished_;  ///< best score first
};

}  // namespace gloss
