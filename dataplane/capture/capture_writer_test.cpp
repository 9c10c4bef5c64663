#include "dataplane/capture/capture_writer.h"

#include <cstdio>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/capture/capture_reader.h"

namespace overlane::capture {

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
  // Every length of padding, and none.
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
