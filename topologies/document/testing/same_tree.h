#pragma once

#include <cstdio>
#include <cstdlib>

#include "topologies/document/tree/tree.h"

namespace overlane::document::testing {

/// Aborts the program unless `holds`, so that a fuzzer reports it.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Requires that all observable properties of two values are equal, except the start of their
/// paths.
inline void require_same(const Value& a, const Value& b) {
  require(a.kind() == b.kind(), "the kinds are the same");
  require(a.text() == b.text(), "the texts are the same");
  require(a.quoted() == b.quoted(), "both are quoted or none");
  require(a.key() == b.key(), "the keys are the same");
  require(a.size() == b.size(), "the sizes are the same");
  // An empty item has no location of its own.
  require(a.is(Kind::Null) || a.place() == b.place(), "the places are the same");
  require(!a.is_entry() || a.key_place() == b.key_place(), "the keys' places are the same");
  auto other = b.begin();
  for (const Value child : a)
    require_same(child, *other++);
}

/// Calls every accessor of a value and checks the results.
inline void require_sound(const Value& value) {
  require(value.place().line >= 1 && value.place().column >= 1, "a value has a place");
  require(value.path().size() < 100'000, "a path is short");
  static_cast<void>(value.as_bool());
  static_cast<void>(value.as_number());
  std::size_t count = 0;
  for (const Value child : value) {
    ++count;
    require_sound(child);
    if (value.is(Kind::Mapping)) {
      const Value found = value[child.key()];
      require(found.exists() && found.key_place() == child.key_place(), "a key is found");
    }
  }
  require(count == value.size(), "the size is the number of children");
}

}  // namespace overlane::document::testing
