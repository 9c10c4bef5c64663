#include "dataplane/capture/capture_writer.h"

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
}  // namespace overlane::capture
