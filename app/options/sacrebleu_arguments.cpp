#include "app/options/sacrebleu_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gloss {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kLongNames{{
    {"-i", "--hypothesis"},
    {"--input", "--hypothesis"},
    {"-nr", "--num-refs"},
    {"-m", "--metrics"},
    {"-sl", "--sentence-level"},
    {"-s", "--smooth-method"},
    {"-sv", "--smooth-value"},
    {"-tok", "--tokenize"},
    {"-lc", "--lowercase"},
    {"-cc", "--chrf-char-order"},
    {"-cw", "--chrf-word-order"},
    {"-ci", "--confidence"},
    {"-cin", "--confidence-n"},
    {"-par", "--paired-ar"},
    {"-pbs", "--paired-bs"},
    {"-parn", "--paired-ar-n"},
    {"-pbsn", "--paired-bs-n"},
    {"-j", "--threads"},
    {"--paired-jobs", "--threads"},
    {"-q", "--quiet"},
    {"-sh", "--short"},
    {"-b", "--score-only"},
    {"-w", "--width"},
    {"-nc", "--no-color"},
    {"-f", "--format"},
}};

}  // namespace

std::vector<std::string> without_sacrebleu_names(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "evaluate") return arguments;
  for (auto& argument : arguments) {
    if (argument == "--") break;                                                          // only file names follow
    const auto equals = argument.starts_with("--") ? argument.find('=') : argument.npos;  // "--input=FILE"
    const auto typed = std::string_view(argument).substr(0, equals);
    const auto* name = std::ranges::find(kLongNames, typed, &decltype(kLongNames)::value_type::first);
    if (name != kLongNames.end()) argument.replace(0, typed.size(), name->second);
  }
  return arguments;
}

}  // namespace gloss
