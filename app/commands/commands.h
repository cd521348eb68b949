#pragma once

#include <functional>

#include "common/error.h"

namespace CLI {
class App;
}

namespace gloss {

/// What the command line asks for, ready to be done. Returns the program's exit code; throws what goes wrong.
using Action = std::function<ExitCode()>;

// Each adds its command to the program. Where the command is named, parsing sets `chosen`.
void add_train_translate_command(CLI::App& program, Action& chosen);
void add_translate_command(CLI::App& program, Action& chosen);
void add_evaluate_command(CLI::App& program, Action& chosen);
void add_tokenizer_command(CLI::App& program, Action& chosen);
void add_make_corpus_command(CLI::App& program, Action& chosen);
void add_average_command(CLI::App& program, Action& chosen);
void add_convert_command(CLI::App& program, Action& chosen);
void add_score_command(CLI::App& program, Action& chosen);
void add_inspect_command(CLI::App& program, Action& chosen);
void add_check_data_command(CLI::App& program, Action& chosen);
void add_doctor_command(CLI::App& program, Action& chosen);

}  // namespace gloss
