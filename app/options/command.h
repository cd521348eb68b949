#pragma once

#include <functional>
#include <memory>
#include <variant>

#include "common/error.h"

namespace CLI {
class App;
}

namespace gloss {

struct AlignOptions;
struct AverageOptions;
struct CheckDataOptions;
struct ConvertOptions;
struct DecodeOptions;
struct DoctorOptions;
struct EncodeOptions;
struct EvaluateOptions;
struct ExplainOptions;
struct ImportOptions;
struct ExportOptions;
struct InspectOptions;
struct MakeCorpusOptions;
struct ScoreOptions;
struct ServeOptions;
struct TrainTokenizerOptions;
struct TrainTranslateCommandOptions;
struct TranslateFileOptions;
struct TranslateOptions;

/// Work that needs only the command line, such as printing help. Returns the program's exit code; errors are thrown as
/// exceptions.
using Action = std::function<ExitCode()>;

template <typename Options>
using Parsed = std::shared_ptr<const Options>;

/// The command of a command line with its options.
using Command =
    std::variant<Action, Parsed<TrainTranslateCommandOptions>, Parsed<TranslateOptions>, Parsed<EvaluateOptions>,
                 Parsed<TrainTokenizerOptions>, Parsed<EncodeOptions>, Parsed<DecodeOptions>, Parsed<MakeCorpusOptions>,
                 Parsed<AverageOptions>, Parsed<ConvertOptions>, Parsed<ScoreOptions>, Parsed<InspectOptions>,
                 Parsed<CheckDataOptions>, Parsed<DoctorOptions>, Parsed<ExplainOptions>, Parsed<ImportOptions>,
                 Parsed<ExportOptions>, Parsed<TranslateFileOptions>, Parsed<ServeOptions>, Parsed<AlignOptions>>;

// Each function declares a command and its options. If the command line names the command, parsing sets `chosen`.
void add_train_translate_command(CLI::App& program, Command& chosen);
void add_translate_command(CLI::App& program, Command& chosen);
void add_translate_file_command(CLI::App& program, Command& chosen);
void add_serve_command(CLI::App& program, Command& chosen);
void add_evaluate_command(CLI::App& program, Command& chosen);
void add_align_command(CLI::App& program, Command& chosen);
void add_tokenizer_command(CLI::App& program, Command& chosen);
void add_make_corpus_command(CLI::App& program, Command& chosen);
void add_average_command(CLI::App& program, Command& chosen);
void add_convert_command(CLI::App& program, Command& chosen);
void add_import_command(CLI::App& program, Command& chosen);
void add_score_command(CLI::App& program, Command& chosen);
void add_inspect_command(CLI::App& program, Command& chosen);
void add_check_data_command(CLI::App& program, Command& chosen);
void add_explain_command(CLI::App& program, Command& chosen);
void add_export_command(CLI::App& program, Command& chosen);
void add_doctor_command(CLI::App& program, Command& chosen);
/// Declares `gloss help`, `gloss completion` and `gloss man`, which print the declarations of the other commands.
/// `program` must outlive the chosen action.
void add_help_commands(CLI::App& program, Command& chosen);

}  // namespace gloss
