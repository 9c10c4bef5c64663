#pragma once

#include <cstddef>
#include <vector>

#include "dataplane/adjacency/link_header.h"
#include "dataplane/adjacency/neighbour_headers.h"
#include "dataplane/forward/outcome.h"

namespace overlane::adjacency {

/// Whom a packet is handed to on a link.
struct NextHop {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress address;

  auto operator<=>(const NextHop&) const = default;
};

/// What stands in front of frames to next hops: to each of a list of them, by position, and to
/// neighbours. Unknown at first. One thread writes, any number read.
class LinkHeaders {
 public:
  /// `has_neighbours`: there will be neighbours by their addresses.
  LinkHeaders(std::size_t next_hops, bool has_neighbours)
      : headers_(next_hops), neighbours_(has_neighbours) {}

  void set(std::size_t position, const MacAddress& destination, const MacAddress& source) {
    headers_[position].set(destination, source);
  }
  void forget(std::size_t position) { headers_[position].forget(); }
  void forget_all() {
    for (SharedLinkHeader& header : headers_)
      header.forget();
    neighbours_.forget_all();
  }
  NeighbourHeaders& neighbours() { return neighbours_; }

  /// Reads them, and keeps their place in a register.
  class Reader {
   public:
    explicit Reader(const LinkHeaders& headers)
        : headers_(headers.headers_.data()), neighbours_(headers.neighbours_) {}
    [[gnu::always_inline]] LinkHeader header(std::size_t position) const {
      return headers_[position].read();
    }
    const NeighbourHeaders& neighbours() const { return neighbours_; }

   private:
    const SharedLinkHeader* headers_;
    const NeighbourHeaders& neighbours_;
  };
  Reader reader() const { return Reader(*this); }

 private:
  std::vector<SharedLinkHeader> headers_;
  NeighbourHeaders neighbours_;
};

}  // namespace overlane::adjacency
