#include "tests/interchange/export/exported_model.h"

#include <cstdlib>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "tests/support/formula_tensor.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

std::string trained(const RunConfig& config, const std::vector<std::filesystem::path>& files) {
  return train_tokenizer(files, config.tokenizer);
}

std::int64_t size_of(const std::string& tokenizer) { return make_tokenizer(tokenizer, "tokenizer")->vocabulary_size(); }

/// Values from formulas, so that no bias is 0 and no factor of a norm 1.
EncoderDecoder formula_model(const ModelConfig& config, const Vocabularies& vocabularies) {
  auto model = make_model(config, vocabularies, RandomStream(7, "weights"));
  const at::NoGradGuard no_grad;
  int number = 0;
  for (auto& parameter : model->parameters())
    parameter.add_(formula_tensor(parameter.sizes(), at::kCPU, ++number), 0.1);
  if (config.starts_from_zero())
    for (auto& item : model->named_parameters())
      if (item.key() == stored_name(kTargetEmbedding, config.tie_embeddings)) {
        item.value()[kPad].zero_();
        item.value()[kBos].zero_();
      }
  return model;
}

}  // namespace

ExportedModel::ExportedModel(const std::function<void(SmallJob&)>& change,
                             const std::function<std::string(const std::string&)>& convert) {
  change(job_);
  const auto& config = job_.config;
  const std::filesystem::path source = config.data.train_source, target = config.data.train_target;
  ModelDescription description{to_portable_json(config), Json::object(), {}};
  Vocabularies vocabularies;
  if (config.tokenizer.joint) {
    const auto joint = convert(trained(config, {source, target}));
    description.tokenizers = {{kJointTokenizer, joint}};
    vocabularies = {size_of(joint), size_of(joint)};
  } else {
    const auto first = convert(trained(config, {source})), second = convert(trained(config, {target}));
    description.tokenizers = {{kSourceTokenizer, first}, {kTargetTokenizer, second}};
    vocabularies = {size_of(first), size_of(second)};
  }
  write_model_file(model_file(), formula_model(config.model, vocabularies), description);
}

void ExportedModel::store_coarse_int8() const {
  const auto stored = model().file;
  FileTensors tensors;
  for (const auto& [name, info] : network_weights(stored.config, stored.vocabularies)) {
    const auto weight = stored.model.weights(name);
    if (info.kind != WeightKind::kMatrix && info.kind != WeightKind::kEmbedding) {
      store_weight(name, weight, WeightPrecision::kFloat32, tensors);
      continue;
    }
    const auto fine = weight.as_int8();
    const auto is_even = at::arange(fine.scales.size(0)).remainder(2) == 0;
    const auto scales = at::where(is_even, 0.015625F, fine.scales * 2.1F);
    scales[1] = 0;
    const auto values = fine.values.div(2, "trunc").to(at::kChar);
    store_weight(name, StoredWeight(values, scales), WeightPrecision::kInt8, tensors);
  }
  write_model_file(model_file(), std::move(tensors), stored.description);
}

void ExportedModel::write(ExportFormat format, WeightPrecision precision, bool overwrite) const {
  export_model(
      {.model = model_file(), .format = format, .precision = precision, .output = output(), .overwrite = overwrite});
}

std::string run_readme(const ExportedModel& model, const std::string& input) {
  const auto readme = model.text("README.md");
  const auto begin = readme.find("```") + 3, end = readme.find("```", begin), line = readme.find('\n', begin) + 1;
  const auto folder = model.output().parent_path();
  write_file(folder / "program", readme.substr(line, end - line));
  write_file(folder / "input", input);
  const std::string stand_ins = GLOSS_STAND_INS;
  const auto runner = readme.substr(begin, line - begin - 1) == "python" ? "python3" : "sh";
  const auto command = "cd '" + model.output().string() + "' && PATH='" + stand_ins + "':\"$PATH\" PYTHONPATH='" +
                       stand_ins + "' PYTHONDONTWRITEBYTECODE=1 " + runner + " ../program <../input >../output";
  const int status = std::system(command.c_str());
  return status == 0 ? text_of_file(folder / "output") : "exit code " + std::to_string(status);
}

std::string refusal(const ExportedModel& model, ExportFormat format, WeightPrecision precision) {
  try {
    model.write(format, precision);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

void use_marian_formulas(ModelConfig& config) {
  config.position_frequencies = PositionFrequencies::kTensor2Tensor;
  config.decoder_start = DecoderStart::kZero;
  config.layer_norm_epsilon = 1e-6;
  if (config.norm == NormPlace::kPre) config.self_attention_norm = SelfAttentionNorm::kQuery;
}

}  // namespace gloss
