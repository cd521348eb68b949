#pragma once

#include <cstdint>
#include <filesystem>

namespace gloss {

/// Kills a training `kills` times with SIGKILL, at any moment or while it saves, each time going on with --resume
/// alone; runs that end are compared with the unbroken one and begun anew. `big`: a model file of more than 100 MB.
/// Prints the counts; 0 where nothing was lost. The counts begin with those of the file `state`, which is written after
/// each run that ends; an empty path stands for no file.
int kill_loop(bool big, std::int64_t kills, const std::filesystem::path& state);

}  // namespace gloss
