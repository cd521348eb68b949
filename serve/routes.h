#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serve/api/api_context.h"

namespace gloss {

/// A path that the server answers.
struct Route {
  std::string_view methods;  ///< separated by commas; HEAD follows from GET
  std::string_view path;     ///< one that ends in "/*" stands for all that begin so
  void (*answer)(ApiCall& call);
  bool translates = false;  ///< waits for a model, so that it runs on a thread of its own
  bool takes_time = false;  ///< runs on a thread of its own, too, but is no translation
  bool is_open = false;     ///< answered without a key
  bool has_file = false;    ///< has a document in its body
};

std::span<const Route> routes();
/// Returns the route of a request; null: there is none.
const Route* find_route(const HttpRequest& request);
/// Returns the methods of a path, separated by commas; "": there is nothing under this path.
std::string methods_of(std::string_view path);

}  // namespace gloss
