#include "tools/fastpath/testing/recorder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "dataplane/capture/capture_file.h"
#include "dataplane/capture/decode.h"

namespace overlane::fastpath {

using kernel::OwnedFd;

struct Recorder::Wire {
  std::string file;
  OwnedFd socket;
  capture::CaptureWriter writer;
  std::vector<bool> is_out;  ///< Whether the packet was sent, for each packet of the file.
  std::vector<std::uint8_t> last_out;

  std::size_t lost() const {
    tpacket_stats stats{};
    socklen_t size = sizeof stats;
    getsockopt(socket.get(), SOL_PACKET, PACKET_STATISTICS, &stats, &size);
    return stats.tp_drops;
  }
};

namespace {

constexpr std::size_t kLongestFrame = 70'000;

/// A packet socket that receives both directions.
OwnedFd listen_to(const std::string& interface) {
  OwnedFd fd(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int bytes = 256 << 20;
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
  const auto* bound = reinterpret_cast<const sockaddr*>(&address);
  return bind(fd.get(), bound, sizeof address) == 0 ? std::move(fd) : OwnedFd();
}

capture::Timestamp now() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {whole.count(),
          static_cast<std::uint32_t>(std::chrono::nanoseconds(time - whole).count())};
}

/// The problems of those packets of a capture for which `is_out` is true.
std::string problems_in(const std::string& file, const std::vector<bool>& is_out) {
  auto reader = capture::CaptureReader::open(file);
  if (!reader) return reader.error().message;
  std::string text;
  for (const bool out : is_out) {
    const auto packet = reader->next();
    if (!packet || !*packet) return text + file + " ends too early\n";
    if (!out) continue;
    const auto decoded =
        capture::decode(**packet, capture::LinkType::Ethernet, capture::default_tunnel_ports());
    for (const std::string& problem : decoded.problems)
      text += fmt::format("{} packet {}: {}\n", file, decoded.number, problem);
  }
  return text;
}

}  // namespace

Parsed<std::unique_ptr<Recorder>> Recorder::start(const kernel::NetworkNamespace& place,
                                                  const std::vector<std::string>& interfaces,
                                                  const std::filesystem::path& folder) {
  const kernel::Inside inside(place);
  std::vector<Wire> wires;
  for (const std::string& interface : interfaces) {
    const std::string file = folder / (interface + ".pcap");
    auto writer = capture::CaptureWriter::create(file, capture::LinkType::Ethernet);
    if (!writer) return fail(writer.error().message);
    OwnedFd socket = listen_to(interface);
    if (!socket.is_open()) return fail(kernel::system_error("listening to " + interface));
    wires.push_back({file, std::move(socket), std::move(*writer), {}, {}});
  }
  return std::unique_ptr<Recorder>(new Recorder(std::move(wires)));
}

Recorder::Recorder(std::vector<Wire> wires)
    : wires_(std::move(wires)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Recorder::~Recorder() = default;

void Recorder::run(const std::stop_token& stop) {
  std::vector<pollfd> waiting;
  for (const Wire& wire : wires_)
    waiting.push_back({wire.socket.get(), POLLIN, 0});
  while (true) {
    poll(waiting.data(), waiting.size(), 20);
    const std::scoped_lock lock(mutex_);
    bool any = false;
    for (Wire& wire : wires_)
      while (take(wire))
        any = true;
    if (!any && stop.stop_requested()) return;
  }
}

bool Recorder::take(Wire& wire) {
  static thread_local std::array<std::uint8_t, kLongestFrame> frame;
  sockaddr_ll from{};
  socklen_t size = sizeof from;
  const ssize_t count = recvfrom(wire.socket.get(), frame.data(), frame.size(), 0,
                                 reinterpret_cast<sockaddr*>(&from), &size);
  if (count < 0) return false;
  const std::span<const std::uint8_t> bytes(frame.data(), static_cast<std::size_t>(count));
  wire.writer.write(now(), bytes);
  wire.is_out.push_back(from.sll_pkttype == PACKET_OUTGOING);
  const bool is_ipv4 = from.sll_protocol == htons(ETH_P_IP);
  if (wire.is_out.back() && is_ipv4) wire.last_out.assign(bytes.begin(), bytes.end());
  return true;
}

std::vector<std::uint8_t> Recorder::last_out(std::size_t interface) {
  const std::scoped_lock lock(mutex_);
  while (take(wires_[interface])) {
  }
  return wires_[interface].last_out;
}

std::string Recorder::problems() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  std::string text;
  for (Wire& wire : wires_) {
    if (const std::size_t lost = wire.lost(); lost != 0) {
      text += fmt::format("{} lacks {} packets\n", wire.file, lost);
    }
    const auto closed = wire.writer.close();
    text += closed ? problems_in(wire.file, wire.is_out) : closed.error().message;
  }
  return text;
}

std::size_t Recorder::out(std::size_t interface) const {
  return static_cast<std::size_t>(std::ranges::count(wires_[interface].is_out, true));
}

std::size_t Recorder::out(
    std::size_t interface,
    const std::function<bool(std::span<const std::uint8_t>)>& is_wanted) const {
  auto reader = capture::CaptureReader::open(wires_[interface].file);
  std::size_t count = 0;
  for (const bool is_out : wires_[interface].is_out) {
    const auto packet = reader.value().next();
    count += is_out && is_wanted(packet.value().value().bytes);
  }
  return count;
}

}  // namespace overlane::fastpath
