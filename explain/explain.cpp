#include "explain/explain.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <c10/core/InferenceMode.h>

#include "common/error.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "decoding/length_limit.h"
#include "decoding/scorers/transformer_scorer.h"
#include "explain/attention_maps.h"
#include "explain/beam_tree.h"
#include "explain/explained_sentence.h"
#include "explain/interventions.h"
#include "explain/next_tokens.h"
#include "explain/number_array.h"
#include "explain/position_views.h"
#include "explain/residual_stream.h"
#include "explain/text_stages.h"
#include "model/weights.h"
#include "tensor/thread_count.h"

namespace gloss {
namespace {

/// Returns the maximum number of tokens of a greedy search without a part, for a target of T tokens. Without a part a
/// model may repeat itself up to the length limit.
std::int64_t max_length_without(std::int64_t T) { return 2 * T + 10; }

/// Maximum number of attention weights of a document, which takes some 2 GB while it is written.
constexpr std::int64_t kMaxWeights = 20'000'000;

Json describe(const ExplainedModel& explained) {
  const auto& file = explained.model.file;
  const auto& config = explained.model.config;
  const auto languages = choose_languages(explained.model.languages, config.languages, config.tokenizer);
  const auto language = [](const std::string& tag) { return tag.empty() ? Json() : Json(tag); };
  const auto decoding = to_json(explained.decoding);
  return {{"name", explained.name},
          {"config", to_json(file.config)},
          {"parameters", count_parameters(file.config, file.vocabularies)},
          {"source_vocabulary", file.vocabularies.source},
          {"target_vocabulary", file.vocabularies.target},
          {"source_language", language(languages.source)},
          {"target_language", language(languages.target)},
          {"decoding", decoding},
          {"positions", position_views(file.model.network(), file.config)}};
}

/// Writes the item of one sentence and one model, without some parts.
class ItemWriter {
 public:
  ItemWriter(const ExplainedModel& explained, const LineTranslator& translator, const std::string& text,
             const std::vector<std::string>& without)
      : explained_(explained),
        translator_(translator),
        network_(explained.model.file.model.network()),
        source_(translator, text, *explained.model.source_tokenizer) {
    for (const auto& name : without) removed_.push_back(source_.removal(name, config()));
  }

  Json write(std::int64_t model, const ExplainRequest& request, const std::vector<std::string>& without) {
    item_ = {{"model", model},
             {"text", source_.pieces().text},
             {"without", without},
             {"forced", request.target.has_value()},
             {"source", source_.to_json()}};
    const auto copied = request.target ? std::nullopt : source_.copied();
    if (request.target)
      force(*request.target);
    else if (!copied)
      search();
    item_["target"] = target_json(hypothesis_, target_tokenizer());
    if (copied) item_.update({{"target", {{"text", *copied}, {"ended", true}}}, {"beam", nullptr}}, true);
    if (ids_.target.empty()) return std::move(item_);
    look(request.quick);
    return std::move(item_);
  }

 private:
  const ModelConfig& config() const { return explained_.model.file.config; }
  const Tokenizer& target_tokenizer() const { return translator_.target_tokenizer(); }

  /// Returns the number of language tags in front of the target.
  std::size_t tags() const { return std::min(translator_.target_tags(), ids_.target.size()); }

  void search() {
    const TransformerScorer reduced(network_, translator_.scorer().max_target_length(), /*plain=*/true,
                                    std::make_shared<RemovalProbe>(removed_));
    const auto& scorer = removed_.empty() ? translator_.scorer() : reduced;
    const auto inputs = translator_.search_inputs();
    const BeamTree tree(scorer, source_.ids(), explained_.decoding, inputs);
    const auto greedy_config = greedy_decoding(explained_.decoding);
    const auto greedy =
        greedy_search(scorer, pad(std::array{source_.ids()}, scorer.device()), greedy_config, inputs).front();
    hypothesis_ = tree.best();
    ids_ = {source_.ids(), target_ids(hypothesis_)};
    item_["beam"] = to_json(tree, explained_.decoding, greedy, target_tokenizer());
    for (const auto& node : tree.nodes()) named_.insert(node.id);
  }

  void force(const std::string& target) {
    hypothesis_.ids = translator_.encode_target(target);
    hypothesis_.ended = true;
    ids_ = {source_.ids(), target_ids(hypothesis_)};
    item_["beam"] = nullptr;
  }

  /// Adds the values of a pass by teacher forcing to the item.
  void look(bool quick) {
    const c10::InferenceMode inference;
    const auto pass = record_pass(network_, ids_, removed_);
    const auto sum = add_log_probabilities(pass.logits, tags(), item_["target"]);
    if (item_["forced"].get<bool>()) {
      item_["target"]["log_probability"] = sum;
      item_["target"]["score"] = length_normalized(sum, std::ssize(ids_.target), explained_.decoding);
    }
    item_["maps"] = attention_maps(pass, network_, config());
    item_["masks"] = masks_of(std::ssize(ids_.source), std::ssize(ids_.target), config(), removed_);
    item_["embedding"] = embeddings_of(pass);
    item_["stack"] = layer_stack(pass, config());
    item_["lens"] = logit_lens(pass, network_, config(), ids_.target, target_tokenizer());
    item_["contributions"] = logit_contributions(pass, network_, config(), ids_.target);
    item_["steps"] = decoding_steps(pass.logits);
    const Candidates candidates(pass.logits, ids_.target);
    item_["candidates"] = to_json(candidates, pass.logits);
    if (!quick) item_["interventions"] = interventions(candidates);
    item_["stages"] =
        text_stages(source_.pieces(), ids_, pass, config(), *explained_.model.source_tokenizer, target_tokenizer());
    item_["merges"] = merge_steps(source_.pieces(), *explained_.model.source_tokenizer);
    item_["names"] = names();
  }

  Json interventions(const Candidates& candidates) {
    Interventions runs(network_, config(), ids_, removed_, std::span(ids_.target).first(tags()));
    const auto words = runs.effects(source_.word_removals(), candidates);
    std::vector<Removal> removals{{}};  // the first removes nothing
    std::vector<std::string> names;
    for (const auto& part : layers_and_heads(config())) {
      removals.push_back({.part = part});
      names.push_back(part.name());
    }
    const auto max_length =
        std::min(max_length_without(std::ssize(ids_.target)), length_limit(explained_.decoding, translator_.scorer()));
    const auto without = runs.effects(removals, candidates, max_length);
    std::vector<std::string> texts;
    for (const auto& ids : without.greedy) texts.push_back(target_tokenizer().decode(ids));
    const auto greedy = texts.front();
    texts.erase(texts.begin());
    const auto count = std::ssize(names);
    return {{"words", {{"log_probabilities", number_array(words.log_probabilities)}}},
            {"parts",
             {{"names", std::move(names)},
              {"log_probabilities", number_array(without.log_probabilities.narrow(0, 1, count))},
              {"loss", number_array(without.losses.narrow(0, 1, count))},
              {"texts", std::move(texts)}}},
            {"loss", shortest(without.losses[0].item<float>())},
            {"greedy", greedy}};
  }

  /// Returns the piece of each id in the item.
  Json names() {
    for (const auto& step : item_["steps"])
      for (const auto& token : step["top"]) named_.insert(token[0].get<Id>());
    for (const auto& ids : item_["candidates"]["ids"])
      for (const auto& id : ids) named_.insert(id.get<Id>());
    return piece_names(named_, target_tokenizer());
  }

  const ExplainedModel& explained_;
  const LineTranslator& translator_;
  EncoderDecoder network_;
  ExplainedSource source_;
  std::vector<Removal> removed_;
  Hypothesis hypothesis_;
  SentenceIds ids_;
  std::set<Id> named_;
  Json item_;
};

/// Throws UsageError for the first input that cannot be explained, before anything is computed.
void expect_possible(const ExplainedModel& explained, const LineTranslator& translator, const ExplainRequest& request) {
  const auto& config = explained.model.file.config;
  if (request.target) {
    const auto length = std::ssize(translator.encode_target(*request.target)) + 1;
    const auto limit = std::min(translator.scorer().max_target_length(), explained.model.config.max_source_length());
    if (length > limit)
      throw UsageError(
          {Key{"target"}, ": wanted at most " + std::to_string(limit) + " tokens, got " + std::to_string(length)});
  }
  std::int64_t weights = 0;
  for (std::size_t i = 0; i < request.sentences.size(); ++i) {
    const ExplainedSource source(translator, request.sentences[i], *explained.model.source_tokenizer);
    if (source.ids().empty())
      throw UsageError("explain: sentence " + std::to_string(i + 1) + ": wanted a text that has pieces, got \"" +
                       printable(request.sentences[i]) + "\"");
    for (const auto& name : request.without) source.removal(name, config);
    const auto S = std::ssize(source.ids());
    weights += std::ssize(attention_sublayers(config)) * config.heads * S * S;
  }
  if (!request.without.empty()) weights *= 2;
  if (weights > kMaxWeights)
    throw UsageError("explain: wanted at most " + std::to_string(kMaxWeights) + " attention weights, got about " +
                     std::to_string(weights) + "; explain fewer or shorter sentences");
}

}  // namespace

Json explain(std::span<const ExplainedModel> models, const ExplainRequest& request) {
  const ThreadCount one(1);  // several are hardly faster, since passes of one sentence are short
  Json result{{"format", kExplanationFormat},
              {"version", kExplanationVersion},
              {"gloss", kVersion},
              {"models", Json::array()},
              {"items", Json::array()}};
  std::vector<LineTranslator> translators;
  for (const auto& explained : models)
    expect_possible(explained, translators.emplace_back(explained.model.translator()), request);
  for (std::size_t m = 0; m < models.size(); ++m) {
    result["models"].push_back(describe(models[m]));
    const auto& translator = translators[m];
    for (const auto& sentence : request.sentences) {
      std::vector<std::vector<std::string>> variants{{}};
      if (!request.without.empty()) variants.push_back(request.without);
      for (const auto& without : variants) {
        stop_where_requested();
        result["items"].push_back(
            ItemWriter(models[m], translator, sentence, without).write(static_cast<std::int64_t>(m), request, without));
      }
    }
  }
  return result;
}

}  // namespace gloss
