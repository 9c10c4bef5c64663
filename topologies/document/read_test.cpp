#include "topologies/document/read.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace overlane::document {
namespace {

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

TEST_F(Read, OneDocumentIsExactlyOne) {
  EXPECT_TRUE(read_one(write("one.yaml", "a: 1\n")));
  EXPECT_EQ(read_one(write("two.yaml", "a: 1\n---\nb: 1\n")).error().place.line, 3);
  EXPECT_EQ(read_one(write("bad.yaml", "a: [\n")).error().rule, "invalid-yaml");
  EXPECT_EQ(read_one(write("none.yaml", "")).error().rule, "empty-file");
}

}  // namespace
}  // namespace overlane::document
