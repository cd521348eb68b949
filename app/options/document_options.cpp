#include "app/options/document_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_sentence_options(CLI::App& command, SentenceOptions& options, std::string_view default_mode) {
  add_choice(command,
             {.help = "a sentence is: a line; part of a line (a paragraph); or goes on in the next line (wrapped)",
              .flag = "--split-sentences",
              .shown_default = default_mode},
             options.mode, kSentenceModes);
  add_option(
      command,
      {.help = "find sentences by the rules of an SRX 2.0 file", .flag = "--srx", .shown_default = "gloss's own"},
      options.srx);
}

void add_translate_file_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<TranslateFileOptions>();
  auto& command =
      add_command(program, "translate-file", "Translate a document: web page, subtitles, office file, translation file",
                  options->common);
  add_models(command, options->models)->required();
  add_option(command, {.help = "translate this document", .flag = "IN", .placeholder = "IN"}, options->input)
      ->required();
  add_option(command,
             {.help = "write the translation to this file, complete or not at all; replaces an existing one",
              .flag = "OUT",
              .placeholder = "OUT"},
             options->output)
      ->required();
  group_options(command, "Document");
  add_option(command,
             {.help = "read IN as this format (docs/documents.md lists them)",
              .flag = "--format",
              .shown_default = "by the ending of its name",
              .placeholder = "FORMAT"},
             options->format);
  add_sentence_options(command, options->sentences, "paragraph");
  add_option(command, {.help = "also translate what has a translation already", .flag = "--overwrite-translations"},
             options->overwrite_translations);
  add_option(
      command,
      {.help = "use the translations of a translation memory, a TMX file, and show similar ones", .flag = "--memory"},
      options->memory);
  add_option(
      command,
      {.help = "force phrases into translations; FILE is TBX, CSV, or lines of source phrase, tab, target phrase",
       .flag = "--glossary"},
      options->glossary);
  add_languages(command, options->languages);
  add_best_decoding_options(command, options->decoding);
  group_options(command, "Machine");
  add_precision(command, options->precision);
  add_plain(command, options->plain);
  finish_command(command,
                 "gloss translate-file --model runs/en-de page.html page.de.html\n"
                 "gloss translate-file --model runs/en-de film.en.srt film.de.srt\n"
                 "gloss translate-file --model runs/en-de --memory old.tmx app.po app.de.po");
  command.callback([options, &chosen] { chosen = Parsed<TranslateFileOptions>(options); });
}

}  // namespace gloss
