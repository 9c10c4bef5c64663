#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dataplane/capture/capture_file.h"
#include "dataplane/verify/verifier.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {

/// The bytes of a captured packet from its IP header; nothing if it has none, has a VLAN tag, or
/// its link header is truncated.
std::optional<std::span<const std::uint8_t>> ip_of(std::span<const std::uint8_t> bytes,
                                                   capture::LinkType link);

/// The result for one packet of a capture.
struct VerifiedPacket {
  std::uint64_t number = 0;  ///< Index in the capture.
  std::size_t bytes = 0;     ///< From the IP header on.
  forward::Ingress ingress = forward::Ingress::Uplink;
  verify::Comparison comparison;
};

/// Writes packets one by one in the requested format, and counts them.
class VerifyReport {
 public:
  VerifyReport(const command::OutputOptions& options, command::ResultStream& to);

  /// False if the output cannot be written.
  bool add(const VerifiedPacket& packet);
  /// Adds a change of state before the packet of this number.
  bool add_change(std::uint64_t number, const verify::Comparison& comparison);
  /// Adds a packet that was not sent through the node.
  bool skip(std::uint64_t number, const std::string& why);
  void finish();

  /// Number of compared packets.
  std::uint64_t packets() const { return packets_; }
  std::uint64_t differences() const { return differences_; }

 private:
  bool write(const std::string& json, const std::string& text);

  command::Format format_;
  command::ResultStream& to_;
  std::uint64_t packets_ = 0;
  std::uint64_t ahead_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t differences_ = 0;
  bool is_first_ = true;
};

/// The verb that sends a capture through a node and compares the result with the reference.
void add_verify(CLI::App& program, command::Action& chosen);

}  // namespace overlane::fastpath
