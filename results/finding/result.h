#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "results/finding/finding.h"

namespace overlane {

/// A value or an error. Input errors carry a Finding; functions without file and object (parsing a
/// CIDR, say) return Parsed, and their caller adds the location.
template <typename T, typename E = Finding>
class [[nodiscard]] Result : public tl::expected<T, E> {
 public:
  using tl::expected<T, E>::expected;
};

/// A value parsed from a string, or a phrase that describes the error.
template <typename T>
using Parsed = Result<T, std::string>;

/// `return fail(...)` makes a failed Result of any value type.
template <typename E>
tl::unexpected<E> fail(E error) {
  return tl::unexpected<E>(std::move(error));
}
inline tl::unexpected<std::string> fail(const char* error) {
  return tl::unexpected<std::string>(error);
}

}  // namespace overlane
