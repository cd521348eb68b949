#include "app/options/metric_flags.h"

#include <stdexcept>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command_options.h"
#include "common/text/split.h"

namespace gloss {
namespace {

constexpr Range kChrfOrders = between(0, ChrfOptions::kMaxOrder);

/// Appends the metrics of a list of names. Throws std::invalid_argument that lists the known metrics.
void add_metric_names(std::vector<MetricKind>& metrics, const std::string& names) {
  for (const auto name : split_text(names, ',')) {
    const auto* const found = std::ranges::find(kMetrics, name, [](const auto& metric) { return metric.first; });
    if (found == kMetrics.end()) throw std::invalid_argument("one of bleu, chrf, ter");
    if (std::ranges::find(metrics, found->second) == metrics.end()) metrics.push_back(found->second);
  }
}

/// Adds `--tokenize`. Its help lists the names of SentencePiece models after the others.
void add_tokenizer_name(CLI::App& command, std::optional<std::string>& name) {
  Setting setting{.help = "tokenize for BLEU by this method",
                  .flag = "--tokenize",
                  .shown_default = "the model's, or 13a without a model"};
  setting.type = SettingType::kChoice;
  for (const auto& [known, tokenizer] : kBleuTokenizers) setting.choices.push_back(known);
  for (const auto& model : kPublishedModels) setting.choices.push_back(model.name);
  add_parsed(command, setting,
             [setting, &name](const std::string& text) { name = parse_value(setting, text).get<std::string>(); });
}

void add_bleu_flags(CLI::App& command, MetricFlags& flags) {
  auto& bleu = flags.settings.bleu;
  add_tokenizer_name(command, flags.tokenize);
  add_option(command,
             {.help = "use this SentencePiece model for --tokenize spm, flores101, flores200 or spBLEU-1K",
              .flag = "--spm-model"},
             flags.spm_model);
  add_choice(command,
             {.help = "smooth n-grams without matches in BLEU", .flag = "--smooth-method", .shown_default = "exp"},
             bleu.smoothing, kBleuSmoothings);
  add_option(command,
             {.help = "smooth by X with floor or add-k",
              .range = between(0, BleuOptions::kMaxSmoothingValue),
              .flag = "--smooth-value",
              .shown_default = "floor 0.1, add-k 1"},
             bleu.smoothing_value);
  add_option(command, {.help = "compute BLEU without regard to case", .flag = "--lowercase"}, bleu.lowercase);
  add_option(command,
             {.help = "leave n-grams that are longer than the translations out of BLEU", .flag = "--effective-order"},
             bleu.effective_order);
  add_option(command,
             {.help = "count n-grams of up to N tokens in BLEU",
              .range = between(1, BleuOptions::kMaxOrder),
              .flag = "--max-ngram-order",
              .shown_default = "4"},
             bleu.max_order);
  add_option(command, {.help = "do not warn of translations that look tokenized", .flag = "--force"}, flags.force);
}

void add_chrf_flags(CLI::App& command, ChrfOptions& chrf) {
  add_option(command,
             {.help = "count n-grams of up to N characters",
              .range = kChrfOrders,
              .flag = "--chrf-char-order",
              .shown_default = "6"},
             chrf.char_order);
  add_option(command,
             {.help = "count n-grams of up to N words; 2 is chrF++",
              .range = kChrfOrders,
              .flag = "--chrf-word-order",
              .shown_default = "0"},
             chrf.word_order);
  add_option(command,
             {.help = "weight recall N times as much as precision",
              .range = between(0, ChrfOptions::kMaxBeta),
              .flag = "--chrf-beta",
              .shown_default = "2"},
             chrf.beta);
  add_option(command, {.help = "count white space as characters", .flag = "--chrf-whitespace"}, chrf.whitespace);
  add_option(command, {.help = "compute chrF without regard to case", .flag = "--chrf-lowercase"}, chrf.lowercase);
  add_option(command, {.help = "count orders without n-grams as almost 0", .flag = "--chrf-eps-smoothing"},
             chrf.eps_smoothing);
}

void add_ter_flags(CLI::App& command, TerOptions& ter) {
  add_option(command, {.help = "compute TER with regard to case", .flag = "--ter-case-sensitive"}, ter.case_sensitive);
  add_option(command,
             {.help = "split Chinese characters and handle their punctuation in TER", .flag = "--ter-asian-support"},
             ter.asian_support);
  add_option(command, {.help = "compute TER without punctuation", .flag = "--ter-no-punct"}, ter.no_punct);
  add_option(command, {.help = "split punctuation and resolve entities in TER", .flag = "--ter-normalized"},
             ter.normalized);
}

}  // namespace

void add_metric_flags(CLI::App& command, MetricFlags& flags) {
  add_repeated(command,
               {.help = "compute bleu, chrf, ter; several with commas or spaces between them",
                .flag = "--metrics",
                .shown_default = "bleu"},
               [&flags](const std::string& names) { add_metric_names(flags.metrics, names); });
  add_bleu_flags(command, flags);
  add_chrf_flags(command, flags.settings.chrf);
  add_ter_flags(command, flags.settings.ter);
}

}  // namespace gloss
