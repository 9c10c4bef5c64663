#include "topologies/update/same_value.h"

#include <algorithm>

namespace overlane::update {
namespace {

using document::Kind;
using document::Value;

bool same_scalar(const Value& a, const Value& b) {
  if (a.scalar_type() != b.scalar_type()) return false;
  if (const auto number = a.as_number()) return number == b.as_number();
  if (const auto boolean = a.as_bool()) return boolean == b.as_bool();
  return a.text() == b.text();
}

bool same_list(const Value& a, const Value& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_value);
}

/// Whether every entry of `a` is the same in `b`.
bool within(const Value& a, const Value& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](const Value& entry) { return same_value(entry, b[entry.key()]); });
}

}  // namespace

bool same_value(const Value& a, const Value& b) {
  if (!a || !b) return !a && !b;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::Null:
      return true;
    case Kind::Scalar:
      return same_scalar(a, b);
    case Kind::Sequence:
      return same_list(a, b);
    case Kind::Mapping:
      return within(a, b) && within(b, a);
  }
  return false;
}

}  // namespace overlane::update
