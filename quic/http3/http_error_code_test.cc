#include "quic/http3/http_error_code.h"

#include <nghttp3/nghttp3.h>

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(HttpErrorCodeTest, NumbersAreThoseOfTheStandard) {
  EXPECT_EQ(static_cast<uint64_t>(HttpErrorCode::kNone), uint64_t{NGHTTP3_H3_NO_ERROR});
  EXPECT_EQ(static_cast<uint64_t>(HttpErrorCode::kIdError), uint64_t{NGHTTP3_H3_ID_ERROR});
  EXPECT_EQ(static_cast<uint64_t>(HttpErrorCode::kMessageError),
            uint64_t{NGHTTP3_H3_MESSAGE_ERROR});
  EXPECT_EQ(static_cast<uint64_t>(HttpErrorCode::kVersionFallback),
            uint64_t{NGHTTP3_H3_VERSION_FALLBACK});
  EXPECT_EQ(static_cast<uint64_t>(HttpErrorCode::kQpackDecoderStreamError),
            uint64_t{NGHTTP3_QPACK_DECODER_STREAM_ERROR});
}

TEST(HttpErrorCodeTest, CodesHaveNamesAndOtherNumbersAreUnknown) {
  EXPECT_EQ(HttpErrorCodeName(0x100), "none");
  EXPECT_EQ(HttpErrorCodeName(0x10e), "message_error");
  EXPECT_EQ(HttpErrorCodeName(0x110), "version_fallback");
  EXPECT_EQ(HttpErrorCodeName(0x200), "qpack_decompression_failed");
  EXPECT_EQ(HttpErrorCodeName(0x202), "qpack_decoder_stream_error");
  for (const uint64_t code : {0xffu, 0x111u, 0x1ffu, 0x203u}) {
    EXPECT_EQ(HttpErrorCodeName(code), "unknown") << code;
  }
}

}  // namespace
}  // namespace sluice
