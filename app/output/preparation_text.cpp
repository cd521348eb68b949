#include "app/output/preparation_text.h"

#include <algorithm>
#include <utility>

#include "app/input/line_editor.h"
#include "app/output/text_layout.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "common/text/writing.h"
#include "common/version.h"

namespace gloss {
namespace {

constexpr std::size_t kCharactersShown = 8;

/// Returns "ß (U+00DF) 17": the character, its code point and its count.
std::string text_of(char32_t character, std::int64_t count) {
  std::string text;
  append_utf8(character, text);
  return printable(text) + " (" + character_text(character) + ") " + std::to_string(count);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return formatted("%.3g %%",
                   100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1)));
}

std::string side_line(const std::string& side, const std::filesystem::path& path, const TextReport& text,
                      bool in_pieces) {
  std::string line = "  " + side + "  " + printable(path.string()) + ": " + counted(text.lines, "line") + ", " +
                     counted(text.units, in_pieces ? "piece" : "word");
  if (!in_pieces) return line + '\n';
  line += ", " + percent(text.unknown_pieces, text.units) + " unknown";
  const auto shown = std::min(kCharactersShown, text.unknown_characters.size());
  for (std::size_t i = 0; i < shown; ++i)
    line += (i == 0 ? ": " : ", ") + text_of(text.unknown_characters[i].first, text.unknown_characters[i].second);
  if (shown < text.unknown_characters.size())
    line += " and " + counted(text.unknown_characters.size() - shown, "character") + " more";
  return line + '\n';
}

std::string finding_line(const Finding& finding) {
  if (finding.refused) return "   refused  " + finding.message + '\n';
  auto count = std::to_string(finding.lines.count);
  count.insert(0, 10 - std::min<std::size_t>(count.size(), 10), ' ');
  return count + "  " + (finding.side.empty() ? "" : finding.side + ' ') + finding.message + " (" +
         finding.lines.text() + ")\n";
}

std::string report_line(const std::string& name, const std::string& value) {
  constexpr std::size_t kWidth = 20;
  return labeled_line("  " + name, value, kWidth);
}

std::string size_row(const std::string& name, std::int64_t bytes) {
  const auto value = short_bytes_text(bytes);
  return report_line(name, std::string(12 - std::min<std::size_t>(12, value.size()), ' ') + value);
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + printable(item);
  return text.empty() ? "none" : text;
}

std::string libtorch_text(const MachineReport& machine) {
  std::string text = machine.libtorch_run;
  if (machine.libtorch_built != machine.libtorch_run) text += ", built with " + machine.libtorch_built;
  text += machine.mkl.empty() ? ", without MKL" : ", MKL " + machine.mkl;
  text += machine.onednn.empty() ? ", without oneDNN" : ", oneDNN " + machine.onednn;
  text += ", CPU kernels " + machine.vector_code;
  return text;
}

std::string exchange_text(const ExchangeLibraries& libraries) {
  if (!libraries.gloo) return "none: built without Gloo";
  return libraries.nccl.empty() ? "Gloo" : "Gloo, NCCL " + libraries.nccl;
}

std::string processors_text(const MachineReport& machine) {
  auto text = std::to_string(machine.processors) + ", " + std::to_string(machine.usable_processors) + " usable";
  if (machine.processor_limit) text += " (a control group leaves " + Json(*machine.processor_limit).dump() + ')';
  return text + ", " + counted(machine.threads, "thread");
}

std::string cuda_lines(const MachineReport& machine) {
  auto lines = report_line("CUDA", !machine.cuda_built         ? "none: this LibTorch is built without CUDA"
                                   : machine.cuda_devices == 0 ? "built in, but LibTorch finds no device"
                                                               : std::to_string(machine.cuda_devices) + " devices");
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const auto& gpu = machine.gpus[i];
    lines += report_line("", (machine.cuda_devices > 0 ? "cuda:" + std::to_string(i) + ' ' : "not used: ") +
                                 printable(gpu.name) + ", " + short_bytes_text(gpu.memory) + ", capability " +
                                 std::to_string(gpu.major) + '.' + std::to_string(gpu.minor) +
                                 (gpu.has_bfloat16() ? ", bfloat16" : ", no bfloat16"));
  }
  return lines;
}

std::string training_lines(const RunNeeds& run) {
  const auto& needs = run.training;
  std::string lines =
      "training\n" +
      report_line("parameters", std::to_string(needs.parameters) +
                                    (needs.trained_parameters < needs.parameters
                                         ? ", " + std::to_string(needs.trained_parameters) + " of them trained"
                                         : ""));
  if (run.length.updates_per_epoch > 0) lines += report_line("updates", updates_text(run.length));
  lines += size_row("program", needs.program) + size_row("weights", needs.weights) +
           size_row("gradients", needs.gradients) + size_row("Adam", needs.optimizer);
  lines += needs.tried         ? size_row("batches", needs.batches)
           : needs.batches > 0 ? report_line("batches", "more than " + short_bytes_text(needs.batches))
                               : report_line("batches", "not tried");
  for (const auto& [phase, bytes] : {std::pair{"or validation", needs.validation},
                                     {"or the test", needs.test},
                                     {"or the average", needs.average},
                                     {"or the tokenizer", needs.tokenizer}})
    if (bytes > 0) lines += size_row(phase, bytes);
  lines += size_row(needs.tried ? "at most" : "at least", needs.memory());
  lines += size_row("model file", needs.model_file) + size_row("a checkpoint", needs.checkpoint);
  if (needs.corpus_file > 0) lines += size_row("corpus.cache", needs.corpus_file);
  return lines + report_line("disk", short_bytes_text(needs.disk()) + " with up to " +
                                         counted(needs.checkpoints, "checkpoint") + ", " +
                                         short_bytes_text(run.disk_free) + " free for " + printable(run.out.string()));
}

}  // namespace

std::string to_lines(const DataCheck& check) {
  std::string lines;
  std::size_t odd = 0, refused = 0;
  for (const auto& [set, corpus, findings] : check.sets) {
    lines += use_name(set.use);
    if (corpus) {
      lines += ": " + counted(corpus->pairs, "pair") + ", " + std::to_string(corpus->fit_pairs) +
               " of them fit for training" + (check.in_pieces ? "\n" : " as far as words tell\n");
      lines += side_line("source", set.source, corpus->source, check.in_pieces);
      lines += side_line("target", set.target, corpus->target, check.in_pieces);
    } else {
      lines += '\n';
    }
    for (const auto& finding : findings) {
      lines += finding_line(finding);
      ++(finding.refused ? refused : odd);
    }
  }
  if (refused > 0) return lines + "training would refuse this\n";
  return lines + (odd > 0 ? "usable, with " + counted(odd, "finding") + '\n'
                          : "usable, nothing was found (whether the lines translate each other is not checked)\n");
}

std::string to_lines(const MachineReport& machine, const std::optional<RunNeeds>& run,
                     const std::vector<Remark>& remarks) {
  std::string lines = "gloss " + std::string(kVersion) + '\n';
  lines += report_line("LibTorch", libtorch_text(machine));
  lines += cuda_lines(machine);
  lines +=
      report_line("SentencePiece", (machine.sentencepiece_built.empty() ? "" : machine.sentencepiece_built + ", ") +
                                       list(machine.sentencepiece_files));
  lines += report_line("OpenMP", list(machine.openmp_files));
  for (const auto& [name, value] : machine.openmp_settings) lines += report_line("", name + '=' + printable(value));
  lines += report_line("several processes", exchange_text(machine.exchange));
  lines += report_line("processors", processors_text(machine));
  lines += report_line("gloss kernels", machine.instructions.back() + " (of " + list(machine.instructions) + ')');
  lines += report_line("matrix product", formatted("%.0f GFLOP/s", machine.matrix_gflops));
  lines += report_line(
      "memory", short_bytes_text(machine.usable_memory) + ", " + short_bytes_text(machine.free_memory) + " free");
  lines += report_line("line editing", has_line_editing() ? "libedit" : "none: built without libedit");
  if (run) lines += training_lines(*run);
  if (!remarks.empty()) lines += "remarks\n";
  for (const auto& [message, failure] : remarks)
    lines += (failure ? "  will not work: " : "  ") + printable(message) + '\n';
  return lines;
}

}  // namespace gloss
