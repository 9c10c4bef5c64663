#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace overlane {

struct Finding;

/// A value or an error. The error of an input is a Finding (results/finding/finding.h). Functions
/// that know neither file nor object, such as the parser of a CIDR, return Parsed; their caller
/// adds the location. Both types are [[nodiscard]], so that no error is lost by accident.
template <typename T, typename E = Finding>
class [[nodiscard]] Result : public tl::expected<T, E> {
 public:
  using tl::expected<T, E>::expected;
};

/// A value parsed from a string, or a phrase that describes the error.
template <typename T>
using Parsed = Result<T, std::string>;

/// `return fail(...)` returns a failed Result of any value type.
template <typename E>
tl::unexpected<E> fail(E error) {
  return tl::unexpected<E>(std::move(error));
}
inline tl::unexpected<std::string> fail(const char* error) {
  return tl::unexpected<std::string>(error);
}

}  // namespace overlane
