#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/socket.h>

#include "dataplane/kernel/namespaces/owned_fd.h"
#include "dataplane/kernel/traffic/flow.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// How long a call waits before it looks whether the flow is over.
inline constexpr std::chrono::milliseconds kSocketWait{50};

/// A TCP socket that listens, or a UDP socket, at an address of a namespace.
Parsed<OwnedFd> open_server(const FlowEnd& end, std::uint16_t port, bool udp);

/// A socket in the client's namespace that is connected to the server. TCP: waits for the handshake
/// at most `patience`.
Parsed<OwnedFd> open_client(const FlowEnd& client, const FlowEnd& server, std::uint16_t port,
                            bool udp, std::chrono::milliseconds patience);

/// The next connection, if there is one within kSocketWait.
std::optional<OwnedFd> accept_one(int listener);

/// What a call that may time out did.
enum class Io : std::uint8_t { Done, Waited, Ended };

/// Writes or reads all of `bytes`, which goes on where `done` says.
Io send_all(int fd, std::span<const std::uint8_t> bytes, std::size_t& done);
Io receive_all(int fd, std::span<std::uint8_t> bytes, std::size_t& done);

/// Whether errno says that the failed call may be tried again: it timed out, was interrupted, found
/// a full queue, or the other end does not listen yet.
bool has_merely_waited();

}  // namespace overlane::kernel
