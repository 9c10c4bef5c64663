#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/capture/capture_file.h"
#include "dataplane/capture/decode.h"
#include "dataplane/capture/testing/capture_bytes.h"
#include "results/base/testing/source_file.h"

namespace overlane::capture {

/// A packet with its own copy of the bytes, which can be changed before it is decoded.
struct OwnedPacket {
  LinkType link_type = LinkType::Ethernet;
  ByteVector bytes;

  /// Decodes the packet, either whole or as if only its first bytes had been captured.
  DecodedPacket decoded() const;
  DecodedPacket decoded_after(std::size_t captured_bytes) const;
};

inline const std::string kKeptCaptures = source_file("dataplane/capture/testing/captures/");

inline DecodedPacket OwnedPacket::decoded() const {
  return decoded_after(bytes.size());
}

inline DecodedPacket OwnedPacket::decoded_after(std::size_t captured_bytes) const {
  return decode(
      {.number = 1, .bytes = std::span(bytes).first(captured_bytes), .length_bytes = bytes.size()},
      link_type, default_tunnel_ports());
}

/// Names of the captures in testing/captures; see the README there.
inline std::vector<std::string> kept_captures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kKeptCaptures))
    if (entry.path().extension() == ".pcap") names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_FALSE(names.empty());
  return names;
}

inline std::vector<OwnedPacket> packets_of(const std::string& capture) {
  std::vector<OwnedPacket> packets;
  auto reader = CaptureReader::open(kKeptCaptures + capture);
  EXPECT_TRUE(reader) << capture;
  for (auto packet = reader->next(); packet && *packet; packet = reader->next()) {
    const auto bytes = (*packet)->bytes;
    packets.push_back({reader->link_type(), {bytes.begin(), bytes.end()}});
  }
  EXPECT_FALSE(packets.empty()) << capture;
  return packets;
}

/// "ethernet ipv4 udp".
inline std::string layers_of(const DecodedPacket& packet) {
  std::string names;
  for (const Layer& layer : packet.layers)
    names += std::string(names.empty() ? "" : " ") + std::string(to_string(layer.kind));
  return names;
}

}  // namespace overlane::capture
