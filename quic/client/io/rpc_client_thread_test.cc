#include "quic/client/io/rpc_client_thread.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/calls/testing/call_world.h"
#include "quic/client/client_session.h"
#include "quic/client/io/testing/rpc_test_server.h"
#include "quic/client/ticket_store.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_socket.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RpcClientThreadTest : public testing::Test {
 protected:
  RpcClientOptions Options() {
    return {.addresses = {server_.address()},
            .server_name = "localhost",
            .trusted_pem = server_.root_pem(),
            // Sanitizers and other work make handshakes slow.
            .handshake_timeout = TimeDelta::Seconds(30),
            .next_address_after = TimeDelta::Millis(300)};
  }
  std::unique_ptr<RpcClientThread> Start(RpcClientOptions options) {
    auto client = RpcClientThread::Start(std::move(options));
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  std::unique_ptr<RpcClientThread> Start() { return Start(Options()); }

  TestCallService service_;
  RpcTestServer server_{service_};
};

TEST_F(RpcClientThreadTest, ACallIsAnsweredAfterTwoRoundTrips) {
  const auto client = Start();
  const RpcAnswer answer = client->Call({.method = "Echo", .message = "hello"});
  EXPECT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(answer.message, "hello");
  EXPECT_EQ(answer.took.round_trips, 2u);
  EXPECT_EQ(client->Call({.method = "Echo"}).took.round_trips, 1u);
  const RpcClientReport report = client->report();
  EXPECT_TRUE(report.connected);
  EXPECT_EQ(report.protocol, "sluice/1");
  EXPECT_EQ(report.quic_version, 1u);
  EXPECT_EQ(report.server, server_.address());
  EXPECT_EQ(report.handshake->round_trips, 1u);
  EXPECT_EQ(report.round_trips, 3u);
  EXPECT_FALSE(report.resumed);
  EXPECT_GT(report.datagrams_sent, 0u);
  EXPECT_GT(report.datagrams_received, 0u);
}

TEST_F(RpcClientThreadTest, NothingIsSentBeforeSomethingIsAsked) {
  const auto client = Start();
  EXPECT_EQ(client->report().datagrams_sent, 0u);
  client->Close();
  EXPECT_EQ(server_.connections_accepted(), 0u);
}

TEST_F(RpcClientThreadTest, WhoeverWantsToKnowWaitsForTheHandshake) {
  const auto client = Start();
  EXPECT_TRUE(client->AwaitConnected().ok());
  EXPECT_TRUE(client->AwaitConnected().ok());
  EXPECT_EQ(client->report().round_trips, 1u);
}

TEST_F(RpcClientThreadTest, ARetryIsOneMoreRoundTrip) {
  RpcTestServer strict(service_, /*retry=*/true);
  RpcClientOptions options = Options();
  options.addresses = {strict.address()};
  options.trusted_pem = strict.root_pem();
  const auto client = Start(options);
  EXPECT_EQ(client->Call({.method = "Echo"}).took.round_trips, 3u);
  EXPECT_EQ(client->report().retries, 1u);
}

TEST_F(RpcClientThreadTest, WithATicketAHarmlessCallTakesOneRoundTrip) {
  TicketStore tickets;
  RpcClientOptions options = Options();
  options.tickets = &tickets;
  {
    const auto first = Start(options);
    ASSERT_TRUE(first->Call({.method = "Echo"}).status.ok());
    // Tickets may come behind the answer.
    ASSERT_TRUE(first->Call({.method = "Echo"}).status.ok());
  }
  const auto second = Start(options);
  const RpcAnswer answer =
      second->Call({.method = "Echo", .message = "again", .replay = RpcReplay::kHarmless});
  EXPECT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(answer.message, "again");
  EXPECT_EQ(answer.took.round_trips, 1u);
  // One more, so that the report is newer than the handshake.
  ASSERT_TRUE(second->Call({.method = "Echo"}).status.ok());
  EXPECT_TRUE(second->report().resumed);
  EXPECT_TRUE(second->report().early_data_accepted);
}

TEST_F(RpcClientThreadTest, AStreamIsReadToItsEnd) {
  const auto client = Start();
  const auto stream = client->Stream({.method = "Count", .message = std::string(1, '\x05')});
  std::string message;
  int messages = 0;
  while (stream->Read(message)) {
    ++messages;
    EXPECT_THAT(message, SizeIs(TestCallService::kCountedSize));
  }
  EXPECT_EQ(messages, 5);
  EXPECT_TRUE(stream->status().ok()) << stream->status();
  EXPECT_FALSE(stream->Read(message));
}

TEST_F(RpcClientThreadTest, AStreamThatIsGivenUpByAnotherThreadEnds) {
  const auto client = Start();
  const auto stream = client->Stream({.method = "Wait"});
  std::thread other([&] { stream->Cancel(); });
  std::string message;
  EXPECT_FALSE(stream->Read(message));
  EXPECT_TRUE(absl::IsCancelled(stream->status())) << stream->status();
  other.join();
  EXPECT_TRUE(client->Call({.method = "Echo"}).status.ok());
}

// The server's window is smaller than all of it.
TEST_F(RpcClientThreadTest, ALongStreamIsReadToItsEnd) {
  const auto client = Start();
  const auto stream = client->Stream({.method = "Count", .message = std::string(1, '\xff')});
  std::string message;
  int messages = 0;
  while (stream->Read(message)) ++messages;
  EXPECT_EQ(messages, 255);
  EXPECT_TRUE(stream->status().ok()) << stream->status();
}

TEST_F(RpcClientThreadTest, AnAnswerWithMoreThanOneMessageIsNone) {
  const auto client = Start();
  const RpcAnswer answer = client->Call({.method = "Count", .message = std::string(1, '\x02')});
  EXPECT_TRUE(absl::IsInternal(answer.status)) << answer.status;
  EXPECT_THAT(answer.status.message(), HasSubstr("2 messages"));
}

TEST_F(RpcClientThreadTest, ManyThreadsCallAtOnce) {
  const auto client = Start();
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string text(1 + static_cast<size_t>(i) * 20, 'x');
      for (int j = 0; j < 20; ++j) {
        const RpcAnswer answer = client->Call({.method = "Echo", .message = text});
        if (answer.status.ok() && answer.message == text) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

TEST_F(RpcClientThreadTest, ACallEndsWhenItsTimeIsOver) {
  const auto client = Start();
  ASSERT_TRUE(client->AwaitConnected().ok());
  const RpcAnswer answer = client->Call({.method = "Wait", .timeout = TimeDelta::Millis(50)});
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status)) << answer.status;
}

TEST_F(RpcClientThreadTest, CloseEndsCallsThatWait) {
  const auto client = Start();
  ASSERT_TRUE(client->AwaitConnected().ok());
  absl::Notification calling;
  absl::Status status;
  std::thread caller([&] {
    calling.Notify();
    status = client->Call({.method = "Wait"}).status;
  });
  calling.WaitForNotification();
  client->Close();
  caller.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_TRUE(absl::IsCancelled(client->Call({.method = "Echo"}).status));
  EXPECT_TRUE(absl::IsCancelled(client->AwaitConnected()));
  EXPECT_TRUE(absl::IsCancelled(client->Migrate()));
  client->Close();
}

TEST_F(RpcClientThreadTest, AServerThatStopsEndsCallsThatWait) {
  const auto client = Start();
  const auto stream = client->Stream({.method = "Wait"});
  ASSERT_TRUE(client->AwaitConnected().ok());
  server_.listener().Stop(TimeDelta::Zero());
  std::string message;
  EXPECT_FALSE(stream->Read(message));
  EXPECT_TRUE(absl::IsUnavailable(stream->status())) << stream->status();
}

TEST_F(RpcClientThreadTest, WhereNobodyAnswersTheNextAddressIsTried) {
  // Bound and silent.
  const auto silent = DatagramSocket::Open(UdpAddress::V4({127, 0, 0, 1}, 0));
  ASSERT_TRUE(silent.ok());
  RpcClientOptions options = Options();
  options.addresses = {silent->local_address(), server_.address()};
  const auto client = Start(options);
  const RpcAnswer answer = client->Call({.method = "Echo"});
  EXPECT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(answer.took.round_trips, 3u);
  EXPECT_EQ(client->report().server, server_.address());
}

TEST_F(RpcClientThreadTest, NobodyAtAllIsSaidInASentence) {
  const auto silent = DatagramSocket::Open(UdpAddress::V4({127, 0, 0, 1}, 0));
  ASSERT_TRUE(silent.ok());
  RpcClientOptions options = Options();
  options.addresses = {silent->local_address()};
  options.handshake_timeout = TimeDelta::Millis(200);
  const auto client = Start(options);
  const absl::Status status = client->Call({.method = "Echo"}).status;
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(status.message(), HasSubstr("no answer from 127.0.0.1:"));
  EXPECT_THAT(status.message(), HasSubstr("within 200 ms"));
  EXPECT_EQ(client->AwaitConnected(), status);
}

TEST_F(RpcClientThreadTest, ACertificateForAnotherNameIsRefused) {
  RpcClientOptions options = Options();
  options.server_name = "gateway.example";
  const auto client = Start(options);
  const absl::Status status = client->AwaitConnected();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("is not for the name"));
}

TEST_F(RpcClientThreadTest, OptionsThatAreNoneAreRefused) {
  RpcClientOptions options = Options();
  options.addresses.clear();
  EXPECT_TRUE(absl::IsInvalidArgument(RpcClientThread::Start(options).status()));
  options = Options();
  options.trusted_pem = "no certificate";
  EXPECT_TRUE(absl::IsInvalidArgument(RpcClientThread::Start(options).status()));
}

TEST_F(RpcClientThreadTest, AClientMovesToAnotherPort) {
  const auto client = Start();
  EXPECT_TRUE(absl::IsFailedPrecondition(client->Migrate()));
  // What confirms the handshake has come with the second answer.
  ASSERT_TRUE(client->Call({.method = "Echo"}).status.ok());
  ASSERT_TRUE(client->Call({.method = "Echo"}).status.ok());
  const absl::Status moved = client->Migrate();
  EXPECT_TRUE(moved.ok()) << moved;
  for (int i = 0; i < 5; ++i) {
    const RpcAnswer answer = client->Call({.method = "Echo", .message = "moved"});
    EXPECT_TRUE(answer.status.ok()) << answer.status;
  }
}

TEST_F(RpcClientThreadTest, SecretsAreTheirsWhoAskForThem) {
  std::vector<std::string> lines;
  RpcClientOptions options = Options();
  options.key_log = [&](absl::string_view line) { lines.emplace_back(line); };
  auto client = Start(options);
  ASSERT_TRUE(client->AwaitConnected().ok());
  client.reset();
  ASSERT_THAT(lines, Not(IsEmpty()));
  bool traffic = false;
  for (const std::string& line : lines) {
    traffic |= absl::StartsWith(line, "CLIENT_TRAFFIC_SECRET_0 ");
  }
  EXPECT_TRUE(traffic);
}

}  // namespace
}  // namespace sluice
