// What a client may not say in HTTP/3, and the code that it hears (RFC 9114, RFC 9204). The cases
// are those of the usual conformance lists, and those that nghttp3 0.8.0 leaves to its user.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_client_streams.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/testing/http_bytes.h"
#include "quic/http3/testing/http_world.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

const HttpFields kPseudo = {
    {":method", "GET"}, {":scheme", "https"}, {":authority", "sluice.test"}, {":path", "/echo"}};

HttpFields With(HttpFields fields, const HttpFields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

class HttpProtocolErrorsTest : public testing::Test {
 protected:
  // A new client that says this on a stream for a request, and the code that the connection ends
  // with.
  std::string OfConnection(const Bytes& request, bool fin = true) {
    world_.Connect();
    world_.Open(request, fin);
    return NameOf(world_.CodeOfEnd());
  }
  // ... and the code that the stream ends with, while the connection goes on.
  std::string OfStream(const Bytes& request, bool fin = true) {
    world_.Connect();
    const StreamId id = world_.Open(request, fin);
    world_.RunUntilOver(id);
    const std::optional<uint64_t> code = world_.answer(id).reset;
    const StreamId next = world_.Ask("GET", "/echo");
    EXPECT_TRUE(world_.RunUntilOver(next)) << "the connection goes on";
    EXPECT_TRUE(world_.answer(next).finished);
    return NameOf(code);
  }
  // ... on a unidirectional stream, before or after the usual three.
  std::string OfUnidirectional(const Bytes& bytes, bool fin = false, bool others = false) {
    world_.Connect(others);
    world_.OpenUnidirectional(bytes, fin);
    return NameOf(world_.CodeOfEnd());
  }
  static std::string NameOf(const std::optional<uint64_t>& code) {
    return code.has_value() ? std::string(HttpErrorCodeName(*code)) : "nothing";
  }

  HttpWorld world_{93};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", world_.random.seed())};
};

TEST_F(HttpProtocolErrorsTest, ARequestThatIsNoneEndsItsStream) {
  struct Case {
    absl::string_view what;
    HttpFields fields;
  };
  for (const Case& wrong : {
           Case{"a method twice", With(kPseudo, {{":method", "GET"}})},
           Case{"a path twice", With(kPseudo, {{":path", "/"}})},
           Case{"no method", {{":scheme", "https"}, {":authority", "a"}, {":path", "/"}}},
           Case{"no scheme", {{":method", "GET"}, {":authority", "a"}, {":path", "/"}}},
           Case{"no path", {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}}},
           Case{"no authority", {{":method", "GET"}, {":scheme", "https"}, {":path", "/"}}},
           Case{"an empty path",
                {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", ""}}},
           Case{"a status", With(kPseudo, {{":status", "200"}})},
           Case{"an unknown one", With(kPseudo, {{":unknown", "x"}})},
           Case{"a protocol", With(kPseudo, {{":protocol", "websocket"}})},
           Case{"a late one",
                {{":method", "GET"},
                 {":scheme", "https"},
                 {":authority", "a"},
                 {"x", "y"},
                 {":path", "/"}}},
           Case{"a user",
                {{":method", "GET"},
                 {":scheme", "https"},
                 {":authority", "me@sluice.test"},
                 {":path", "/"}}},
           Case{"another host", With(kPseudo, {{"host", "other.test"}})},
           Case{"a connection field", With(kPseudo, {{"connection", "close"}})},
           Case{"transfer encoding", With(kPseudo, {{"transfer-encoding", "chunked"}})},
           Case{"te of another kind", With(kPseudo, {{"te", "gzip"}})},
           Case{"an uppercase name", With(kPseudo, {{"X-Upper", "y"}})},
           Case{"a length that is none", With(kPseudo, {{"content-length", "1x"}})},
           Case{"two lengths", With(kPseudo, {{"content-length", "0"}, {"content-length", "0"}})},
       }) {
    EXPECT_EQ(OfStream(HttpHeaders(wrong.fields)), "message_error") << wrong.what;
  }
}

TEST_F(HttpProtocolErrorsTest, ABodyOfAnotherLengthThanWasSaidEndsItsStream) {
  EXPECT_EQ(OfStream(HttpRequestBytes("POST", "/echo", "abc", {{"content-length", "4"}})),
            "message_error");
  EXPECT_EQ(OfStream(HttpRequestBytes("POST", "/echo", "abc", {{"content-length", "2"}})),
            "message_error");
  EXPECT_EQ(OfStream(HttpRequestBytes("POST", "/echo", "abc", {{"content-length", "3"}})),
            "nothing");
}

TEST_F(HttpProtocolErrorsTest, PseudoHeadersInTrailersEndTheStream) {
  EXPECT_EQ(OfStream(Join({HttpRequestBytes("POST", "/echo", "b"), HttpHeaders({{":path", "/"}})})),
            "message_error");
}

TEST_F(HttpProtocolErrorsTest, AStreamThatEndsTooEarlyIsIncomplete) {
  EXPECT_EQ(OfStream(HttpFrame(0x21, "x")), "request_incomplete");
}

TEST_F(HttpProtocolErrorsTest, FramesThatAreOutOfPlaceEndTheConnection) {
  const Bytes request = HttpRequestBytes("POST", "/echo", "b");
  EXPECT_EQ(OfConnection(HttpFrame(0x00, "before HEADERS")), "frame_unexpected");
  EXPECT_EQ(OfConnection(Join({request, HttpHeaders({{"t", "1"}}), HttpFrame(0x00, "d")})),
            "frame_unexpected");
  EXPECT_EQ(OfConnection(Join({request, HttpHeaders({{"t", "1"}}), HttpHeaders({{"t", "1"}})})),
            "frame_unexpected");
  for (const uint64_t type : {0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0d}) {
    EXPECT_EQ(OfConnection(Join({HttpFrame(type, absl::string_view("\0", 1)), request})),
              "frame_unexpected")
        << type;
  }
}

TEST_F(HttpProtocolErrorsTest, FramesThatAreCutOffEndTheConnection) {
  Bytes request = HttpRequestBytes("POST", "/echo", "body");
  request.pop_back();
  EXPECT_EQ(OfConnection(request), "frame_error");
  EXPECT_EQ(OfConnection(Join({HttpRequestBytes("GET", "/echo"), Bytes{0x40}})), "frame_error");
}

TEST_F(HttpProtocolErrorsTest, FieldsThatCannotBeDecodedEndTheConnection) {
  // An entry of the static table that is not there, and one of the dynamic table, which nothing is.
  EXPECT_EQ(OfConnection(HttpFrame(0x01, Bytes{0x00, 0x00, 0xff, 0x24})),
            "qpack_decompression_failed");
  EXPECT_EQ(OfConnection(HttpFrame(0x01, Bytes{0x02, 0x00, 0x80})), "qpack_decompression_failed");
  EXPECT_EQ(OfConnection(HttpFrame(0x01, Bytes{0x00, 0x00, 0x10})), "qpack_decompression_failed");
}

TEST_F(HttpProtocolErrorsTest, AFieldThatNobodyWouldWaitForEndsTheConnection) {
  // A value of a megabyte is announced.
  EXPECT_EQ(OfConnection(HttpFrame(0x01, Bytes{0x00, 0x00, 0x51, 0x7f, 0xff, 0xff, 0x3f}), false),
            "excessive_load");
}

TEST_F(HttpProtocolErrorsTest, TheControlStreamHasItsRules) {
  const Bytes settings = {0x00, 0x04, 0x00};
  EXPECT_EQ(OfUnidirectional({0x00, 0x07, 0x01, 0x00}), "missing_settings");
  EXPECT_EQ(OfUnidirectional({0x00, 0x00, 0x00}), "missing_settings");
  EXPECT_EQ(OfUnidirectional(Join({settings, HttpFrame(0x00, "d")})), "frame_unexpected");
  EXPECT_EQ(OfUnidirectional(Join({settings, HttpHeaders(kPseudo)})), "frame_unexpected");
  EXPECT_EQ(OfUnidirectional(Join({settings, HttpFrame(0x04)})), "frame_unexpected");
  EXPECT_EQ(OfUnidirectional(Join({settings, HttpFrame(0x05, "p")})), "frame_unexpected");
  EXPECT_EQ(OfUnidirectional(Join({settings, {0x03, 0x01, 0x00}})), "id_error");
  EXPECT_EQ(OfUnidirectional(Join({settings, {0x0d, 0x01, 0x05, 0x0d, 0x01, 0x04}})), "id_error");
  EXPECT_EQ(OfUnidirectional(Join({settings, {0x80, 0x0f, 0x07, 0x00, 0x01, 0x01}})), "id_error");
  EXPECT_EQ(OfUnidirectional({0x00, 0x04, 0x04, 0x01, 0x00, 0x01, 0x00}), "settings_error");
  EXPECT_EQ(OfUnidirectional({0x00, 0x04, 0x02, 0x03, 0x01}), "settings_error");
  EXPECT_EQ(OfUnidirectional(settings), "nothing");
}

TEST_F(HttpProtocolErrorsTest, StreamsThatAllDependsOnAreThereOnceAndStay) {
  EXPECT_EQ(OfUnidirectional({0x00}, false, true), "stream_creation_error");
  EXPECT_EQ(OfUnidirectional({0x02}, false, true), "stream_creation_error");
  EXPECT_EQ(OfUnidirectional({0x03}, false, true), "stream_creation_error");
  EXPECT_EQ(OfUnidirectional({0x01, 0x00}, false, true), "stream_creation_error");
  for (const uint8_t type : {0x00, 0x02, 0x03}) {
    EXPECT_EQ(OfUnidirectional({type}, true), "closed_critical_stream") << int{type};
  }
  world_.Connect(false);
  const StreamId id = world_.OpenUnidirectional(Bytes{0x00, 0x04, 0x00});
  world_.link.RunFor(TimeDelta::Millis(100));
  world_.client.connection->Reset(id, 0x100);
  world_.client.connection->Flush(world_.link.now, world_.client.out);
  EXPECT_EQ(NameOf(world_.CodeOfEnd()), "closed_critical_stream");
}

TEST_F(HttpProtocolErrorsTest, StreamsOfTheServerThatAllDependsOnAreNotStopped) {
  for (const StreamId id : {3, 7, 11}) {
    world_.Connect();
    world_.client.connection->StopSending(id, 0x100);
    world_.client.connection->Flush(world_.link.now, world_.client.out);
    EXPECT_EQ(NameOf(world_.CodeOfEnd()), "closed_critical_stream") << id;
  }
}

TEST_F(HttpProtocolErrorsTest, OneOfAnUnknownTypeIsStoppedAndDoesNoHarm) {
  world_.Connect();
  const StreamId id = world_.OpenUnidirectional(Bytes{0x21, 1, 2, 3});
  world_.link.RunFor(TimeDelta::Millis(100));
  // The transport answers with RESET_STREAM when it is stopped.
  EXPECT_TRUE(world_.client.streams[id].closed);
  const StreamId next = world_.Ask("GET", "/echo");
  EXPECT_TRUE(world_.RunUntilOver(next));
  EXPECT_TRUE(world_.answer(next).finished);
}

TEST_F(HttpProtocolErrorsTest, QpackStreamsHaveTheirRules) {
  // A capacity above the limit, which is zero; an insertion; a capacity of zero is none.
  EXPECT_EQ(OfUnidirectional({0x02, 0x3f, 0x01}), "qpack_encoder_stream_error");
  EXPECT_EQ(OfUnidirectional({0x02, 0xc0, 0x01, 'x'}), "qpack_encoder_stream_error");
  EXPECT_EQ(OfUnidirectional({0x02, 0x20}), "nothing");
  // An increment of zero, one of what was never inserted, an acknowledgement of nothing.
  EXPECT_EQ(OfUnidirectional({0x03, 0x00}), "qpack_decoder_stream_error");
  EXPECT_EQ(OfUnidirectional({0x03, 0x05}), "qpack_decoder_stream_error");
  EXPECT_EQ(OfUnidirectional({0x03, 0x80}), "qpack_decoder_stream_error");
  EXPECT_EQ(OfUnidirectional({0x03, 0x44}), "nothing");
}

TEST_F(HttpProtocolErrorsTest, TheEncodersStreamIsNotReadForEver) {
  Bytes bytes(1 + HttpClientStreams::kMaxBytesPerRequest, 0x20);
  bytes[0] = 0x02;
  world_.Connect(false);
  const StreamId id = world_.OpenUnidirectional(absl::MakeConstSpan(bytes).first(10'000));
  world_.link.RunFor(TimeDelta::Millis(100));
  world_.Write(id, absl::MakeConstSpan(bytes).subspan(10'000), false);
  EXPECT_EQ(NameOf(world_.CodeOfEnd()), "excessive_load");
}

}  // namespace
}  // namespace sluice
