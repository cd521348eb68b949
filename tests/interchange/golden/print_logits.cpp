// gloss_print_logits MODEL [inference|plain|training] [BEAM LENGTH] < LINES
//
// Prints what a model computes for ids, so that scripts/check_interop.sh can compare it with other programs. A line has
// source ids (eos last), a tab and target ids.
//
// Without BEAM, the logits of each target position are written to stdout as float32, in the order of lines, positions
// (the first one follows bos, the last one the last target id) and ids. With BEAM, each line gives a line of JSON with
// the best hypothesis of a search that begins with the target ids and has at most LENGTH tokens: ids, their number with
// eos, and the log-probability without the given ids. BEAM 1 is greedy.
//
// inference: as in `gloss translate`; plain: by the equations of model/ alone; training: as in training, with all lines
// as one batch.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include "common/config/json.h"
#include "common/error.h"
#include "decoding/search.h"
#include "model/padding.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

struct Pair {
  Ids source;  ///< eos last
  Ids target;  ///< without bos and eos
};

Ids ids_of(const std::string& text) {
  std::istringstream words(text);
  Ids ids;
  for (Id id = 0; words >> id;) ids.push_back(id);
  if (!words.eof()) throw UsageError("wanted ids with blanks between them, got " + text);
  return ids;
}

std::vector<Pair> read_pairs() {
  std::vector<Pair> pairs;
  for (std::string line; std::getline(std::cin, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) throw UsageError("wanted source ids, a tab and target ids, got " + line);
    pairs.push_back({ids_of(line.substr(0, tab)), ids_of(line.substr(tab + 1))});
  }
  return pairs;
}

/// Writes the first `length` rows of logits [T, V].
void write(const at::Tensor& logits, std::int64_t length) {
  const auto rows = logits.slice(0, 0, length).to(at::kCPU, at::kFloat).contiguous();
  std::cout.write(static_cast<const char*>(rows.const_data_ptr()), static_cast<std::streamsize>(rows.nbytes()));
}

/// Step by step, as a search does.
void write_steps(const Scorer& scorer, const std::vector<Pair>& pairs) {
  for (const auto& [source, target] : pairs) {
    const auto state = scorer.start(pad(std::vector<Ids>{source}, at::kCPU));
    Id token = kBos;
    for (std::size_t t = 0; t <= target.size(); ++t) {
      write(scorer.step(*state, std::vector<Id>{token}, std::nullopt).logits, 1);
      if (t == target.size()) break;
      scorer.select(*state, {0}, {0});
      token = target[t];
    }
  }
}

/// All positions of all pairs at once, as in training.
void write_batch(EncoderDecoder model, const std::vector<Pair>& pairs) {
  std::vector<Ids> sources, inputs;
  for (const auto& [source, target] : pairs) {
    sources.push_back(source);
    inputs.push_back({kBos});
    inputs.back().insert(inputs.back().end(), target.begin(), target.end());
  }
  const auto x = model->forward(pad(sources, at::kCPU), pad(inputs, at::kCPU), Pass());
  for (std::size_t b = 0; b < pairs.size(); ++b)
    write(model->generator()->logits(x[static_cast<std::int64_t>(b)]), std::ssize(inputs[b]));
}

void print_found(const Scorer& scorer, const std::vector<Pair>& pairs, std::int64_t beam, std::int64_t length) {
  DecodingConfig config;
  config.beam_size = beam;
  config.max_length = length;
  for (const auto& [source, target] : pairs) {
    const auto padded = pad(std::vector<Ids>{source}, at::kCPU);
    const SearchInputs given{.prefixes = {target}, .given_tokens = std::ssize(target)};
    const auto found = beam == 1 ? greedy_search(scorer, padded, config, given).at(0)
                                 : beam_search(scorer, padded, config, given).at(0).at(0);
    Json ids = Json::array();
    for (const auto id : found.ids) ids.push_back(id);
    Json line = Json::object();
    line["ids"] = ids;
    line["length"] = found.length();
    line["log_probability"] = found.log_probability;
    std::cout << line.dump() << '\n';
  }
}

void run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.size() == 3 || arguments.size() > 4)
    throw UsageError("usage: gloss_print_logits MODEL [inference|plain|training] [BEAM LENGTH] < LINES");
  const std::string path = arguments.size() > 1 ? arguments[1] : "inference";
  const auto model = load_translation_model(arguments[0], at::kCPU);
  const auto pairs = read_pairs();
  const c10::InferenceMode inference;
  if (path == "training") return write_batch(model.file.model.network(), pairs);
  if (path != "inference" && path != "plain") throw UsageError("wanted inference, plain or training, got " + path);
  const auto scorer = model.scorer(WeightPrecision::kFloat32, path == "plain");
  if (arguments.size() == 4)
    print_found(*scorer, pairs, std::stoll(arguments[2]), std::stoll(arguments[3]));
  else
    write_steps(*scorer, pairs);
}

}  // namespace
}  // namespace gloss

int main(int count, char** arguments) {
  at::set_num_threads(1);
  try {
    gloss::run({arguments + 1, arguments + count});
  } catch (const gloss::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return std::cout.flush() ? EXIT_SUCCESS : EXIT_FAILURE;
}
