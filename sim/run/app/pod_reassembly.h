#pragma once

#include <map>

#include "dataplane/node/runtime/reassembly.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// Reassembly of IP fragments in the network namespaces of pods (ip_defrag, nf_ct_frag6_gather),
/// one table per receiving endpoint. Fragments that arrive first are held as packets
/// (HeldFragments) until their packet is complete or expires. Nodes have their own tables
/// (NodeRuntime). One partition owns a PodReassembly and is its only user.
class PodReassembly {
 public:
  /// Referenced arguments must outlive this object.
  PodReassembly(PacketPath& path, const core::Scheduler& scheduler)
      : path_(path), scheduler_(scheduler) {}

  /// Adds a fragment. Returns whether it completes its packet; otherwise it is held or dropped.
  bool add(PacketId fragment, EndpointId receiver);
  /// The oldest fragments of an endpoint have expired.
  void expire(EndpointId receiver);
  /// The pod of an endpoint has stopped: drops its fragments.
  void stop(EndpointId receiver);

 private:
  PacketPath& path_;
  const core::Scheduler& scheduler_;
  std::map<EndpointId, node::ReassemblyTable> tables_;
};

}  // namespace overlane::run
