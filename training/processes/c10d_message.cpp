#include "training/processes/c10d_message.h"

#include <algorithm>
#include <string_view>

#include <c10/util/Logging.h>

namespace gloss {

std::string c10d_message(const std::exception& fault) {
  constexpr std::string_view kBeforeMessageOfNccl = "Last error:\n";
  std::string what = fault.what();
  if (const auto place = what.find(kBeforeMessageOfNccl); place != what.npos)
    what.erase(0, place + kBeforeMessageOfNccl.size());
  what.resize(std::min(what.size(), what.find('\n')));
  if (what.ends_with('.')) what.pop_back();
  return what;
}

void keep_c10d_quiet() {
  constexpr int kOnlyFatal = 3;
  FLAGS_caffe2_log_level = kOnlyFatal;
}

}  // namespace gloss
