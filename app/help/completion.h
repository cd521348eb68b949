#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}  // namespace CLI

namespace gloss {

enum class Shell { kBash, kZsh, kFish };

/// Returns a script that completes the commands, options and file names of `program` in a shell.
std::string completion_script(const CLI::App& program, Shell shell);

}  // namespace gloss
