#include "topologies/manifest/spec/shoot_spec.h"

#include <string>

#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::manifest {

namespace worker_pool_test {

struct Row {
  const char* what;
  std::string worker;  ///< Flow mapping.
  std::string rules;   ///< Rules of the findings, separated by blanks.
};

const Row kRows[] = {
    {"a sound pool", "{name: w, minimum: 1, maximum: 2}", ""},
    {"no numbers", "{name: w}", ""},
    {"more at least than at most", "{name: w, minimum: 3, maximum: 2}", "bad-value "},
    {"a maximum that is left out", "{name: w, minimum: 1}", "bad-value "},
    {"a maximum that is a text", "{name: w, minimum: 1, maximum: \"5\"}", "wrong-type "},
    {"a minimum that is a text", "{name: w, minimum: \"1\", maximum: 0}", "wrong-type "},
    {"a maximum beyond an int32", "{name: w, minimum: 1, maximum: 2147483648}", "bad-value "},
    {"a name of two lines", "{name: \"w\\nx\"}", "bad-value "},
    {"a name that turns the direction of writing", "{name: \"w\\u202e\"}", "bad-value "},
};

TEST(WorkerPool, EachMistakeHasOneFinding) {
  for (const Row& row : kRows) {
    const document::Stream stream = document::parse("worker: " + row.worker + "\n", "x.yaml");
    ASSERT_EQ(stream.documents.size(), 1u) << row.what;
    document::Problems problems({});
    decode_shoot_worker(stream.documents[0].root()["worker"], problems);
    std::string rules;
    for (const Finding& finding : problems.findings())
      rules += finding.rule + ' ';
    EXPECT_EQ(rules, row.rules) << row.what;
  }
}

}  // namespace worker_pool_test

}  // namespace overlane::manifest
