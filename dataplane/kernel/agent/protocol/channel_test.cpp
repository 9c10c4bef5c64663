#include "dataplane/kernel/agent/protocol/channel.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::agent {

namespace authentication_test {

using ::testing::HasSubstr;

const std::string kSecret = "a secret of more than sixteen bytes";

Bytes32 counting(std::uint8_t from) {
  Bytes32 bytes;
  for (std::uint8_t& byte : bytes)
    byte = from++;
  return bytes;
}
const Challenge kChallenge{.agent_nonce = counting(0), .client_nonce = counting(100)};

class TokenFile : public ::testing::Test {
 protected:
  void write(const std::string& content, mode_t mode = 0600) const {
    std::ofstream(file_, std::ios::trunc) << content;
    chmod(file_.c_str(), mode);
  }
  std::string error() const {
    const auto token = Token::read(file_);
    return token ? "" : token.error();
  }
  void TearDown() override { std::filesystem::remove(file_); }

  const std::filesystem::path file_ = ::testing::TempDir() + "overlane-token";
};

TEST(Token, AProofIsHmacSha256OverPurposeRoleAndNonces) {
  // Computed from printf 'overlane testbed agent 1
  //
  // client
  //
  // ' and the bytes 0…31 and 100…131 by openssl dgst -sha256 -hmac 'a secret of more than sixteen
  // bytes'
  EXPECT_EQ(hex(Token::of(kSecret)->proof(Role::Client, kChallenge)),
            "5996b04513c1eb8059ee6d978efa26f8a25d9c16947ea194c694248501543ce1");
}

TEST(Token, OnlyTheSameTokenRoleAndNoncesAreAccepted) {
  const Token token = *Token::of(kSecret);
  const Bytes32 proof = token.proof(Role::Client, kChallenge);
  EXPECT_TRUE(token.accepts(proof, Role::Client, kChallenge));
  EXPECT_FALSE(token.accepts(proof, Role::Agent, kChallenge)) << "sent back to its author";
  EXPECT_FALSE(Token::of(kSecret + "x")->accepts(proof, Role::Client, kChallenge));
  Challenge other = kChallenge;
  other.client_nonce[31] ^= 1;
  EXPECT_FALSE(token.accepts(proof, Role::Client, other));
  Bytes32 changed = proof;
  changed[0] ^= 0x80;
  EXPECT_FALSE(token.accepts(changed, Role::Client, kChallenge));
}

TEST(Token, NoncesDiffer) {
  EXPECT_NE(make_nonce().value(), make_nonce().value());
}

TEST(Token, HexIsReadBackAndNothingElse) {
  const Bytes32 bytes = counting(200);
  EXPECT_EQ(from_hex(hex(bytes)), bytes);
  for (const std::string& wrong :
       {std::string(), hex(bytes) + "0", hex(bytes).substr(1), std::string(64, 'A'),
        std::string(64, '\0'), "0x" + hex(bytes).substr(2)})
    EXPECT_FALSE(from_hex(wrong)) << wrong;
}

TEST_F(TokenFile, WhiteSpaceAtItsEndIsNotOfTheToken) {
  write(kSecret + " \r\n\n");
  const auto token = Token::read(file_);
  ASSERT_TRUE(token) << token.error();
  EXPECT_TRUE(
      token->accepts(Token::of(kSecret)->proof(Role::Agent, kChallenge), Role::Agent, kChallenge));
}

TEST_F(TokenFile, UnsafeOnesAreRefused) {
  EXPECT_THAT(error(), HasSubstr("No such file"));
  write("");
  EXPECT_THAT(error(), HasSubstr("overlane-token: the token is empty"));
  write("\n");
  EXPECT_THAT(error(), HasSubstr("the token is empty"));
  write("fifteen bytes..\n");
  EXPECT_THAT(error(), HasSubstr("the token has 15 bytes, less than 16"));
  write(std::string(Token::kMaxBytes + 1, 'x'));
  EXPECT_THAT(error(), HasSubstr("more than 4096 bytes"));
  write(kSecret, 0644);
  EXPECT_THAT(error(), HasSubstr("every user of this machine may read it"));
  write(kSecret, 0640);
  EXPECT_EQ(error(), "");
}

}  // namespace authentication_test

}  // namespace overlane::agent
