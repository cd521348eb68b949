#include "interchange/export/export_readme.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/config/json.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "interchange/export/export_marian.h"
#include "interchange/export/exported_tokenizers.h"
#include "model/storage/stored_weights.h"
#include "tokenizer/piece_table.h"

namespace gloss {
namespace {

std::string literal(double value) { return formatted("%.9g", value); }
std::string literal(std::int64_t value) { return std::to_string(value); }

/// Returns whether the GNMT penalty has an effect: it needs beam search and a penalty other than 0.
bool uses_gnmt(const DecodingConfig& config) {
  return config.length_penalty_kind == LengthPenaltyKind::kGnmt && config.length_penalty != 0 && config.beam_size > 1;
}

std::string readme_beginning(const TranslationModel& model, const std::string& program, WeightPrecision precision) {
  const auto& languages = model.config.languages;
  std::string text = "# A translator for " + program + "\n\ngloss " + std::string(kVersion) +
                     " wrote this folder from a model file of its own. The matrices are stored in\n" +
                     std::string(weight_precision_name(precision)) + ".";
  if (!languages.source.empty() && !languages.target.empty())
    text += " It translates from `" + printable(languages.source) + "` to `" + printable(languages.target) + "`.";
  return text + "\n\n";
}

/// Returns the command of gloss that has the same output as the program. `options` set what the other program cannot
/// do otherwise.
std::string equal_command(const TranslationModel& model, WeightPrecision precision, const std::string& options) {
  std::string command = "gloss translate --model MODEL --precision float32" + options;
  if (model.config.decoding.sampling.enabled) command += " --no-sample";
  std::string text = "This program prints what `" + command + "` prints";
  if (precision != model.file.precision && precision != WeightPrecision::kFloat32)
    text += ", where `MODEL`\nis the output of `gloss convert --precision " +
            std::string(weight_precision_name(precision)) + '`';
  return text + ":\n\n";
}

std::string code_block(const std::string& kind, const std::string& text) {
  return "```" + kind + '\n' + text + "```\n\n";
}

/// Language tags that the program adds, as literals of Python, which are those of JSON; empty: no tag.
struct TagLiterals {
  std::string source, target;
};

std::string tag_literal(const Tokenizer& tagged) {
  return tagged.tag() ? to_text(Json(tagged.piece(*tagged.tag()))) : "";
}

/// Returns the tags of the default languages. A model that needs tags and has no default languages is refused earlier.
TagLiterals tag_literals(const TranslationModel& model) {
  const auto [source, target] = model.tagged_tokenizers();
  return {tag_literal(*source), tag_literal(*target)};
}

/// Returns a list of differences; empty if there are no items.
std::string differences(const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = "Answers can differ from gloss's in these points:\n\n";
  for (const auto& item : items) text += "- " + item + '\n';
  return text;
}

constexpr const char* kRounding =
    "Sums are rounded in another order. Two translations with nearly equal scores can change places.";

/// Lines of Python that read the standard input as gloss does. A carriage return within a line does not end it, and
/// U+2581, which SentencePiece reads as a space, becomes a low line.
constexpr const char* kPythonLines =
    "sys.stdin.reconfigure(encoding=\"utf-8\", errors=\"replace\", newline=\"\\n\")\n"
    "sys.stdout.reconfigure(encoding=\"utf-8\")\n"
    "lines = [line.rstrip(\"\\r\\n\").replace(\"\\u2581\", \"_\") for line in sys.stdin]\n";

std::string joined_by(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

/// Returns the arguments of CTranslate2's translate_batch.
std::vector<std::string> ctranslate2_arguments(const TranslatorConfig& model) {
  const auto& config = model.decoding;
  const bool beam = config.beam_size > 1, covers = beam && config.coverage_penalty != 0;
  const auto batch_size = covers ? 1 : config.batch_size;  // CTranslate2 also counts the coverage of padding
  std::vector<std::string> arguments = {"beam_size=" + literal(config.beam_size),
                                        "max_decoding_length=" + literal(model.max_target_length()),
                                        "min_decoding_length=" + literal(config.min_length), "max_input_length=0",
                                        "max_batch_size=" + literal(batch_size)};
  const auto add = [&](bool needed, const std::string& argument) {
    if (needed) arguments.push_back(argument);
  };
  add(beam, "length_penalty=" + literal(uses_gnmt(config) ? 1.0 : config.length_penalty));
  add(beam && config.patience != 1, "patience=" + literal(config.patience));
  add(covers, "coverage_penalty=" + literal(config.coverage_penalty));
  add(config.no_repeat_ngram != 0, "no_repeat_ngram_size=" + literal(config.no_repeat_ngram));
  add(config.repetition_penalty != 1, "repetition_penalty=" + literal(config.repetition_penalty));
  add(config.no_unk, "disable_unk=True");
  add(uses_gnmt(config), "num_hypotheses=" + literal(std::min(config.beam_size, config.enough_finished())));
  add(uses_gnmt(config), "return_scores=True");
  return arguments;
}

/// Returns the function that scores a hypothesis of a result with the GNMT penalty; empty if the plain penalty is used.
std::string ctranslate2_choice(const TranslatorConfig& model) {
  if (!uses_gnmt(model.decoding)) return "";
  return "def gnmt(result, i):\n"
         "    length = min(len(result.hypotheses[i]) + 1, " +
         literal(model.max_target_length()) +
         ")\n"
         "    return result.scores[i] * length / ((5 + length) / 6) ** " +
         literal(model.decoding.length_penalty) + "\n\n";
}

/// Returns a command of sed that puts a text of one line before each line that is not empty.
std::string sed_insertion(const std::string& text) {
  std::string command = "/./s|^|";
  for (const char character : text) {
    if (character == '\\' || character == '&' || character == '|') command += '\\';
    command += character;
  }
  return command + '|';
}

/// Returns the options of gloss translate that turn off features that only Marian has.
std::string options_without_marian(const DecodingConfig& config) {
  std::string options;
  if (config.beam_size > 1 && config.shrinking_beam) options += " --no-shrinking-beam";
  if (config.max_length_factor > 0) options += " --max-length-factor 0";
  return options;
}

/// Returns the options of gloss translate that turn off features that transformers and Marian do not have.
std::string common_search_options(const DecodingConfig& config) {
  std::string options;
  if (uses_gnmt(config)) options += " --length-penalty-kind power";
  if (config.beam_size > 1 && config.patience != 1) options += " --patience 1";
  if (config.beam_size > 1 && config.coverage_penalty != 0) options += " --coverage-penalty 0";
  return options;
}

}  // namespace

std::string ctranslate2_readme(const TranslationModel& model, WeightPrecision precision) {
  const auto& config = model.config.decoding;
  const auto tokenizers = named_tokenizers(model);
  const auto tags = tag_literals(model);
  const auto processor = [](const std::string& file) {
    return "sentencepiece.SentencePieceProcessor(model_file=\"" + file + "\")\n";
  };
  auto arguments = ctranslate2_arguments(model.config);
  if (!tags.target.empty()) arguments.push_back("target_prefix=[[" + tags.target + "]] * len(lines)");
  const std::string best = uses_gnmt(config)
                               ? "result.hypotheses[max(range(len(result.hypotheses)), key=lambda i: gnmt(result, i))]"
                               : "result.hypotheses[0]";

  std::string program = "import sys\nimport ctranslate2\nimport sentencepiece\n\n";
  program += "source = " + processor(tokenizers.front().first);
  program += "target = " + (tokenizers.size() == 1 ? "source\n" : processor(tokenizers.back().first));
  program += "translator = ctranslate2.Translator(\".\", compute_type=\"float32\")\n\n";
  program += ctranslate2_choice(model.config) + kPythonLines;
  program += "pieces = [source.id_to_piece(source.encode(line)) for line in lines]\n";
  if (!tags.source.empty()) program += "pieces = [[" + tags.source + "] + line if line else [] for line in pieces]\n";
  program += "results = translator.translate_batch(\n    [line[:" + literal(model.config.max_source_length() - 1) +
             "] for line in pieces],\n    " + joined_by(arguments, ",\n    ") + ",\n)\n";
  program += "for result in results:\n    print(target.decode(" + best + (tags.target.empty() ? "" : "[1:]") + "))\n";

  std::vector<std::string> notes = {kRounding};
  if (precision != WeightPrecision::kFloat32)
    notes.push_back("Without `compute_type` CTranslate2 also multiplies in " +
                    std::string(weight_precision_name(precision)) +
                    ", which is faster, and rounds\n  otherwise than gloss does.");
  if (!tags.target.empty()) notes.emplace_back("A language tag within a translation is printed. gloss leaves it out.");
  if (config.min_length > 0 || config.no_repeat_ngram > 0 || config.no_unk)
    notes.emplace_back(
        "CTranslate2 computes probabilities after it has removed the tokens that are not allowed. gloss's\n"
        "  scores use the model's own probabilities.");
  return readme_beginning(model, "CTranslate2", precision) + "    pip install ctranslate2 sentencepiece\n\n" +
         equal_command(model, precision, options_without_marian(config)) + code_block("python", program) +
         differences(notes);
}

std::string huggingface_readme(const TranslationModel& model, WeightPrecision precision,
                               const std::string& model_class) {
  const auto& config = model.config.decoding;
  const bool joint = model.source_tokenizer == model.target_tokenizer;
  const std::string tokenizer_class = joint ? "PreTrainedTokenizerFast" : "MarianTokenizer";
  const std::string program =
      "import sys\n"
      "from transformers import " +
      model_class + ", " + tokenizer_class + "\n\ntokenizer = " + tokenizer_class +
      ".from_pretrained(\".\")\nmodel = " + model_class + ".from_pretrained(\".\").eval()\n\n" + kPythonLines +
      "for line in lines:\n"
      "    batch = tokenizer(line, return_tensors=\"pt\", truncation=True)\n"
      "    if batch[\"input_ids\"].shape[1] > 1:\n"
      "        ids = model.generate(**batch)[0]\n"
      "        print(tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))\n"
      "    else:\n"
      "        print()\n";
  std::vector<std::string> notes = {kRounding,
                                    "An unknown piece is left out of the output. gloss prints it as `\u2047`."};
  if (joint)
    notes.emplace_back("Long sequences of combining characters, as of Korean letters, are normalized less completely.");
  else
    notes.emplace_back("Text between `>>` and `<<` at the beginning of a line is read as a language tag.");
  notes.emplace_back(
      "transformers can report `embed_positions.weight` as `MISSING`. It computes these sinusoids itself.");
  const auto table = read_piece_table(model.source_tokenizer->serialized());
  if (joint && table.segmentation == PieceTable::Segmentation::kUnigram)
    notes.emplace_back(
        "Text that spells a special piece, as `</s>`, or the piece of a byte, as `<0x41>`, is this piece. In gloss\n  "
        "it is plain text.");
  if (config.repetition_penalty != 1)
    notes.emplace_back("The repetition penalty changes log-probabilities. In gloss it changes logits.");
  return readme_beginning(model, "Hugging Face's transformers", precision) +
         "The search options are in `generation_config.json`. The class is `" + model_class +
         "`.\n\n    pip install transformers torch" + (joint ? "" : " sentencepiece") + "\n\n" +
         equal_command(model, precision, common_search_options(config) + options_without_marian(config)) +
         code_block("python", program) + differences(notes);
}

std::string marian_readme(const TranslationModel& model) {
  const auto tokenizers = named_tokenizers(model);
  const auto source = model.tagged_tokenizers().first;
  const auto& config = model.config.decoding;
  std::string program = "sed 's/\u2581/_/g' |\n";  // SentencePiece would read it as a space
  const bool cuts = std::ranges::none_of(tokenizers, [](const auto& named) { return as_mapped(*named.second); });
  if (!cuts) program += "  spm_encode --model=" + tokenizers.front().first + " --output_format=piece |\n";
  if (source->tag()) program += "  sed " + shell_quoted(sed_insertion(source->piece(*source->tag()) + ' ')) + " |\n";
  program += "  marian-decoder --config decoder.yml --quiet" + std::string(cuts ? "\n" : " |\n");
  if (!cuts) program += "  spm_decode --model=" + tokenizers.back().first + " --input_format=piece\n";
  const auto factor = literal(marian_length_factor(config));
  std::vector<std::string> notes = {
      kRounding,
      "Marian has no pieces for padding and for the beginning of a sentence. Their probabilities, which are small,\n"
      "  are divided among the others.",
      "Marian limits translations to " + factor + " times the longest source of a batch; gloss to " +
          literal(config.max_length) + " tokens" +
          (config.max_length_factor > 0 ? ",\n  and to " + factor + " times their own source." : ".")};
  if (!model.config.model.norms_keys())
    notes.emplace_back(
        "Marian computes this pre-norm network up to version 1.10; so does its fork for browsers. From version 1.11\n"
        "  on, Marian norms keys and values of self-attention, too, which changes translations.");
  auto options = common_search_options(config);
  if (config.beam_size > 1 && !config.shrinking_beam) options += " --shrinking-beam";
  if (config.no_repeat_ngram != 0) options += " --no-repeat-ngram 0";
  if (config.repetition_penalty != 1) options += " --repetition-penalty 1";
  if (config.min_length != 0) options += " --min-length 0";
  return readme_beginning(model, "Marian", WeightPrecision::kFloat32) +
         "The search options are in `decoder.yml`. `marian-conv` makes a smaller model, as for browsers" +
         (cuts ? ", which\nalso read the vocabulary in `.spm`" : "") +
         ":\n\n    marian-conv --from model.npz --to model.bin --gemm-type intgemm8\n\n" +
         equal_command(model, WeightPrecision::kFloat32, options) + code_block("sh", program) + differences(notes);
}

}  // namespace gloss
