#include <algorithm>
#include <map>
#include <string_view>

#include "common/config/json.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "interchange/export/export_checks.h"
#include "model/storage/stored_weights.h"
#include "readme_templates.h"  // written by the build from templates/
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

/// Values of the names in a template; a flag is on if its value is not empty.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// Fills a template. {{name}} becomes its value. The text of {{#name}}...{{/name}} stays if the value is not empty,
/// that of {{^name}}...{{/name}} if it is. The line of such a mark is left out if it has nothing else.
std::string filled(std::string_view text, const TemplateValues& values) {
  std::string result;
  std::size_t at = 0;
  const auto end_of_mark = [&](std::size_t begin) {
    const auto end = text.find("}}", begin) + 2;
    const bool is_alone = (begin == 0 || text[begin - 1] == '\n') && text.substr(end).starts_with('\n');
    return is_alone ? end + 1 : end;
  };
  for (auto begin = text.find("{{"); begin != text.npos; begin = text.find("{{", at)) {
    result += text.substr(at, begin - at);
    const auto mark = text.substr(begin + 2, text.find("}}", begin) - begin - 2);
    const bool is_section = mark.find_first_of("#^/") == 0;
    const auto name = std::string(mark.substr(is_section ? 1 : 0));
    const auto& value = values.at(name);
    if (!is_section) result += value;
    at = is_section ? end_of_mark(begin) : begin + mark.size() + 4;
    if (mark.front() != '/' && is_section && value.empty() == (mark.front() == '#'))
      at = end_of_mark(text.find("{{/" + name + "}}", at));
  }
  return result.append(text.substr(at));
}

std::string literal(double value) { return formatted("%.9g", value); }
std::string literal(std::int64_t value) { return std::to_string(value); }
std::string flag(bool is_on) { return is_on ? "on" : ""; }

/// Returns a language tag as a literal of Python, which is that of JSON; empty: no tag.
std::string tag_literal(const Tokenizer& tagged) {
  return tagged.tag() ? to_text(Json(tagged.piece(*tagged.tag()))) : "";
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

/// Returns the values that depend on the model's settings and the names of files.
TemplateValues readme_values(const TranslationModel& model, WeightPrecision precision) {
  const auto& config = model.config.decoding;
  const auto tokenizers = named_tokenizers(model);
  const auto& [from, to] = model.config.languages;
  const auto if_needed = [](bool needed, auto value) { return needed ? literal(value) : ""; };
  const bool beam = config.beam_size > 1, covers = beam && config.coverage_penalty != 0;
  const bool gnmt = beam && config.length_penalty_kind == LengthPenaltyKind::kGnmt && config.length_penalty != 0;
  return {
      {"version", std::string(kVersion)},
      {"precision", std::string(weight_precision_name(precision))},
      {"float32", flag(precision == WeightPrecision::kFloat32)},
      {"converted", flag(precision != model.file.precision && precision != WeightPrecision::kFloat32)},
      {"languages", from.empty() || to.empty() ? "" : "`" + printable(from) + "` to `" + printable(to) + "`"},
      {"source", tokenizers.front().first},
      {"target", tokenizers.back().first},
      {"joint", flag(tokenizers.size() == 1)},
      {"max_pieces", literal(model.config.max_source_length() - 1)},
      {"max_length", literal(model.config.max_target_length())},
      {"max_tokens", literal(config.max_length)},
      {"min_length", literal(config.min_length)},
      {"has_min_length", flag(config.min_length != 0)},
      {"max_length_factor", flag(config.max_length_factor > 0)},
      {"beam_size", literal(config.beam_size)},
      {"batch_size", literal(covers ? 1 : config.batch_size)},  // CTranslate2 also counts the coverage of padding
      {"length_penalty", if_needed(beam, gnmt ? 1.0 : config.length_penalty)},
      {"gnmt", if_needed(gnmt, config.length_penalty)},
      {"hypotheses", literal(std::min(config.beam_size, config.enough_finished()))},
      {"patience", if_needed(beam && config.patience != 1, config.patience)},
      {"coverage_penalty", if_needed(covers, config.coverage_penalty)},
      {"no_repeat_ngram", if_needed(config.no_repeat_ngram != 0, config.no_repeat_ngram)},
      {"repetition_penalty", if_needed(config.repetition_penalty != 1, config.repetition_penalty)},
      {"no_unk", flag(config.no_unk)},
      {"excludes_tokens", flag(config.min_length > 0 || config.no_repeat_ngram > 0 || config.no_unk)},
      {"shrinking_beam", flag(beam && config.shrinking_beam)},
      {"fixed_beam", flag(beam && !config.shrinking_beam)},
      {"sampling", flag(config.sampling.enabled)},
  };
}

}  // namespace

std::string ctranslate2_readme(const TranslationModel& model, WeightPrecision precision) {
  auto values = readme_values(model, precision);
  const auto [source, target] = model.tagged_tokenizers();
  values["source_tag"] = tag_literal(*source);
  values["target_tag"] = tag_literal(*target);
  return filled(kCtranslate2Readme, values);
}

std::string huggingface_readme(const TranslationModel& model, WeightPrecision precision,
                               const std::string& model_class) {
  auto values = readme_values(model, precision);
  const bool joint = !values["joint"].empty();
  const auto table = read_piece_table(model.source_tokenizer->serialized());
  values["class"] = model_class;
  values["tokenizer_class"] = joint ? "PreTrainedTokenizerFast" : "MarianTokenizer";
  values["unigram"] = flag(joint && table.segmentation == PieceTable::Segmentation::kUnigram);
  return filled(kHuggingfaceReadme, values);
}

std::string marian_readme(const TranslationModel& model, WeightPrecision precision) {
  auto values = readme_values(model, precision);
  const auto source = model.tagged_tokenizers().first;
  const auto is_mapped = [](const auto& named) { return as_mapped(*named.second) != nullptr; };
  values["cuts"] = flag(std::ranges::none_of(named_tokenizers(model), is_mapped));
  values["tag_command"] = source->tag() ? shell_quoted(sed_insertion(source->piece(*source->tag()) + ' ')) : "";
  values["length_factor"] = literal(marian_length_factor(model.config.decoding));
  values["norms_query"] = flag(!model.config.model.norms_keys());
  return filled(kMarianReadme, values);
}

}  // namespace gloss
