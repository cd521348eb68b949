#include "app/options/model_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_average_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<AverageOptions>();
  auto& command =
      add_command(program, "average", "Write a model whose weights are the mean of several models", options->common);
  add_option(command,
             {.help = "average these model files, or checkpoints in the folder of their run",
              .flag = "file",
              .placeholder = "FILE..."},
             options->files)
      ->required();
  add_option(command, {.help = "write the model to FILE", .flag = "--output"}, options->output)->required();
  add_overwrite(command, options->overwrite);
  finish_command(command,
                 "gloss average runs/en-de/checkpoints/step-*.safetensors --output averaged.safetensors\n"
                 "gloss average first.safetensors second.safetensors --output averaged.safetensors");
  command.callback([options, &chosen] { chosen = Parsed<AverageOptions>(options); });
}

void add_convert_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ConvertOptions>();
  auto& command =
      add_command(program, "convert", "Write a model with its matrices in another precision", options->common);
  add_option(command,
             {.help = "convert a model file or the model of a finished run",
              .flag = kModelOption,
              .placeholder = "FILE-OR-DIR"},
             options->model)
      ->required();
  add_choice(
      command,
      {.help = "store matrices in this precision; bfloat16 halves the size, int8 quarters it", .flag = "--precision"},
      options->precision, kWeightPrecisions)
      ->required();
  add_option(command, {.help = "write the model to FILE", .flag = "--output"}, options->output)->required();
  add_option(command,
             {.help = "add scales of the int8 inputs of matrices, measured on the source lines of FILE",
              .flag = "--calibrate"},
             options->calibrate);
  add_overwrite(command, options->overwrite);
  group_options(command, "Shortlist");
  auto* table = add_option(command,
                           {.help = "add a shortlist of the lexical table that gloss align has written for this model",
                            .flag = "--lexical-table"},
                           options->lexical_table);
  add_option(command,
             {.help = "consider the first N pieces of the target's vocabulary for every sentence",
              .range = between(0, 1'000'000),
              .flag = "--frequent",
              .shown_default = "100"},
             options->shortlist.frequent)
      ->needs(table);
  add_option(command,
             {.help = "consider the N best translations of each piece",
              .range = between(1, 1'000'000),
              .flag = "--best",
              .shown_default = "100"},
             options->shortlist.best)
      ->needs(table);
  finish_command(command,
                 "gloss convert --model runs/en-de --precision int8 --output en-de.int8.safetensors\n"
                 "gloss convert --model student --precision int8 --lexical-table lex.s2t --output fast.safetensors");
  command.callback([options, &chosen] { chosen = Parsed<ConvertOptions>(options); });
}

void add_inspect_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<InspectOptions>();
  auto& command = add_command(program, "inspect", "Describe a model file or a checkpoint", options->common);
  add_option(command,
             {.help = "describe a model file, a checkpoint, or the model of a finished run",
              .flag = "file",
              .placeholder = "FILE-OR-DIR"},
             options->file)
      ->required();
  add_json(command, options->json);
  finish_command(command, "gloss inspect runs/en-de\ngloss inspect model.safetensors --json");
  command.callback([options, &chosen] { chosen = Parsed<InspectOptions>(options); });
}

void add_import_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ImportOptions>();
  auto& settings = options->settings;
  auto& command =
      add_command(program, "import",
                  "Turn a model of Marian, Firefox, OPUS-MT, Hugging Face (MarianMT, Pegasus, M2M100, NLLB), "
                  "CTranslate2 or Argos Translate into a model of gloss",
                  options->common);
  add_option(command,
             {.help = "read a .npz or .bin file of Marian, an .argosmodel, or the folder of a model",
              .flag = "path",
              .placeholder = "FILE-OR-DIR"},
             settings.path)
      ->required();
  auto* output = add_option(command, {.help = "write the model to FILE", .flag = "--output"}, options->output);
  add_overwrite(command, options->overwrite);
  auto* check = add_option(
      command,
      {.help = "report what would be imported, or every reason for a refusal, and write nothing", .flag = "--check"},
      options->check);
  check->excludes(output);
  add_json(command, options->json)->needs(check);
  add_choice(
      command,
      {.help = "read the files as those of this program", .flag = "--from", .shown_default = "detected from the files"},
      settings.from, kModelFamilies);
  add_choice(command,
             {.help = "use the frequencies of positions and the epsilon of norms of this program",
              .flag = "--formulas",
              .shown_default = "the one that trained the model"},
             settings.formulas, kFormulaFamilies);
  add_repeated(command,
               {.help = "use this vocabulary (Marian) or SentencePiece model; the source's first, then the target's",
                .flag = "--vocabulary",
                .placeholder = "FILE..."},
               [&settings](const std::string& file) { settings.vocabularies.emplace_back(file); });
  add_choice(command,
             {.help = "store matrices in this precision; int8 keeps matrices that are int8 already",
              .flag = "--precision",
              .shown_default = "float32; int8 for models of Firefox"},
             options->precision, kWeightPrecisions);
  add_option(command,
             {.help = "store this source language; for a model with language tags, the default one",
              .flag = "--source-language",
              .placeholder = "LANGUAGE"},
             settings.source_language);
  add_option(command,
             {.help = "store this target language; for a model with language tags, the default one",
              .flag = "--target-language",
              .placeholder = "LANGUAGE"},
             settings.target_language);
  add_option(command,
             {.help = "import a tokenizer that does not fit: many of its pieces, or rows, have no counterpart",
              .flag = "--allow-other-tokenizer"},
             settings.allow_other_tokenizer);
  finish_command(command,
                 "gloss import opus-mt-en-de --check\n"
                 "gloss import opus-mt-en-de --output en-de.safetensors\n"
                 "gloss import model.npz --vocabulary vocab.spm --output en-de.safetensors\n"
                 "gloss import translate-en_es.argosmodel --precision int8 --output en-es.safetensors");
  command.callback([options, &chosen] { chosen = Parsed<ImportOptions>(options); });
}

void add_export_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ExportOptions>();
  auto& command =
      add_command(program, "export", "Write a model in the format of another program, with a README", options->common);
  add_option(command,
             {.help = "export a model file or the model of a finished run",
              .flag = kModelOption,
              .placeholder = "FILE-OR-DIR"},
             options->model)
      ->required();
  add_choice(command, {.help = "write the format of this program", .flag = "--to"}, options->format, kExportFormats)
      ->required();
  add_option(command, {.help = "write the files to a new folder DIR", .flag = "--output", .placeholder = "DIR"},
             options->output)
      ->required();
  add_choice(command,
             {.help = "store matrices in this precision; huggingface has no int8, marian no bfloat16",
              .flag = "--precision",
              .shown_default = "float32"},
             options->precision, kWeightPrecisions);
  add_option(command, {.help = "replace the folder if an earlier export wrote it", .flag = "--overwrite"},
             options->overwrite);
  finish_command(command,
                 "gloss export --model runs/en-de --to ctranslate2 --precision int8 --output en-de.ct2\n"
                 "gloss export --model runs/en-de --to huggingface --output en-de.hf");
  command.callback([options, &chosen] { chosen = Parsed<ExportOptions>(options); });
}

}  // namespace gloss
