#include "harness/payload.h"

#include <gtest/gtest.h>

#include <string>

namespace causalcheck {
namespace {

std::string payload_of(std::uint64_t run, const PayloadFields& fields, std::size_t filler = 0) {
  std::string payload;
  append_payload(payload, RunTag(run), fields, filler);
  return payload;
}

TEST(Payload, IsTheLineItsFormatPromises) {
  EXPECT_EQ(payload_of(0x0123456789abcdef, {42, "C", 2, false}).substr(0, 43),
            "causalcheck 0123456789abcdef 0000002a w C 2");
  EXPECT_NE(payload_of(1, {42, "C", 2, true}).find(" d C 2 "), std::string::npos);
}

TEST(Payload, ComesBackAsItWentOut) {
  for (const std::size_t filler : {0U, 1U, 200U, 5000U}) {
    for (const PayloadFields& fields :
         {PayloadFields{0, "A", 1, false}, PayloadFields{0xFFFFFFFF, "AB~12", 0xFFFFFFFF, true},
          PayloadFields{77, "Z", 0, true}}) {
      const std::string payload = payload_of(9, fields, filler);
      const DecodedPayload decoded = decode_payload(payload, RunTag(9));
      EXPECT_EQ(decoded.origin, PayloadOrigin::kOurs) << payload;
      EXPECT_EQ(decoded.fields, fields) << payload;
      EXPECT_EQ(claimed_number(payload), fields.number);
      EXPECT_GE(payload.size(), filler);
    }
  }
}

TEST(Payload, OfAnotherRunIsForeignAndSaysWhich) {
  const std::string payload = payload_of(8, {1, "A", 1, false});
  const DecodedPayload decoded = decode_payload(payload, RunTag(9));
  EXPECT_EQ(decoded.origin, PayloadOrigin::kForeign);
  EXPECT_EQ(decoded.run, "0000000000000008");
  EXPECT_EQ(decoded.fields.label, "A");
}

TEST(Payload, IsUndecodableWithAnyByteChanged) {
  const std::string payload = payload_of(9, {1, "A", 1, false}, 3);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    for (const char flip : {'\x01', '\x20', '\x7F'}) {
      std::string changed = payload;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      EXPECT_EQ(decode_payload(changed, RunTag(9)).origin, PayloadOrigin::kUndecodable) << changed;
    }
  }
}

TEST(Payload, IsUndecodableWhenCutOrLengthened) {
  const std::string payload = payload_of(9, {1, "A", 1, false}, 30);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_EQ(decode_payload(payload.substr(0, size), RunTag(9)).origin,
              PayloadOrigin::kUndecodable);
  }
  EXPECT_EQ(decode_payload(payload + "x", RunTag(9)).origin, PayloadOrigin::kUndecodable);
  EXPECT_EQ(decode_payload(payload + payload, RunTag(9)).origin, PayloadOrigin::kUndecodable);
}

TEST(Payload, IsUndecodableWhenOnlyItsChecksumFits) {
  // What a forger who knows the checksum would have to get right as well.
  const auto sealed = [](const std::string& head) { return head + " " + hex_hash(head); };
  const std::string run = "causalcheck 0000000000000009 ";
  EXPECT_EQ(decode_payload(sealed(run + "00000001 w A 1 "), RunTag(9)).origin,
            PayloadOrigin::kOurs);
  for (const char* rest : {"0000000g w A 1 ", "00000001 x A 1 ", "00000001 w A x ",
                           "00000001 w A 1", "00000001 w A 99999999999 ", "00000001 w AAAA"}) {
    EXPECT_EQ(decode_payload(sealed(run + rest), RunTag(9)).origin, PayloadOrigin::kUndecodable)
        << rest;
  }
}

TEST(Payload, ClaimsNoNumberWhenItIsTooShortToHoldOne) {
  const std::string payload = payload_of(9, {0x89abcdef, "A", 1, false});
  EXPECT_EQ(claimed_number(payload), 0x89abcdefU);
  for (std::size_t size = 0; size < 38; ++size) {
    EXPECT_FALSE(claimed_number(payload.substr(0, size))) << size;
  }
}

TEST(Payload, DigestTellsBytesApartAndDeletesFromMessages) {
  EXPECT_EQ(payload_digest("a", false), payload_digest("a", false));
  EXPECT_NE(payload_digest("a", false), payload_digest("b", false));
  EXPECT_NE(payload_digest("a", false), payload_digest("a", true));
  EXPECT_EQ(payload_digest("", false).size(), 16U);
}

}  // namespace
}  // namespace causalcheck
