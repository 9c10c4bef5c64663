#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace decode_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kFolder = "dataplane/capture/testing/captures/";
const std::string kVxlan = kFolder + "vxlan.pcap";

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// Writes the first `bytes` bytes of a capture with one byte changed.
std::string changed_capture(const std::string& name, std::size_t bytes, std::size_t at = 0,
                            char by = 0) {
  std::string content = read_text(source_file(kVxlan)).substr(0, bytes);
  if (at > 0) content[at] = by;
  return write_temporary(name, content);
}

TEST(Decode, PrintsALinePerPacketAndOnePerPacketInside) {
  const Answer answer = run_overlane("decode " + kVxlan);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.err, IsEmpty());
  EXPECT_THAT(answer.out, HasSubstr("192.0.2.1 > 192.0.2.2, ttl 64, udp 54340 > 4789 (checksum "
                                    "left to offload), vxlan vni 4096\n"));
  EXPECT_THAT(answer.out, HasSubstr("\n                                 198.51.100.1 > "
                                    "198.51.100.2, ttl 64, icmp echo, ident 7, seq 1"));
  EXPECT_THAT(answer.out, EndsWith("\n34 packets, 0 of them with problems\n"));
}

TEST(Decode, JsonLinesAreOnePacketEach) {
  const Answer answer = run_overlane("decode -o jsonl " + kVxlan);
  const auto lines = lines_of(answer.out);
  ASSERT_EQ(lines.size(), 34u);
  EXPECT_EQ(lines[33]["number"], 34);
  EXPECT_FALSE(lines[0].contains("schema_version"));
  EXPECT_EQ(lines[23]["layers"][3]["layer"], "vxlan");
  EXPECT_EQ(lines[23]["layers"][3]["vni"], 4096);
  EXPECT_THAT(lines[23]["problems"], IsEmpty());
}

TEST(Decode, JsonIsOneDocument) {
  const auto json =
      nlohmann::ordered_json::parse(run_overlane("decode -o json " + kVxlan + " --count 5").out);
  EXPECT_EQ(json.begin().key(), "schema_version");
  EXPECT_EQ(json["kind"], "DecodedPackets");
  EXPECT_EQ(json["packets"].size(), 5u);
  EXPECT_EQ(json["summary"], (nlohmann::ordered_json{{"packets", 5}, {"with_problems", 0}}));
  const auto none =
      nlohmann::json::parse(run_overlane("decode -o json --only-problems " + kVxlan).out);
  EXPECT_EQ(none["packets"].size(), 0u);
}

TEST(Decode, ReadsStandardInputAndSeveralFiles) {
  EXPECT_EQ(run_overlane("decode - <" + kVxlan).out, run_overlane("decode " + kVxlan).out);
  const std::string both = kFolder + "ipip.pcap " + kFolder + "sit.pcap";
  EXPECT_THAT(run_overlane("decode " + both).out,
              StartsWith("dataplane/capture/testing/captures/ipip.pcap\n      1 "));
  const auto lines = lines_of(run_overlane("decode -o jsonl " + both).out);
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_EQ(lines[15]["file"], kFolder + "sit.pcap");
  EXPECT_EQ(lines[15]["number"], 1);
}

TEST(Decode, ProblemIsAWarningAboutItsPacket) {
  const std::string file = changed_capture("problem.pcap", 10'000, 24 + 16 + 14 + 8, 1);
  const Answer answer = run_overlane("decode " + file);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("  problem: ipv4: the checksum is wrong (0x"));
  EXPECT_EQ(run_overlane("decode --fail-on warning " + file).exit_code, 1);
  EXPECT_EQ(run_overlane("decode --fail-on warning " + kVxlan).exit_code, 0);
  const auto lines = lines_of(run_overlane("decode -o jsonl --only-problems " + file).out);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0]["problems"][0].get<std::string>(),
              testing::MatchesRegex("ipv4: the checksum is wrong .0x[0-9a-f]{4}, expected "
                                    "0x[0-9a-f]{4}."));
}

// The capture contains an Ethernet frame with a wrong outer checksum of VXLAN.
TEST(Decode, SaysOnceWhatWrongOuterChecksumsMean) {
  using std::string_literals::operator""s;
  const std::string header = "\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0"s;
  const std::string frame =
      "\x02\x00\x00\x00\x0a\x02\x02\x00\x00\x00\x0a\x01\x08\x00\x45\x00\x00\x5a\x00\x09"s
      "\x00\x00\x40\x11\xf6\x4a\xc0\x00\x02\x1f\xc0\x00\x02\x20\xc3\xcb\x12\xb5\x00\x46"s
      "\x1d\x67\x08\x00\x00\x00\x00\x10\x00\x00\x02\x00\x00\x00\x0b\x02\x02\x00\x00\x00"s
      "\x0b\x01\x08\x00\x45\x00\x00\x28\x00\x05\x40\x00\x3f\x06\x23\xff\x0a\x60\x01\x04"s
      "\x0a\x60\x02\x09\x9c\x41\x01\xbb\x00\x00\x00\x07\x00\x00\x00\x00\x50\x02\xfa\x00"s
      "\x00\x12\x00\x00"s;
  const std::string size{static_cast<char>(frame.size()), 0, 0, 0};
  const std::string packet = std::string(8, '\0') + size + size + frame;
  const std::string file = write_temporary("outer.pcap", header + packet + packet);
  const Answer table = run_overlane("decode " + file);
  EXPECT_THAT(table.out, HasSubstr("(0x1d67, expected 0x9275); the packet inside is intact\n"));
  const std::string out = unwrapped(table.out);
  EXPECT_THAT(out,
              HasSubstr("outer-checksum: 2 packets from 192.0.2.31 have a wrong outer checksum "
                        "around an intact packet: "));
  EXPECT_THAT(out, HasSubstr("remedy: run `ethtool -K vxlan.calico tx-checksum-ip-generic off`"));
  const auto json = nlohmann::json::parse(run_overlane("decode -o json " + file).out);
  ASSERT_EQ(json["summary"]["diagnoses"].size(), 1u);
  EXPECT_EQ(json["summary"]["diagnoses"][0]["packets"], 2);
  EXPECT_EQ(json["summary"]["diagnoses"][0]["senders"][0], "192.0.2.31");
  const Answer lines = run_overlane("decode -o jsonl " + file);
  EXPECT_EQ(lines.exit_code, 0);
  EXPECT_EQ(lines_of(lines.out).size(), 2u);
  EXPECT_THAT(unwrapped(lines.err), HasSubstr("[outer-checksum]"));
}

TEST(Decode, TruncatedCaptureShowsItsPacketsAndExitsWith1) {
  const std::string file = changed_capture("cut.pcap", 24 + 16 + 160 + 16 + 9);
  const Answer answer = run_overlane("decode -o jsonl " + file);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(unwrapped(answer.err),
              HasSubstr(file + ": error: the capture breaks off in packet 2: "));
  const auto lines = lines_of(answer.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["length_bytes"], 160);
  EXPECT_EQ(lines[1]["number"], 2);
  EXPECT_THAT(lines[1]["layers"], IsEmpty());
  EXPECT_THAT(lines[1]["problems"][0].get<std::string>(), HasSubstr("breaks off"));
}

TEST(Decode, InputThatIsNoCaptureExitsWith3OrAmongOthersWith1) {
  for (const char* path : {"README.md", "nonexistent.pcap", "docs", "- </dev/null"}) {
    const Answer answer = run_overlane(std::string("decode ") + path);
    EXPECT_EQ(answer.exit_code, 3) << path;
    EXPECT_THAT(answer.out, IsEmpty()) << path;
    EXPECT_THAT(answer.err, HasSubstr(": error: ")) << path;
  }
  const Answer both = run_overlane("decode README.md " + kVxlan);
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.out, HasSubstr("34 packets"));
  EXPECT_THAT(both.err, StartsWith("README.md: error: "));
}

TEST(Decode, FullDiskExitsWith4) {
  for (const char* format : {"table", "json", "jsonl"}) {
    const Answer answer =
        run_overlane("decode -o " + std::string(format) + " --out /dev/full " + kVxlan);
    EXPECT_EQ(answer.exit_code, 4) << format;
    EXPECT_THAT(answer.err, HasSubstr("/dev/full: No space left on device")) << format;
  }
}

TEST(Decode, TunnelPortsCanBeAdded) {
  // The source port is 36 bytes into the Ethernet frame: 5000 instead of 4789.
  std::string content = read_text(source_file(kVxlan)).substr(0, 24 + 16 + 160);
  content[24 + 16 + 36] = 0x13;
  content[24 + 16 + 37] = static_cast<char>(0x88);
  const std::string file = write_temporary("port.pcap", content);
  EXPECT_THAT(run_overlane("decode " + file).out, Not(HasSubstr("vxlan")));
  EXPECT_THAT(run_overlane("decode --port geneve=5001 --port vxlan=5000 " + file).out,
              HasSubstr("vxlan vni 4096"));
  for (const char* bad : {"vxlan", "vxlan=", "vxlan=0", "vxlan=65536", "vxlan=1x", "gre=47"})
    EXPECT_EQ(run_overlane("decode " + file + " --port " + bad).exit_code, 2) << bad;
}

}  // namespace decode_test
}  // namespace overlane::command
