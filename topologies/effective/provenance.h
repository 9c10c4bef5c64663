#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::effective {

// Why a value is what it is: a sentence, its source (a line of a document, or a file of Gardener
// or the CNI), and whether it is assumed because no document gives it. Decided<T> is a value
// with its provenance. Sentences are built only when printed.

/// The reason for a value, its source, and whether it is assumed.
struct Provenance {
  LazyText because;
  Source source;
  bool assumed = false;
};

template <typename T>
struct Decided {
  T value{};
  Provenance basis;
};

/// For a value that a document gives.
template <typename T>
Provenance as_given(const manifest::Located<T>& field) {
  return {LazyText(field.path, " says so"), field.place, false};
}

/// For a value that no document gives.
inline Provenance as_assumed(LazyText because, Source source) {
  return {std::move(because), source, true};
}

/// `field` must have static storage duration.
inline void add_reason(std::vector<Reason>& reasons, std::string_view field, std::string_view value,
                       const Provenance& basis) {
  reasons.push_back({field, std::string(value), basis.because, basis.source, basis.assumed});
}

}  // namespace overlane::effective
