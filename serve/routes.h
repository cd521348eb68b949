#pragma once

#include <span>
#include <string_view>

#include "serve/api/api_context.h"

namespace gloss {

/// A path that the server answers.
struct Route {
  std::string_view method, path;  ///< a path that ends in "/*" stands for all that begin so
  void (*answer)(ApiCall& call);
  bool translates = false;  ///< waits for a model, so that it runs on a thread of its own
  bool reads_file = false;  ///< runs on a thread of its own, too, but is no translation
  bool is_open = false;     ///< answered without a key
  bool is_deepl = false;    ///< errors are {"message": text}
  bool has_file = false;    ///< has a document in its body
};

std::span<const Route> routes();

/// Returns whether a route has a path.
bool matches(const Route& route, std::string_view path);

}  // namespace gloss
