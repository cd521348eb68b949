#pragma once

namespace gloss {

/// Throws IoError where the process was started in a folder that has been removed since, or that the system cannot
/// name. Relative paths mean nothing there.
///
/// Such a process is in "/" from its start (working_directory.cpp): a library that is loaded with the program, oneMKL,
/// ends the process with a message of its own where the working directory has no name. Thus --help and --version work.
void expect_working_directory();

}  // namespace gloss
