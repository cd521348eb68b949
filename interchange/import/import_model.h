#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "interchange/model_family.h"
#include "interchange/refusals.h"
#include "model/storage/weight_precision.h"

namespace gloss {

/// A model of another program to be imported.
struct ImportSettings {
  std::filesystem::path path = {};       ///< a .npz or .bin file of Marian, or a folder
  std::optional<ModelFamily> from = {};  ///< default: found out from the files
  /// The formulas of the network. Default: those of the program that trained the model.
  std::optional<ModelFamily> formulas = {};
  /// Vocabularies and SentencePiece models of Marian. Of each kind there is one for both languages, or the source's and
  /// then the target's. Default: the files that decoder.yml names, or those beside the model.
  std::vector<std::filesystem::path> vocabularies = {};
  /// Languages that are stored in the model file. With language tags: the default tags.
  std::optional<std::string> source_language = {}, target_language = {};
  bool allow_other_tokenizer = false;  ///< import a tokenizer of which many pieces are not in the vocabulary
};

/// A weight of gloss and the tensor from which it is made.
struct FoundTensor {
  std::string weight;               ///< gloss's name
  std::string tensor;               ///< the other program's name; empty: no tensor, its formulas give the values
  std::string type;                 ///< "float32", "int8"
  std::vector<std::int64_t> shape;  ///< of the tensor
};

/// A tokenizer of the imported model.
struct FoundTokenizer {
  std::string name;           ///< of the tensor in the model file
  std::string sentencepiece;  ///< file that cuts
  std::string vocabulary;     ///< file that numbers the pieces
  std::int64_t pieces = 0;
  std::int64_t unknown_pieces = 0;          ///< pieces of the file that cuts which the vocabulary lacks
  std::string normalizer = {};              ///< "opus-mt", or empty
  std::vector<std::string> languages = {};  ///< with a tag
};

/// Description of a model of another program and of the imported model.
struct ImportReport {
  std::string format;              ///< "Marian npz", "Hugging Face m2m_100"
  std::vector<std::string> files;  ///< all that were read, printable
  ModelFamily formulas = ModelFamily::kMarian;
  Json model = Json::object();     ///< the section `model` of the run file
  Json decoding = Json::object();  ///< search defaults that differ from gloss's
  std::vector<FoundTokenizer> tokenizers;
  std::vector<FoundTensor> found;
  std::vector<std::string> missing, unknown, ignored;     ///< names of the other program
  WeightPrecision precision = WeightPrecision::kFloat32;  ///< of the matrices unless another one is asked for
  std::vector<std::string> notes;                         ///< differences that users may see
  Refusals refusals;

  bool importable() const { return refusals.empty(); }
};

inline constexpr std::size_t kMaxShown = 20;  ///< items of a list in a note
/// Returns "a, b, c", or the first kMaxShown "and 7 others".
std::string shown_list(const std::vector<std::string>& texts);

Json to_json(const ImportReport& report);
/// Returns the report for people, one fact a line.
std::string to_lines(const ImportReport& report);

/// Compares a model of another program with the features that gloss supports, without writing files. The report has
/// each reason why it cannot be imported. Throws ModelError if a file is damaged, UsageError if the path is no such
/// model; IoError.
ImportReport check_import(const ImportSettings& settings);

/// Writes a model of another program as a model file of gloss with matrices in `precision`; by default that of the
/// report. Matrices that are int8 there stay as they are if `precision` is int8. Throws ModelError with all reasons of
/// check_import, and as check_import; UsageError if `output` is one of the model's files.
ImportReport import_model(const ImportSettings& settings, std::optional<WeightPrecision> precision,
                          const std::filesystem::path& output);

}  // namespace gloss
