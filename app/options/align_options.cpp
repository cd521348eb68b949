#include "app/options/align_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_align_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<AlignOptions>();
  auto& job = options->job;
  auto& command = add_command(program, "align",
                              "Align the words of two texts: print links such as `0-0 1-2` for each pair of lines",
                              options->common);
  add_option(command, {.help = "align the words of the lines of FILE", .flag = "--source"}, job.source)->required();
  add_option(command, {.help = "align them with the words of their translations in FILE", .flag = "--target"},
             job.target)
      ->required();
  auto* model = add_option(command,
                           {.help = "align the pieces of this model's tokenizer",
                            .flag = kModelOption,
                            .shown_default = "words between spaces",
                            .placeholder = "FILE-OR-DIR"},
                           options->model);
  add_option(command,
             {.help = "align the pieces of a SentencePiece model, or of the source's and the target's",
              .flag = "--tokenizer",
              .placeholder = "FILE..."},
             options->tokenizers)
      ->expected(1, 2)
      ->excludes(model);
  add_choice(
      command,
      {.help = "merge both directions in this way", .flag = "--symmetrize", .shown_default = "grow-diag-final-and"},
      job.symmetrization, kSymmetrizations);
  group_options(command, "Lexical tables");
  add_option(
      command,
      {.help = "write lines `target source probability` to FILE, for shortlists (lex.s2t)", .flag = "--lexical-table"},
      job.lexical_table);
  add_option(command,
             {.help = "write lines `source target probability` to FILE (lex.t2s)", .flag = "--reverse-lexical-table"},
             job.reverse_lexical_table);
  add_option(command,
             {.help = "write the N best translations of each word",
              .range = between(1, 1'000'000),
              .flag = "--best",
              .shown_default = "all"},
             job.best);
  add_overwrite(command, options->overwrite);
  group_options(command, "Model");
  add_option(command,
             {.help = "read the texts N times after the first time; the last time links them",
              .range = between(1, 1000),
              .flag = "--iterations",
              .shown_default = "5"},
             job.iterations);
  add_option(command,
             {.help = "prefer few translations for a word, by a Dirichlet prior; 0: maximum likelihood",
              .range = between(0, 1),
              .flag = "--alpha",
              .shown_default = "0.01"},
             job.model.alpha);
  add_option(command,
             {.help = "prefer the diagonal this much; 0: not at all",
              .range = between(0, 14),
              .flag = "--lambda",
              .shown_default = "fitted to the texts"},
             job.model.lambda);
  finish_command(command,
                 "gloss align --source train.en --target train.de > train.links\n"
                 "gloss align --source train.en --target train.de --model runs/en-de --lexical-table lex.s2t");
  command.callback([options, &chosen] { chosen = Parsed<AlignOptions>(options); });
}

}  // namespace gloss
