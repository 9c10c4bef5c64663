#include <csignal>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/document/read/read.h"

namespace overlane::document {
namespace limits_slow_test {

constexpr std::size_t kThreeMebibytes = std::size_t{3} << 20;

TEST(Limits, AValueOrFlowCollectionThatNeverEndsIsRefused) {
  for (const std::string& text : {"a: 1\n\"" + std::string(kThreeMebibytes, 'b') + "\": 1\n",
                                  "a: [b, " + std::string(kThreeMebibytes, '['),
                                  "a: 1\nb: " + std::string(kThreeMebibytes, 'x') + "\n"}) {
    const Stream stream = parse(text + "\n---\nc: 1\n", "x.yaml");
    EXPECT_EQ(stream.documents.size(), 1u);
    ASSERT_EQ(stream.findings.size(), 1u);
    EXPECT_EQ(stream.findings[0].rule, "token-limit");
    EXPECT_EQ(stream.findings[0].place.line, text[3] == '1' && text[5] == 'b' ? 2 : 1);
  }
}

/// Writes `text` into a pipe repeatedly until the reader closes it.
class Endless {
 public:
  explicit Endless(std::string text) {
    ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    std::string block;
    while (block.size() < (std::size_t{1} << 16))
      block += text;
    writer_ = std::thread([this, block = std::move(block)] {
      while (::write(ends_[1], block.data(), block.size()) > 0) {
      }
    });
  }
  ~Endless() {
    ::close(ends_[0]);
    writer_.join();
    ::close(ends_[1]);
  }
  std::string path() const { return fmt::format("/dev/fd/{}", ends_[0]); }

 private:
  int ends_[2] = {};
  std::thread writer_;
};

TEST(Limits, AnInputWithoutAnEndIsGivenUp) {
  for (const std::string& text : {std::string(1, '\0'), std::string("a: 1\n---\n")}) {
    const Endless endless(text);
    const auto given_up = read(endless.path());
    ASSERT_FALSE(given_up) << text;
    EXPECT_EQ(given_up.error().rule, "input-limit") << text;
    EXPECT_EQ(given_up.error().place.file, endless.path()) << text;
  }
}

TEST(Parse, LargeMappingsAndListsAreReadAndSearchedInTime) {
  constexpr int kEntries = 100'000;
  std::string yaml;
  std::string json = "{";
  for (int i = 0; i < kEntries; ++i) {
    yaml += fmt::format("key-{}: {}\n", i, i);
    json += fmt::format("{}\"key-{}\": {}", i == 0 ? "" : ", ", i, i);
  }
  for (const std::string& text : {yaml, json + "}"}) {
    const Stream stream = parse(text, "x.yaml");
    ASSERT_EQ(stream.documents.size(), 1u);
    const Value root = stream.documents[0].root();
    EXPECT_EQ(root.size(), static_cast<std::size_t>(kEntries));
    for (int i = 0; i < kEntries; ++i)
      ASSERT_EQ(root[fmt::format("key-{}", i)].as_integer(), i);
    EXPECT_FALSE(root["key"].exists());
  }
  EXPECT_EQ(parse(yaml + "key-5: 1\n", "x.yaml").findings.at(0).message,
            "the key key-5 stands twice in one mapping, first in line 6");
}

}  // namespace limits_slow_test
}  // namespace overlane::document
