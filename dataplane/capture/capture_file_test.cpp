#include "dataplane/capture/capture_file.h"

#include <bit>
#include <cstdio>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/capture/testing/capture_bytes.h"

namespace overlane::capture {
namespace capture_reader_test {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kEthernet = 1;
const ByteVector kPacket = {1, 2, 3, 4, 5};

Result<CaptureReader> open(const CaptureBytes& capture) {
  return CaptureReader::open(write_capture("reader", capture.bytes()));
}

void expect_two_packets(const CaptureBytes& capture, std::uint32_t nanoseconds) {
  auto reader = open(capture);
  ASSERT_TRUE(reader) << reader.error().to_string();
  for (const std::uint64_t number : {1u, 2u}) {
    const auto packet = reader->next();
    ASSERT_TRUE(packet && *packet) << number;
    EXPECT_EQ((*packet)->number, number);
    EXPECT_EQ((*packet)->timestamp, (Timestamp{1'422'828'273, nanoseconds}));
    EXPECT_EQ((*packet)->length_bytes, 5u);
    EXPECT_THAT((*packet)->bytes, ElementsAreArray(kPacket));
  }
  const auto end = reader->next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST(CaptureReader, ReadsPcapOfEitherByteOrderAndResolution) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    CaptureBytes micro(order);
    micro.pcap_header(kMicroseconds, kEthernet);
    CaptureBytes nano(order);
    nano.pcap_header(kNanoseconds, kEthernet);
    for (int count = 0; count < 2; ++count) {
      micro.pcap_packet(1'422'828'273, 817'203, kPacket);
      nano.pcap_packet(1'422'828'273, 817'203'123, kPacket);
    }
    expect_two_packets(micro, 817'203'000);
    expect_two_packets(nano, 817'203'123);
  }
}

TEST(CaptureReader, ReadsPcapngOfEitherByteOrder) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    CaptureBytes capture(order);
    capture.pcapng_header(kEthernet);
    for (int count = 0; count < 2; ++count)
      capture.pcapng_packet(1'422'828'273'817'203'123, kPacket);
    expect_two_packets(capture, 817'203'123);
  }
}

TEST(CaptureReader, TellsWhatASnapLengthCut) {
  auto reader = open(CaptureBytes(std::endian::little)
                         .pcap_header(kMicroseconds, kEthernet)
                         .pcap_packet(0, 0, kPacket, 1'495));
  const auto packet = reader->next();
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ((*packet)->bytes.size(), 5u);
  EXPECT_EQ((*packet)->length_bytes, 1'500u);
}

TEST(CaptureReader, KnowsTheLinkTypesOfItsTable) {
  constexpr std::pair<std::uint32_t, LinkType> kCases[] = {
      {0, LinkType::Null},   {1, LinkType::Ethernet},       {101, LinkType::RawIp},
      {108, LinkType::Loop}, {113, LinkType::LinuxCooked},  {228, LinkType::Ipv4},
      {229, LinkType::Ipv6}, {276, LinkType::LinuxCooked2},
  };
  for (const auto& [number, type] : kCases) {
    const auto reader = open(CaptureBytes(std::endian::little).pcap_header(kMicroseconds, number));
    ASSERT_TRUE(reader) << number;
    EXPECT_EQ(reader->link_type(), type) << number;
  }
  const auto wireless = open(CaptureBytes(std::endian::little).pcap_header(kMicroseconds, 105));
  ASSERT_FALSE(wireless);
  EXPECT_EQ(wireless.error().rule, "unsupported-link-type");
  EXPECT_THAT(wireless.error().message, HasSubstr("105 (IEEE802_11)"));
}

TEST(CaptureReader, GivesThePacketsBeforeTheCutAndThenOneError) {
  CaptureBytes whole(std::endian::little);
  whole.pcap_header(kMicroseconds, kEthernet).pcap_packet(0, 0, kPacket).pcap_packet(0, 0, kPacket);
  const std::size_t first_end = 24 + 16 + kPacket.size();
  for (std::size_t size = 24; size < whole.bytes().size(); ++size) {
    auto reader = CaptureReader::open(write_capture("cut", std::span(whole.bytes()).first(size)));
    ASSERT_TRUE(reader) << size;
    if (size >= first_end) {
      const auto first = reader->next();
      ASSERT_TRUE(first && *first) << size;
    }
    const auto last = reader->next();
    if (size == 24 || size == first_end) {
      EXPECT_TRUE(last && !*last) << size;
      continue;
    }
    ASSERT_FALSE(last) << size;
    EXPECT_EQ(last.error().rule, "cut-capture");
    EXPECT_THAT(last.error().message,
                HasSubstr(size < first_end ? "in packet 1: " : "in packet 2: "));
    EXPECT_THAT(last.error().place.file, HasSubstr("cut"));
  }
}

TEST(CaptureReader, RefusesWhatIsNoCaptureWithTheNameOfTheFile) {
  const ByteVector words = {'k', 'i', 'n', 'd', ':', ' ', 'S', 'h', 'o', 'o', 't', '\n'};
  for (const ByteVector& bytes : {ByteVector{}, ByteVector{0xd4}, words, ByteVector(100)}) {
    const std::string path = write_capture("none", bytes);
    const auto reader = CaptureReader::open(path);
    ASSERT_FALSE(reader) << bytes.size();
    EXPECT_EQ(reader.error().rule, "no-capture");
    EXPECT_EQ(reader.error().place.file, path);
  }
  EXPECT_THAT(CaptureReader::open("/nonexistent.pcap").error().to_string(),
              HasSubstr("/nonexistent.pcap: error: No such file"));
  EXPECT_FALSE(CaptureReader::open(testing::TempDir()));
}

TEST(CaptureReader, AFileMayLieAboutItsTimes) {
  auto reader = open(CaptureBytes(std::endian::little)
                         .pcap_header(kMicroseconds, kEthernet)
                         .pcap_packet(7, 2'000'000, kPacket)
                         .pcap_packet(7, 0xffffffff, kPacket));
  EXPECT_EQ((*reader->next())->timestamp, (Timestamp{9, 0}));
  EXPECT_EQ((*reader->next())->timestamp, (Timestamp{6, 999'999'000}));
}

}  // namespace capture_reader_test

namespace capture_writer_test {

using testing::ElementsAreArray;
using testing::HasSubstr;

const std::vector<std::uint8_t> kPacket = {0x45, 0, 0, 20};

TEST(CaptureWriter, WritesWhatTheReaderReads) {
  const std::string path = testing::TempDir() + "overlane_writer.pcap";
  for (const LinkType type :
       {LinkType::Ethernet, LinkType::RawIp, LinkType::Ipv4, LinkType::Ipv6, LinkType::LinuxCooked,
        LinkType::LinuxCooked2, LinkType::Null, LinkType::Loop}) {
    auto writer = CaptureWriter::create(path, type);
    ASSERT_TRUE(writer);
    writer->write({1, 999'999'999}, kPacket);
    writer->write({2, 0}, {});
    ASSERT_TRUE(writer->close());

    auto reader = CaptureReader::open(path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->link_type(), type);
    const auto first = reader->next();
    ASSERT_TRUE(first && *first);
    EXPECT_EQ((*first)->timestamp, (Timestamp{1, 999'999'999}));
    EXPECT_THAT((*first)->bytes, ElementsAreArray(kPacket));
    EXPECT_EQ((*reader->next())->length_bytes, 0u);
    EXPECT_FALSE(*reader->next());
  }
}

TEST(CaptureWriter, AFullDiskIsAnErrorThatNamesTheFile) {
  auto writer = CaptureWriter::create("/dev/full", LinkType::Ethernet);
  ASSERT_TRUE(writer);
  for (int count = 0; count < 10'000; ++count)
    writer->write({}, kPacket);
  const auto closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().to_string(), HasSubstr("/dev/full: error: No space left on device"));
}

TEST(CaptureWriter, AFolderThatIsNotThereIsAnErrorAtOnce) {
  const auto writer = CaptureWriter::create("/nonexistent/x.pcap", LinkType::RawIp);
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().to_string(), HasSubstr("/nonexistent/x.pcap: error: No such file"));
}

}  // namespace capture_writer_test

namespace pcapng_writer_test {

using ::testing::ElementsAreArray;

TEST(PcapngWriter, WritesWhatTheReaderReads) {
  const std::string path = testing::TempDir() + "overlane_writer.pcapng";
  auto writer = PcapngWriter::create(path);
  ASSERT_TRUE(writer);
  const std::uint32_t first = writer->add_interface("node-1/eth0", LinkType::LinuxCooked2);
  const std::uint32_t second = writer->add_interface("b", LinkType::LinuxCooked2);
  EXPECT_NE(first, second);
  // Packets with each possible length of padding.
  const std::vector<std::vector<std::uint8_t>> packets = {
      {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2}, {1, 2, 3}};
  std::uint32_t time = 0;
  for (const auto& packet : packets) {
    ++time;
    writer->write(time % 2 == 0 ? first : second, {7, time}, packet,
                  PcapngWriter::Direction::Outbound, std::string(time, 'x'));
  }
  ASSERT_TRUE(writer->close());

  auto reader = CaptureReader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->link_type(), LinkType::LinuxCooked2);
  time = 0;
  for (const auto& expected : packets) {
    const auto packet = reader->next();
    ASSERT_TRUE(packet && *packet);
    EXPECT_THAT((*packet)->bytes, ElementsAreArray(expected));
    EXPECT_EQ((*packet)->timestamp, (Timestamp{7, ++time}));
  }
  EXPECT_FALSE(reader->next().value());
  std::remove(path.c_str());
}

TEST(PcapngWriter, SaysWhichFileItCannotCreate) {
  const auto writer = PcapngWriter::create("/nowhere/x.pcapng");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().place.file, "/nowhere/x.pcapng");
}

}  // namespace pcapng_writer_test
}  // namespace overlane::capture
