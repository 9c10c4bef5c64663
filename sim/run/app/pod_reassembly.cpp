#include "sim/run/app/pod_reassembly.h"

namespace overlane::run {

bool PodReassembly::add(PacketId id, EndpointId receiver) {
  Packets& packets = path_.packets();
  const forward::IpFields header = path_.decisions().header(packets[id]).inner;
  const node::ReassemblyKey key = reassembly_key(header);
  const std::uint32_t begin = header.fragment_offset;
  const node::Fragment fragment{
      .begin = begin, .end = begin + header.payload_bytes(), .last = !header.more_fragments};
  const node::Reassembled result = tables_[receiver].add(key, fragment, scheduler_.now());
  if (result.drop) {
    packets.drop(id, *result.drop);
    return false;
  }
  if (!result.whole) {
    packets.hold(HeldFragments::in_pod(receiver), key, id,
                 node::reassembly_timeout(key.destination.family()),
                 {EventKind::EndpointExpiry, receiver});
    return false;
  }
  packets.held().complete(HeldFragments::in_pod(receiver), key);
  return true;
}

void PodReassembly::expire(EndpointId receiver) {
  path_.packets().held().expire(HeldFragments::in_pod(receiver),
                                tables_[receiver].expire(scheduler_.now()));
}

void PodReassembly::stop(EndpointId receiver) {
  if (tables_.erase(receiver) > 0)
    path_.packets().held().give_up(HeldFragments::in_pod(receiver), Drop::NodeGone);
}

}  // namespace overlane::run
