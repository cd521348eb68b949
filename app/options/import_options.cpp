#include "app/options/import_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_import_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ImportOptions>();
  auto& settings = options->settings;
  auto& command =
      add_command(program, "import",
                  "Turn a model of Marian, OPUS-MT or Hugging Face (MarianMT, Pegasus, M2M100, NLLB) into a "
                  "model of gloss",
                  options->common);
  add_option(command,
             {.help = "read a .npz or .bin file of Marian, an unpacked OPUS-MT package, or a Hugging Face directory",
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
             settings.formulas, kModelFamilies);
  add_repeated(command,
               {.help = "use this vocabulary or SentencePiece model of Marian; the source's first, then the target's",
                .flag = "--vocabulary",
                .placeholder = "FILE..."},
               [&settings](const std::string& file) { settings.vocabularies.emplace_back(file); });
  add_choice(command,
             {.help = "store matrices in this precision; int8 keeps matrices that are int8 already",
              .flag = "--precision",
              .shown_default = "float32"},
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
                 "gloss import model.npz --vocabulary vocab.spm --output en-de.safetensors");
  command.callback([options, &chosen] { chosen = Parsed<ImportOptions>(options); });
}

}  // namespace gloss
