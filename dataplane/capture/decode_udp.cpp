#include "dataplane/capture/dissection.h"
#include "dataplane/wire/udp.h"

namespace overlane::capture {
namespace {

constexpr std::size_t kUdpChecksumOffset = 6;

/// A zero checksum says that there is none: always allowed over IPv4, over IPv6 only for tunnels
/// (RFC 8200 8.1, RFC 6935).
void judge_zero_checksum(Dissection& dissection, const Upper& upper, bool is_tunnel) {
  if (!upper.source.is_ipv4() && !is_tunnel)
    dissection.add_problem(LayerKind::Udp, "the checksum is zero over IPv6 outside of a tunnel");
}

}  // namespace

void decode_udp(Dissection& dissection, const Upper& upper, const Slice& slice) {
  constexpr auto kKind = LayerKind::Udp;
  const auto inspected = wire::inspect_udp(slice.bytes, wire::ZeroLength::MeansFrame);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice,
                          [&slice, found = header.length](wire::Problem problem) {
                            if (problem == wire::Problem::LengthTooShort)
                              return too_few(found, wire::kUdpBytes);
                            if (problem == wire::Problem::LengthBeyondPacket)
                              return too_many(found, slice.length);
                            return std::string();
                          });
  const std::size_t layer = dissection.add(kKind, slice, wire::kUdpBytes,
                                           {{"srcport", header.source_port},
                                            {"dstport", header.destination_port},
                                            {"length", header.length},
                                            {"checksum", header.checksum}});
  if (header.length == 0) dissection.add_note(layer, "super-packet of length 0");
  const Slice datagram = slice.claimed(header.length, wire::kUdpBytes);
  const Slice payload = datagram.from(wire::kUdpBytes);
  const ChecksumCounts before = dissection.checksums();
  const bool is_tunnel =
      decode_tunnel(dissection, header.source_port, header.destination_port, payload);
  if (!is_tunnel) dissection.add_payload(payload);
  if (header.checksum == 0) {
    judge_zero_checksum(dissection, upper, is_tunnel);
  } else if (datagram.is_whole() && problems.empty()) {
    dissection.judge_checksum(layer, upper, datagram.bytes, kUdpChecksumOffset,
                              dissection.checksums() - before);
  }
  dissection.add_trailer(kKind, slice.from(datagram.length));
}

}  // namespace overlane::capture
