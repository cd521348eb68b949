#pragma once

namespace gloss {

/// Throws IoError if the process was started in a folder that has been removed since or that the system cannot name.
/// Relative paths are meaningless there.
///
/// Such a process changes to "/" at its start (working_directory.cpp), so that --help and --version work. oneMKL, which
/// is loaded with the program, would end the process with its own message if the working directory has no name.
void expect_working_directory();

}  // namespace gloss
