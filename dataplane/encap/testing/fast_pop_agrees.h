#pragma once

#include <algorithm>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/testing/random_packet.h"

namespace overlane::encap::testing {

/// Whether pop(), which has a shorter way for usual packets, says the same as the long way does of
/// every packet, and leaves the same bytes. True of a Subject (laws.h) without a shorter way.
template <typename Subject>
bool fast_pop_agrees(Bytes packet) {
  if constexpr (requires { Subject::parts_of(packet); }) {
    Bytes again = packet;
    const auto one = Subject::pop(packet);
    const auto other = popped(again, Subject::parts_of(again));
    if (packet != again || one.has_value() != other.has_value()) return false;
    if (!one) return one.error() == other.error();
    return one->inner_family == other->inner_family && one->outer_bytes == other->outer_bytes &&
           one->headers.size() == other->headers.size() && one->inner.size() == other->inner.size();
  }
  return true;
}

}  // namespace overlane::encap::testing
