#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/capture/capture_file.h"
#include "dataplane/conformance/testing/case.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance {
namespace decoders_test {

using testing::Arrival;
using testing::Case;
using Bytes = std::vector<std::uint8_t>;

/// Every packet that the table makes: what is sent to the node, but for what lies on purpose, and
/// what the core and the byte path send on.
std::vector<Bytes> packets_of(const Case& row) {
  std::vector<Bytes> packets;
  const node::NodeState state = state_of(row);
  node::NodeRuntime core;
  node::NodeRuntime byte_path;
  reference::HeldFragments fragments;
  Picos now;
  for (const Arrival& arrival : row.arrivals) {
    if (!arrival.bytes.empty()) continue;
    now += arrival.silence.value_or(Picos{});
    if (!arrival.silence) packets.push_back(bytes_of(state, arrival));
    const forward::Outcome outcome = core_outcome(state, core, arrival, now);
    for (const forward::Emission& emission : outcome.emissions)
      packets.push_back(kernel::wire_bytes(state, emission.packet));
    for (const auto& packet : byte_outcome(state, byte_path, fragments, arrival, now).sent)
      packets.push_back(packet.bytes);
  }
  return packets;
}

/// All of them in one capture, each once; returns where it is and how many they are.
std::pair<std::string, std::size_t> write_capture() {
  std::set<Bytes> packets;
  for (const Case& row : testing::all_cases()) {
    for (Bytes& packet : packets_of(row))
      packets.insert(std::move(packet));
  }
  const std::string path = ::testing::TempDir() + "overlane-conformance.pcap";
  auto writer = capture::CaptureWriter::create(path, capture::LinkType::RawIp);
  EXPECT_TRUE(writer);
  std::int64_t seconds = 0;
  // Fragments of different packets must not look like fragments of one: minutes lie between.
  for (const Bytes& packet : packets)
    writer->write({.seconds = seconds += 600}, packet);
  EXPECT_TRUE(writer->close());
  return {path, packets.size()};
}

/// What a program prints, line by line.
std::vector<std::string> lines_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), count);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

/// A complaint that is none about us.
struct Excuse {
  const char* complaint;
  const char* only_with;  ///< Must stand in the same lines; empty for any.
  const char* because;
};

template <std::size_t N>
bool is_excused(const std::string& text, const std::array<Excuse, N>& excuses) {
  return std::ranges::any_of(excuses, [&](const Excuse& excuse) {
    return text.find(excuse.complaint) != std::string::npos &&
           text.find(excuse.only_with) != std::string::npos;
  });
}

constexpr std::array kTsharkExcuses{
    Excuse{
        "exceeds packet length", "first-fragment",
        "the rest of a packet that was cut inside a tunnel's outer packet is in the next fragment"},
    Excuse{"exceeds framing length", "first-fragment", "the same in IPv6"},
    Excuse{"> IP payload length", "first-fragment", "the same of a UDP datagram"},
    Excuse{
        "Illegal checksum value (0)", "first-fragment",
        "a descriptor of an IPv6 packet's first fragment does not know the checksum of the whole"},
    Excuse{"Bogus IP version", "icmp",
           "a descriptor's ICMP error quotes eight bytes of zeros behind the outer header of IPIP"},
    Excuse{"Connection reset (RST)", "tcp", "what a row sends, no fault of the packet"},
};

/// What tshark says about one packet.
struct Dissected {
  std::string text;  ///< Protocols, messages and "first-fragment" if it is one.
  bool is_warned_of = false;
};

/// From a line of fields as the test below asks for them.
Dissected dissected(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line + '\t');
  for (std::string field; std::getline(stream, field, '\t');)
    fields.push_back(field);
  fields.resize(6);
  // PI_WARN of epan/proto.h; every note of a packet has its own.
  constexpr unsigned long kWarning = 0x600000;
  Dissected packet{.text = fields[0] + ' ' + fields[5], .is_warned_of = !fields[3].empty()};
  std::istringstream severities(fields[4]);
  for (std::string severity; std::getline(severities, severity, ',');)
    packet.is_warned_of = packet.is_warned_of || std::stoul(severity) >= kWarning;
  const bool is_fragment = (fields[1] + fields[2]).find_first_of("1T") != std::string::npos;
  if (is_fragment) packet.text += " first-fragment";
  return packet;
}

TEST(Decoders, TsharkFindsNothingToWarnOf) {
  if (!is_installed("tshark")) GTEST_SKIP() << "no tshark: tools/setup installs it";
  const auto [path, count] = write_capture();
  // Payloads are zeros, whatever their port; fragments are looked at one by one.
  const auto lines = lines_of(
      "tshark -r " + path +
      " -n -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE"
      " -o ip.defragment:FALSE -o ipv6.defragment:FALSE -d udp.port==8472,vxlan"
      " --disable-protocol dns -T fields -e frame.protocols -e ip.flags.mf -e ipv6.fraghdr.more"
      " -e _ws.malformed -e _ws.expert.severity -e _ws.expert.message 2>/dev/null");
  EXPECT_EQ(lines.size(), count);
  for (const std::string& line : lines) {
    const Dissected packet = dissected(line);
    EXPECT_EQ(packet.text.find("Bad checksum"), std::string::npos) << packet.text;
    EXPECT_TRUE(!packet.is_warned_of || is_excused(packet.text, kTsharkExcuses)) << packet.text;
  }
}

constexpr std::array kTcpdumpExcuses{
    Excuse{
        "truncated-ip", "flags [+",
        "the rest of a packet that was cut inside a tunnel's outer packet is in the next fragment"},
    Excuse{"truncated-ip", ":0|", "the same in IPv6"},
    Excuse{"(invalid)", "ICMP",
           "an ICMP error that a descriptor stands for quotes eight bytes behind the IP header"},
    Excuse{"unreachable port [|icmp6]", "ICMP6",
           "tcpdump wants TCP or UDP behind the quoted IPv6 header, not a tunnel"},
};

TEST(Decoders, TcpdumpFindsNothingToWarnOf) {
  if (!is_installed("tcpdump")) GTEST_SKIP() << "no tcpdump: tools/setup installs it";
  const auto [path, count] = write_capture();
  // A packet's first line begins with its time, the others with white space.
  std::vector<std::string> packets;
  for (const std::string& line : lines_of("tcpdump -n -vv -tt -r " + path + " 2>/dev/null")) {
    if (packets.empty() || std::isdigit(static_cast<unsigned char>(line.front())) != 0) {
      packets.emplace_back();
    }
    packets.back() += line + '\n';
  }
  EXPECT_EQ(packets.size(), count);
  for (const std::string& packet : packets) {
    const bool complains = std::ranges::any_of(
        std::array{"bad ", "[|", "invalid", "truncated", "incorrect", "wrong", "malformed", "[!]"},
        [&](const char* complaint) { return packet.find(complaint) != std::string::npos; });
    EXPECT_EQ(packet.find("bad "), std::string::npos) << packet;
    EXPECT_TRUE(!complains || is_excused(packet, kTcpdumpExcuses)) << packet;
  }
}

}  // namespace decoders_test
}  // namespace overlane::conformance
