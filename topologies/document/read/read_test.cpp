#include "topologies/document/read/read.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace overlane::document {

namespace read_test {

namespace fs = std::filesystem;

class Read : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fs::path("overlane-read-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "deeper");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

TEST_F(Read, AFolderIsSearchedInSortedOrder) {
  write("b.yml", "b: 1\n");
  write("deeper/a.json", "{\"a\": 1}");
  write("notes.txt", "not: read\n");
  write("a.yaml", "[\n");
  const Result<Stream> stream = read(folder_.string());
  ASSERT_TRUE(stream);
  ASSERT_EQ(stream->documents.size(), 2u);
  EXPECT_TRUE(stream->documents[0].root()["b"].exists());
  ASSERT_EQ(stream->findings.size(), 1u);
  EXPECT_EQ(stream->findings[0].place.file, (folder_ / "a.yaml").string());
}

TEST_F(Read, WhatCannotBeReadInAFolderHidesNothingElse) {
  write("good.yaml", "a: 1\n");
  fs::create_symlink("loop.yaml", folder_ / "loop.yaml");
  fs::create_directory_symlink(folder_, folder_ / "deeper/up");
  write("deeper/good.yaml", "b: 1\n");
  fs::create_directories(folder_ / "closed");
  fs::permissions(folder_ / "closed", fs::perms::none);
  // Root can read all files.
  constexpr uid_t kNobody = 65534;
  const uid_t user = geteuid();
  if (user == 0) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const Result<Stream> stream = read(folder_.string());
  if (user == 0) {
    ASSERT_EQ(seteuid(user), 0);
  }
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->documents.size(), 2u);
  ASSERT_EQ(stream->findings.size(), 2u);
  EXPECT_EQ(stream->findings[0].place.file, (folder_ / "closed").string());
  EXPECT_EQ(stream->findings[1].place.file, (folder_ / "loop.yaml").string());
  for (const Finding& finding : stream->findings)
    EXPECT_EQ(finding.rule, "unreadable-file");
}

TEST_F(Read, WhatCannotBeReadIsAnErrorWithThePath) {
  for (const std::string& path :
       {(folder_ / "missing.yaml").string(), (folder_ / "deeper").string()}) {
    const Result<Stream> stream = read(path);
    ASSERT_FALSE(stream);
    EXPECT_EQ(stream.error().rule, "unreadable-file");
    EXPECT_EQ(stream.error().place.file, path);
    EXPECT_FALSE(stream.error().hint.empty());
  }
}

TEST_F(Read, DevicesAndWhatHasNoEndAreRefusedAndPipesAreRead) {
  for (const char* device : {"/dev/zero", "/dev/random", "/dev/null"}) {
    const auto refused = read(device);
    ASSERT_FALSE(refused) << device;
    EXPECT_EQ(refused.error().rule, "unreadable-file");
    EXPECT_EQ(refused.error().message, "this is a device, and no file");
  }
  const std::string huge = write("huge.yaml", "");
  fs::resize_file(huge, std::uintmax_t{5} << 30);  // Sparse.
  EXPECT_EQ(read(huge).error().rule, "input-limit");

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a: 1\n", 5), 5);
  ::close(ends[1]);
  const auto piped = read(fmt::format("/dev/fd/{}", ends[0]));
  ::close(ends[0]);
  ASSERT_TRUE(piped) << piped.error().to_string();
  EXPECT_EQ(piped->documents.size(), 1u);
}

TEST_F(Read, OneDocumentIsExactlyOne) {
  EXPECT_TRUE(read_one(write("one.yaml", "a: 1\n")));
  EXPECT_EQ(read_one(write("two.yaml", "a: 1\n---\nb: 1\n")).error().place.line, 3);
  EXPECT_EQ(read_one(write("bad.yaml", "a: [\n")).error().rule, "invalid-yaml");
  EXPECT_EQ(read_one(write("none.yaml", "")).error().rule, "empty-file");
}

std::string shoot(int number, const std::string& lead, const std::string& indentation) {
  return fmt::format(
      "{1}apiVersion: core.gardener.cloud/v1beta1\n{2}kind: Shoot\n"
      "{2}metadata:\n{2}  name: shoot-{0}\n{2}  text: {3:x>700}\n{2}  n\u00e4me: [\"\u00e9\", "
      "{0}]\n",
      number, lead, indentation, "");
}

/// The observable content of a document or finding.
void print(const Value& value, std::string& text) {
  const SourceLocation place = value.place();
  text += fmt::format("{}:{}:{}:{} ", value.path(), place.line, place.column,
                      value.key_place().to_string());
  if (!value.is(Kind::Mapping) && !value.is(Kind::Sequence))
    text += fmt::format("{}{}\n", value.quoted() ? "'" : "", value.text());
  for (const Value child : value)
    print(child, text);
}

std::string print(const Result<Tree>& document) {
  if (!document) return document.error().to_string() + document.error().path;
  std::string text = document->list() == nullptr ? "" : document->list()->kind;
  print(document->root(), text);
  return text;
}

std::string print_all(const std::string& path, unsigned threads) {
  std::string text;
  const auto visit = [&](const Result<Tree>& document) { text += print(document) + "\n"; };
  EXPECT_TRUE(read_each(path, visit, threads));
  return text;
}

TEST_F(Read, IsTheSameWithAnyNumberOfThreads) {
  std::string documents, list = "apiVersion: v1\nitems:\n", json = "{\"items\": [\n";
  for (int i = 0; i < 700; ++i) {
    documents += "---\n" + (i % 200 == 7 ? "broken: [\n" : shoot(i, "", ""));
    list += i % 200 == 7 ? "- broken: [\n" : shoot(i, "- ", "  ");
    json += fmt::format("{}{{\"kind\": \"Shoot\", \"n\u00e4me\": {}}}", i == 0 ? "" : ",\n ",
                        i % 200 == 7 ? "tru" : std::to_string(i));
  }
  write("a.yaml", documents);
  write("b.yaml", list + "kind: List\n");
  write("c.json", json + "], \"kind\": \"List\"}\n");
  write("d.json", json + "], \"kind\": \"Other\"}\n");
  const std::string alone = print_all(folder_.string(), 1);
  EXPECT_GT(alone.size(), 1'000'000u);
  for (const unsigned threads : {2u, 5u})
    EXPECT_TRUE(print_all(folder_.string(), threads) == alone) << threads;
}

TEST_F(Read, ATextAndAFileAreReadAlike) {
  std::string text;
  for (int i = 0; i < 1600; ++i)
    text += (i % 3 == 0 ? "---\n" : "--- # next\r\n") + shoot(i, "", "");
  const auto from_file = read(write("a.yaml", "\xef\xbb\xbf" + text));
  const Stream from_text = parse(text, (folder_ / "a.yaml").string());
  ASSERT_TRUE(from_file);
  ASSERT_EQ(from_file->documents.size(), 1600u);
  ASSERT_EQ(from_text.documents.size(), 1600u);
  for (std::size_t i = 0; i < 1600; ++i)
    ASSERT_EQ(print(from_file->documents[i]), print(from_text.documents[i]));
}

/// An invalid byte is found at every position of a large file.
TEST_F(Read, LargeFilesAreCheckedPartByPart) {
  for (const int lines : {0, 20'000, 100'000}) {
    SCOPED_TRACE(lines);
    std::string head;
    for (int i = 0; i < lines; ++i)
      head += "# A comment that is about so long as others are.\n";
    head += "a: \"";
    const auto stream = [&](const std::string& end) { return read(write("a.yaml", head + end)); };
    EXPECT_TRUE(stream("\"\n")->findings.empty());
    for (const std::string& other : {std::string("\xff"), std::string(1, '\0')})
      EXPECT_EQ(stream(other + "\"\n")->findings.at(0).rule, "binary-file");
    EXPECT_EQ(stream("\"\rb: 1\rc: 2\n")->documents.at(0).root()["c"].text(), "2");
  }
}

}  // namespace read_test

}  // namespace overlane::document
