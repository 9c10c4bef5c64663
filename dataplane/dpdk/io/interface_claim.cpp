#include "dataplane/dpdk/io/interface_claim.h"

#include <cerrno>
#include <cstring>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

/// The value of `iface=` in "net_af_packet0,iface=veth0,framesz=4096".
std::string interface_of(const std::string& device) {
  constexpr std::string_view kKey = ",iface=";
  const std::size_t at = device.find(kKey);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kKey.size();
  return device.substr(begin, device.find(',', begin) - begin);
}

/// Binds a Unix socket to a name in the abstract namespace, which is the network namespace's
/// (unix(7)). Negative, and errno set, when it is in use.
int bound_socket(const std::string& name) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  // The first byte is 0.
  std::strncpy(address.sun_path + 1, name.c_str(), sizeof address.sun_path - 2);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const auto* bound = reinterpret_cast<const sockaddr*>(&address);
  if (bind(socket, bound, sizeof address) == 0) return socket;
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

}  // namespace

Parsed<std::optional<InterfaceClaim>> InterfaceClaim::of(const std::string& device) {
  const std::string name = interface_of(device);
  if (name.empty()) return std::nullopt;
  const unsigned index = if_nametoindex(name.c_str());
  if (index == 0) return fail(dpdk_error("interface " + name, errno));
  const int socket = bound_socket("overlane-fastpath/" + name);
  if (socket < 0 && errno == EADDRINUSE) {
    return fail(fmt::format("interface {} belongs to another overlane-fastpath", name));
  }
  if (socket < 0) return fail(dpdk_error("interface " + name, errno));
  return InterfaceClaim(name, index, socket);
}

InterfaceClaim::InterfaceClaim(InterfaceClaim&& other) noexcept
    : name_(std::move(other.name_)),
      index_(other.index_),
      socket_(std::exchange(other.socket_, -1)) {}

InterfaceClaim::~InterfaceClaim() {
  if (socket_ >= 0) close(socket_);
}

bool InterfaceClaim::is_there() const {
  return if_nametoindex(name_.c_str()) == index_;
}

}  // namespace overlane::dpdk
