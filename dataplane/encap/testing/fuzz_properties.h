#pragma once

#include <algorithm>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/testing/fast_pop_agrees.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_packet.h"
#include "dataplane/net/testing/require.h"

namespace overlane::encap::testing {

/// The properties that the fuzz target of each encapsulation checks, for a Subject as in laws.h.
template <typename Subject>
class FuzzProperties {
 public:
  static void check(std::span<const std::uint8_t> input) {
    pop_finds_a_whole_packet(input);
    pop_undoes_push(input);
    push_is_naive(input);
  }

 private:
  using Bytes = overlane::testing::Bytes;

  static void require(bool holds) { overlane::testing::require(holds); }

  /// pop() of any bytes refuses them or returns a whole packet inside the buffer.
  static void pop_finds_a_whole_packet(std::span<const std::uint8_t> input) {
    Bytes bytes(input.begin(), input.end());
    require(fast_pop_agrees<Subject>(bytes));
    const auto popped = Subject::pop(bytes);
    if (!popped) return;
    const auto inner = popped->inner;
    require(popped->headers.data() == bytes.data());
    require(popped->headers.data() + popped->headers.size() == inner.data());
    require(inner.data() + inner.size() <= bytes.data() + bytes.size());
    require(whole_bytes(inner, popped->inner_family) == inner.size());
  }

  /// push() of any bytes refuses them, or pop() of its result returns the same bytes.
  static void pop_undoes_push(std::span<const std::uint8_t> input) {
    RandomStream random(input.size(), StreamUse::Pattern, input.empty() ? 0 : input[0]);
    const typename Subject::Pusher pusher(Subject::random_tunnel(random));
    Bytes buffer(pusher.headroom());
    buffer.insert(buffer.end(), input.begin(), input.end());
    const auto outer = pusher.push(buffer, pusher.headroom(), {});
    if (!outer) return;
    const auto popped = Subject::pop(*outer);
    require(popped.has_value());
    require(std::ranges::equal(popped->inner, input));
  }

  /// push() writes the bytes of the naive encoder, for a random packet and tunnel whose seed is the
  /// FNV-1a hash of the input.
  static void push_is_naive(std::span<const std::uint8_t> input) {
    std::uint64_t seed = 0xcbf29ce484222325;
    for (const std::uint8_t byte : input)
      seed = (seed ^ byte) * 0x100000001b3;
    RandomStream random(seed, StreamUse::Pattern, 1);
    const auto tunnel = Subject::random_tunnel(random);
    const RandomPacket inner = random_packet(random);
    if (!Subject::carries(inner.family) || inner.encapsulation_limit == 0) return;
    const typename Subject::Pusher pusher(tunnel);
    Bytes buffer(pusher.headroom());
    buffer.insert(buffer.end(), inner.bytes.begin(), inner.bytes.end());
    const auto outer =
        pusher.push(buffer, pusher.headroom(),
                    {.identification = 7, .flow_hash = inner_flow_hash(inner.bytes, inner.family)});
    require(outer.has_value());
    require(std::ranges::equal(*outer, Subject::naive(tunnel, inner, 7)));
  }
};

}  // namespace overlane::encap::testing
