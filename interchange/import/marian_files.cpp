#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "interchange/formats/marian_options.h"
#include "interchange/formats/model_files.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/marian_folder.h"
#include "tokenizer/opus_normalizer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

std::string ending_of(const fs::path& path) { return unpacked_path(path).extension().string(); }

bool is_sentencepiece(const fs::path& path) { return ending_of(path) == ".spm" || ending_of(path) == ".model"; }

bool has_any(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return name.find(word) != name.npos; });
}

/// Returns the files of a folder, by name, without compressed ones that are also there decompressed.
Paths files_of(const fs::path& folder) {
  auto files = regular_files(folder);
  std::erase_if(files, [all = files](const fs::path& file) {
    return unpacked_path(file) != file && std::ranges::binary_search(all, unpacked_path(file));
  });
  return files;
}

std::string names_of(const Paths& files) {
  std::string names;
  for (const auto& file : files) names += (names.empty() ? "" : ", ") + printable(file.filename().string());
  return names;
}

bool is_lexical(const fs::path& path) {
  return is_lexical_text(path) ||
         (ending_of(path) == ".bin" && has_any(path.filename().string(), {"lex.", "shortlist"}));
}

bool is_model(const fs::path& path) {
  const auto name = path.filename().string();
  return (path.extension() == ".npz" && !name.ends_with(".optimizer.npz") && !name.ends_with(".progress.npz")) ||
         (ending_of(path) == ".bin" && !is_lexical(path) && !has_any(name, {"pytorch_model"}));
}

bool is_table(const fs::path& path) {
  return has_any(path.filename().string(), {"vocab"}) &&
         has_any(path.extension().string(), {".yml", ".yaml", ".json", ".txt"});
}

/// Returns the path of a file that decoder.yml names: below its folder, or a file of this name in it.
fs::path beside(const fs::path& folder, const std::string& named) {
  const fs::path path(named);
  const bool is_below = path.is_relative() && std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
  if (is_below && fs::exists(folder / path)) return folder / path;
  return folder / path.filename();
}

bool names_models(const fs::path& file) {
  try {
    return !read_marian_options(file).values.at("models").empty();
  } catch (const ModelError&) {
    return false;  // a YAML file of another program
  }
}

/// Returns decoder.yml, or another YAML file that names a model.
std::optional<fs::path> find_decoder(const fs::path& folder, const Paths& files) {
  if (fs::exists(folder / "decoder.yml")) return folder / "decoder.yml";
  for (const auto& file : files) {
    const auto name = file.filename().string();
    const bool may_be = name.ends_with(".decoder.yml") || (name.starts_with("config") && name.ends_with(".yml"));
    if (may_be && names_models(file)) return file;
  }
  return std::nullopt;
}

class Finder {
 public:
  Finder(const ImportSettings& settings, Refusals& refusals) : settings_(settings), refusals_(refusals) {}

  MarianFiles find() {
    const auto& path = settings_.path;
    const bool is_folder = fs::is_directory(path);
    folder_ = is_folder ? path : path.parent_path().empty() ? fs::path(".") : path.parent_path();
    files_ = files_of(folder_);
    result_.decoder = find_decoder(folder_, files_);
    std::optional<MarianOptions> options;
    if (result_.decoder) options = read_marian_options(*result_.decoder);
    if (is_folder)
      find_model(options);
    else
      take_file(path, options);
    find_vocabularies(options);
    find_lexical(options);
    if (fs::exists(folder_ / "preprocess.sh")) result_.preprocess = folder_ / "preprocess.sh";
    result_.is_package = result_.decoder.has_value() && fs::exists(folder_ / "source.spm");
    return std::move(result_);
  }

 private:
  std::vector<std::string> texts(const MarianOptions& options, const char* key) {
    Json read;
    return JsonFields(options.values, refusals_, options.shown, read).texts(key);
  }

  void take_file(const fs::path& path, std::optional<MarianOptions>& options) {
    result_.model = path;
    if (!options) return;
    const auto models = texts(*options, "models");
    const bool named =
        std::ranges::any_of(models, [&](const auto& model) { return fs::path(model).filename() == path.filename(); });
    if (named || models.empty()) return;
    options.reset();  // of another model
    result_.decoder.reset();
  }

  void find_model(const std::optional<MarianOptions>& options) {
    if (const auto models = options ? texts(*options, "models") : std::vector<std::string>{}; !models.empty()) {
      result_.model = beside(folder_, models.front());
      if (models.size() > 1)
        refusals_.add("models: wanted one model, got " + std::to_string(models.size()) +
                      "; import each of them, and translate with --model for each");
      if (fs::exists(result_.model)) return;
      refusals_.add("models: there is no " + printable(result_.model.string()));
      result_.model.clear();
      return;
    }
    Paths found;
    std::ranges::copy_if(files_, std::back_inserter(found), is_model);
    if (found.size() == 1)
      result_.model = found.front();
    else
      refusals_.add(found.empty() ? "wanted a .npz or .bin file of Marian in the folder, found none"
                                  : "there are several models: " + names_of(found) + "; name one of them");
  }

  void find_vocabularies(const std::optional<MarianOptions>& options) {
    Paths tables, models;  // one of each for both languages, or two
    bool all_exist = true;
    const auto take = [&](const fs::path& path, Paths& files) {
      if (is_vocabulary(path))
        files.push_back(path);
      else
        all_exist = false;
    };
    const auto& given = settings_.vocabularies;
    const auto named = given.empty() && options ? texts(*options, "vocabs") : std::vector<std::string>{};
    for (const auto& path : given) take(path, is_sentencepiece(path) ? models : tables);
    for (const auto& vocabulary : named) take(beside(folder_, vocabulary), tables);
    if (given.empty() && named.empty()) {
      std::ranges::copy_if(files_, std::back_inserter(tables), is_table);
      if (tables.empty()) tables = lists_of_pieces();
      tables = sided_files(tables, "vocabularies", refusals_);
    }
    if (models.empty() && (tables.empty() || !std::ranges::all_of(tables, is_sentencepiece))) {
      std::ranges::copy_if(files_, std::back_inserter(models), [&](const auto& file) {
        return is_sentencepiece(file) && std::ranges::find(tables, file) == tables.end();
      });
      if (models.empty()) refuse_without_sentencepiece(tables);
      models = sided_files(models, "SentencePiece models", refusals_);
    }
    if (tables.empty()) tables = models;
    for (const auto* files : {&tables, &models})
      refusals_.require(files->size() <= 2,
                        "vocabulary: wanted one file for both languages or one for each, got " + names_of(*files));
    const bool needs_model = !std::ranges::all_of(tables, is_sentencepiece);
    if (!all_exist || tables.empty() || tables.size() > 2 || models.size() > 2 || (needs_model && models.empty()))
      return;
    const auto add = [&](const fs::path& table, const fs::path& model) {
      result_.vocabularies.push_back({table, is_sentencepiece(table) ? table : model});
    };
    add(tables.front(), models.empty() ? fs::path() : models.front());
    add(tables.back(), models.empty() ? fs::path() : models.back());
  }

  /// Finds the table that decoder.yml names; without a decoder.yml the one in the folder.
  void find_lexical(const std::optional<MarianOptions>& options) {
    Paths found;
    if (!result_.decoder) std::ranges::copy_if(files_, std::back_inserter(found), is_lexical);
    if (!std::ranges::all_of(found, is_lexical_text)) std::erase_if(found, is_lexical_text);  // the same in binary form
    const auto named = options ? texts(*options, "shortlist") : std::vector<std::string>{};
    if (!named.empty() && is_lexical(named.front())) found = {beside(folder_, named.front())};
    std::erase_if(found, [](const auto& file) { return !fs::exists(file); });  // an option that is ignored with a note
    refusals_.require(found.size() <= 1,
                      "there are several lexical tables: " + names_of(found) + "; leave the one of the model");
    if (found.empty()) return;
    result_.lexical = found.front();
    const auto size = [&](std::size_t at, std::size_t& number) {
      if (named.size() > at) number = parse_number<std::size_t>(named[at]).value_or(number);
    };
    size(1, result_.shortlist.frequent);
    size(2, result_.shortlist.best);
  }

  /// Returns the .vocab files. Fewer than there are SentencePiece models are by-products of training these.
  Paths lists_of_pieces() const {
    Paths lists;
    std::ranges::copy_if(files_, std::back_inserter(lists),
                         [](const auto& file) { return file.extension() == ".vocab"; });
    return std::ssize(lists) < std::ranges::count_if(files_, is_sentencepiece) ? Paths{} : lists;
  }

  bool is_vocabulary(const fs::path& path) {
    if (!fs::exists(path))
      refusals_.add("vocabulary: there is no " + printable(path.string()));
    else if (path.extension() == ".fsv")
      refusals_.add("vocabulary: wanted pieces, got the factors of " + printable(path.string()));
    else
      return true;
    return false;
  }

  /// Refuses a model without SentencePiece models. `tables` are the vocabularies of both languages.
  void refuse_without_sentencepiece(const Paths& tables) {
    const bool has_codes = std::ranges::any_of(files_, [](const auto& file) { return file.extension() == ".bpe"; });
    Paths uncut;
    std::ranges::remove_copy_if(tables, std::back_inserter(uncut), is_sentencepiece);
    refusals_.add(
        has_codes ? "wanted SentencePiece models, found codes of subword-nmt (.bpe), whose texts also need the "
                    "tokenizer of Moses; gloss supports neither"
                  : "wanted a SentencePiece model (.spm)" + (uncut.empty() ? "" : " that cuts for " + names_of(uncut)) +
                        " beside the model or by --vocabulary, found none");
  }

  const ImportSettings& settings_;
  Refusals& refusals_;
  fs::path folder_;
  Paths files_;
  MarianFiles result_;
};

/// Returns the rules of the form s/X/Y/g in a shell script, with the backslashes removed from Y.
std::vector<std::pair<std::string, std::string>> substitutions(std::string_view script) {
  std::vector<std::pair<std::string, std::string>> rules;
  for (std::size_t begin = script.find("s/"); begin != script.npos; begin = script.find("s/", begin + 2)) {
    const auto middle = script.find('/', begin + 2);
    const auto end = middle == script.npos ? middle : script.find('/', middle + 1);
    if (end == script.npos || end - begin > 64 || !script.substr(end).starts_with("/g")) continue;
    auto to = std::string(script.substr(middle + 1, end - middle - 1));
    std::erase(to, '\\');
    rules.emplace_back(script.substr(begin + 2, middle - begin - 2), to);
  }
  return rules;
}

std::string normalized(const std::string& text) { return opus_normalized(text).text; }

}  // namespace

Paths sided_files(const Paths& files, const std::string& kind, Refusals& refusals) {
  const auto of_side = [&](std::initializer_list<std::string_view> words) {
    Paths result;
    for (const auto& file : files)
      if (has_any(file.filename().string(), words)) result.push_back(file);
    return result;
  };
  const auto source = of_side({"source", "src"}), target = of_side({"target", "trg", "tgt"});
  if (files.size() <= 1) {
    if (source != target)
      refusals.add("wanted " + kind + " for both languages, found only " + names_of(files) + ", the " +
                   (target.empty() ? "source's" : "target's") + "; add the other one, or name both by --vocabulary");
    return files;
  }
  if (source.size() == 1 && target.size() == 1 && source != target) return {source.front(), target.front()};
  refusals.add("there are several " + kind + ": " + names_of(files) +
               "; name them by --vocabulary, the source's first");
  return {};
}

bool is_lexical_text(const fs::path& path) { return ending_of(path) == ".s2t"; }

MarianFiles find_marian_files(const ImportSettings& settings, Refusals& refusals) {
  return Finder(settings, refusals).find();
}

std::string preprocessing_difference(const std::string& script) {
  if (script.find("spm_encode") == script.npos && script.find("SPMENCODE") == script.npos)
    return "preprocess.sh does not cut by SentencePiece; gloss prepares text as preprocess-spm.sh does";
  std::set<std::string> known;
  std::string other;
  for (auto [from, to] : substitutions(script)) {
    if (from.ends_with(" *")) from.resize(from.size() - 2);
    if (from.empty() || static_cast<unsigned char>(from.front()) < 0x80) continue;  // a rule about spaces
    known.insert(from);
    if (normalized("a" + from + "b") != normalized("a" + to + "b")) other += ' ' + from;
  }
  // The other rules of gloss that the script lacks: a character above ASCII that becomes printable ASCII.
  for (char32_t character = 0xA1; character <= 0xFFFF; ++character) {
    if (character >= 0xD800 && character <= 0xDFFF) continue;
    std::string text;
    append_utf8(character, text);
    const auto result = normalized(text);
    if (!result.empty() && static_cast<unsigned char>(result.front()) < 0x80 && !known.contains(text))
      other += ' ' + text;
  }
  if (other.empty()) return {};
  return "preprocess.sh replaces other characters than gloss's normalizer opus-mt; they differ in" +
         printable(other, 200);
}

}  // namespace gloss
