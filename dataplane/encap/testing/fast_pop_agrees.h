#pragma once

#include <algorithm>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/testing/random_packet.h"

namespace overlane::encap::testing {

/// Whether pop(), which tries the fast path first, gives the result of the slow path parts_of() and
/// leaves the same bytes in `packet`. True for a Subject (laws.h) without parts_of().
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
