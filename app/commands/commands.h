#pragma once

#include "app/options/command.h"

namespace gloss {

// Each function runs a command and returns the program's exit code. Errors are thrown as exceptions.
ExitCode run(const TrainTranslateCommandOptions& options);
ExitCode run(const TranslateOptions& options);
ExitCode run(const TranslateFileOptions& options);
ExitCode run(const EvaluateOptions& options);
ExitCode run(const AlignOptions& options);
ExitCode run(const TrainTokenizerOptions& options);
ExitCode run(const EncodeOptions& options);
ExitCode run(const DecodeOptions& options);
ExitCode run(const MakeCorpusOptions& options);
ExitCode run(const AverageOptions& options);
ExitCode run(const ConvertOptions& options);
ExitCode run(const ImportOptions& options);
ExitCode run(const ScoreOptions& options);
ExitCode run(const InspectOptions& options);
ExitCode run(const CheckDataOptions& options);
ExitCode run(const ExplainOptions& options);
ExitCode run(const ExportOptions& options);
ExitCode run(const DoctorOptions& options);
ExitCode run(const ServeOptions& options);

}  // namespace gloss
