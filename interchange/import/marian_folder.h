#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "interchange/formats/marian_options.h"
#include "interchange/import/import_model.h"
#include "interchange/model_family.h"
#include "interchange/refusals.h"
#include "model/model_config.h"
#include "translation/models/lexical_shortlist.h"
#include "translation/models/translator_config.h"

namespace gloss {

/// The vocabulary of a language.
struct MarianVocabulary {
  std::filesystem::path table;          ///< numbers the pieces: vocab.yml, or the SentencePiece model itself
  std::filesystem::path sentencepiece;  ///< cuts lines
  bool operator==(const MarianVocabulary&) const = default;
};

/// The files of a Marian model.
struct MarianFiles {
  std::filesystem::path model;                      ///< .npz or .bin; empty if it is not found
  std::optional<std::filesystem::path> decoder;     ///< decoder.yml: names of files, defaults of the search
  std::vector<MarianVocabulary> vocabularies;       ///< of source and target; none if refused
  std::optional<std::filesystem::path> lexical;     ///< lexical table for a shortlist: lex.s2t.bin, lex.s2t
  ShortlistSizes shortlist;                         ///< of a table in text form
  std::optional<std::filesystem::path> preprocess;  ///< preprocess.sh of an OPUS-MT package
  bool is_package = false;                          ///< an OPUS-MT package: decoder.yml, source.spm and target.spm
};

/// Returns whether a file name is that of a lexical table in text form (lex.s2t, lex.s2t.gz).
bool is_lexical_text(const std::filesystem::path& path);

/// Finds the files of a model. `settings.path` is a .npz or .bin file, or a folder with one of them; decoder.yml names
/// it if there are several. A .bin file, a SentencePiece model and a lexical table may be compressed (.gz). The
/// vocabularies are those of the settings, of decoder.yml (source, then target), or those beside the model; a
/// vocabulary that is no SentencePiece model is cut by the one beside it. Adds a refusal for each file that is missing
/// or ambiguous. Throws ModelError if decoder.yml is damaged; IoError.
MarianFiles find_marian_files(const ImportSettings& settings, Refusals& refusals);

/// Returns one file for both sides, or the source's and the target's by their names. Refuses a file that is named for
/// one side and has no counterpart, and others of which there are several; `kind` names them: "vocabularies".
std::vector<std::filesystem::path> sided_files(const std::vector<std::filesystem::path>& files, const std::string& kind,
                                               Refusals& refusals);

/// Compares the rules of a package's preprocess.sh with opus_normalized (tokenizer/opus_normalizer.h). Returns a
/// sentence about the difference; empty if there is none.
std::string preprocessing_difference(const std::string& script);

/// The network that the options within a Marian model describe.
struct MarianNetwork {
  ModelConfig model;
  bool is_transformer = false;  ///< type and sizes are such that the tensors can be compared with the network
  std::array<std::int64_t, 2> dim_vocabs{};  ///< rows of source and target; 0: not stated
  std::array<std::int64_t, 2> pieces{};      ///< those of dim_vocabs that are in use; an export of gloss fills them up
  /// Number from 0 of the layer whose weights each layer of the decoder uses; empty: each layer has its own.
  std::vector<std::int64_t> tied_layers;
  bool has_projection = true;  ///< the attentions have an output projection
  bool has_output_bias = true;
  std::string guided_attention;  ///< the head that was trained with alignments, as decoding.alignment_from; or empty
  Json options;                  ///< the keys that decide this, with their values as text
  std::vector<std::string> notes;
};

/// Returns the network, computed by the formulas of `formulas`. Adds to `refusals` everything that gloss does not
/// support, each reason with the key and the value; the network is then as near as possible.
MarianNetwork marian_network(const MarianOptions& options, ModelFamily formulas, Refusals& refusals);

/// Sets the search and the maximum length of sources from the options of a decoder.yml, as far as gloss has them. Adds
/// a note for each value out of range and one note with all other options.
void set_marian_search(const MarianOptions& options, TranslatorConfig& config, std::vector<std::string>& notes);

}  // namespace gloss
