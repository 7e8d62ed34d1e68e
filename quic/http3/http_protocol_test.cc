#include "quic/http3/http_protocol.h"

#include "base/data_size.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/http3/http_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

TEST(HttpProtocolTest, AServerAllowsAsManyStreamsAsItHasRequests) {
  const ApplicationProtocol protocol = HttpServerProtocol({.requests = 9});
  EXPECT_EQ(protocol.name, "h3");
  EXPECT_EQ(protocol.parameters.initial_max_streams_bidi, 9u);
  EXPECT_FALSE(protocol.early_data);
}

TEST(HttpProtocolTest, AClientMayOpenTheThreeStreamsThatItNeedsAndOthers) {
  // RFC 9114 section 6.2: at least three, with at least 1024 bytes each.
  const ApplicationProtocol protocol = HttpServerProtocol({});
  EXPECT_GE(protocol.parameters.initial_max_streams_uni, 4u);
  EXPECT_GE(protocol.parameters.initial_max_stream_data_uni, DataSize::Bytes(1024));
  EXPECT_EQ(protocol.parameters.initial_max_stream_data_bidi_local, DataSize::Zero());
}

TEST(HttpProtocolTest, ItIsAcceptedByTheTransport) {
  EXPECT_TRUE(ApplicationProtocols::Create({HttpServerProtocol({})}).ok());
}

}  // namespace
}  // namespace sluice
