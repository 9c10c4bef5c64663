#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dataplane/byte_rewrite/layout.h"
#include "dataplane/node/runtime/reassembly.h"

namespace overlane::byte_rewrite {

/// The bytes of the fragments that a node holds. Bounded as its node::ReassemblyTable is, whose
/// every step it is told: what that holds is held here, and nothing else.
class HeldBytes {
 public:
  /// Keeps a fragment of that packet: its header, and the data that the table counts.
  void hold(const node::ReassemblyKey& key, std::span<const std::uint8_t> fragment);

  /// The packet's first fragment; nothing when it is not there.
  std::span<const std::uint8_t> first(const node::ReassemblyKey& key) const;

  /// Writes what the first fragment has in front of its fragment header or data, and all data in
  /// order; the fields of a whole are left to make_whole(). Nothing without the first.
  void join(const node::ReassemblyKey& key, PacketBuffer& to) const;

  void forget(const node::ReassemblyKey& key);

  std::size_t fragments() const { return fragments_; }

 private:
  struct Fragment {
    std::uint32_t offset = 0;        ///< Offset of the fragment's data in the packet.
    std::uint32_t header_bytes = 0;  ///< In front of its data.
    std::vector<std::uint8_t> bytes;
  };
  using Fragments = std::vector<Fragment>;  ///< Sorted by offset.
  /// Memory that is kept for fragments to come.
  static constexpr std::size_t kSpares = 64;

  std::map<node::ReassemblyKey, Fragments> held_;
  std::vector<std::vector<std::uint8_t>> spares_;
  std::size_t fragments_ = 0;
};

}  // namespace overlane::byte_rewrite
