#include "quic/connection/connection_callbacks.h"

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Writes down what it was told.
class Recorder final : public ConnectionCallbacks {
 public:
  std::vector<std::string> calls;
  SeededRandom random{1};

 protected:
  int OnClientInitial() override { return Note("initial", 1); }
  int OnCryptoData(ngtcp2_encryption_level level, absl::Span<const uint8_t> data) override {
    return Note(absl::StrCat("crypto ", static_cast<int>(level), " ", data.size()), 2);
  }
  int OnHandshakeCompleted() override { return Note("completed", 3); }
  void OnStreamOpened(int64_t id) override { Note(absl::StrCat("opened ", id)); }
  void OnStreamData(int64_t id, absl::Span<const uint8_t> data, bool fin, bool early) override {
    Note(absl::StrCat("data ", id, " ", data.size(), fin ? " fin" : "", early ? " early" : ""));
  }
  void OnAcknowledged(uint64_t offset, void*) override { Note(absl::StrCat("acked ", offset)); }
  void OnStreamClosed(int64_t id, void*) override { Note(absl::StrCat("closed ", id)); }
  void OnStreamReset(int64_t id, uint64_t code) override {
    Note(absl::StrCat("reset ", id, " ", code));
  }
  void OnNewConnectionId(ngtcp2_cid& id, absl::Span<uint8_t> token) override {
    id.datalen = 4;
    Note(absl::StrCat("new id, token of ", token.size()));
  }
  void OnRetiredConnectionId(const ngtcp2_cid& id) override {
    Note(absl::StrCat("retired id of ", id.datalen));
  }
  void OnTokenWanted() override { Note("token wanted"); }
  void OnToken(absl::Span<const uint8_t> token) override {
    Note(absl::StrCat("token of ", token.size()));
  }
  void OnEarlyDataRejected() override { Note("rejected"); }
  void OnStatelessReset() override { Note("stateless reset"); }
  RandomSource& random_source() override { return random; }

 private:
  int Note(std::string call, int result = 0) {
    calls.push_back(std::move(call));
    return result;
  }
};

TEST(ConnectionCallbacksTest, TellsAllAndGivesBackWhatIsSaid) {
  Recorder recorder;
  void* self = static_cast<ConnectionCallbacks*>(&recorder);
  const ngtcp2_callbacks table = ConnectionCallbacks::Table();
  const uint8_t data[5] = {};
  ngtcp2_cid id = {};
  std::array<uint8_t, NGTCP2_STATELESS_RESET_TOKENLEN> token;
  EXPECT_EQ(table.client_initial(nullptr, self), 1);
  EXPECT_EQ(table.recv_crypto_data(nullptr, NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE, 9, data, 5, self),
            2);
  EXPECT_EQ(table.handshake_completed(nullptr, self), 3);
  table.stream_open(nullptr, 4, self);
  table.recv_stream_data(nullptr, NGTCP2_STREAM_DATA_FLAG_FIN, 4, 0, data, 5, self, nullptr);
  table.recv_stream_data(nullptr, NGTCP2_STREAM_DATA_FLAG_0RTT, 4, 0, data, 3, self, nullptr);
  table.acked_stream_data_offset(nullptr, 4, 100, 20, self, nullptr);
  table.stream_reset(nullptr, 4, 7, 8, self, nullptr);
  table.stream_close(nullptr, 0, 4, 0, self, nullptr);
  table.get_new_connection_id(nullptr, &id, token.data(), 16, self);
  table.remove_connection_id(nullptr, &id, self);
  table.recv_new_token(nullptr, data, 2, self);
  table.tls_early_data_rejected(nullptr, self);
  table.recv_stateless_reset(nullptr, nullptr, self);
  EXPECT_EQ(recorder.calls,
            (std::vector<std::string>{"initial", "crypto 1 5", "completed", "opened 4",
                                      "data 4 5 fin", "data 4 3 early", "acked 120", "reset 4 8",
                                      "closed 4", "new id, token of 16", "retired id of 4",
                                      "token of 2", "rejected", "stateless reset"}));
}

TEST(ConnectionCallbacksTest, ATokenIsWantedWhenANewPathIsProved) {
  Recorder recorder;
  void* self = static_cast<ConnectionCallbacks*>(&recorder);
  const auto validated = ConnectionCallbacks::Table().path_validation;
  validated(nullptr, NGTCP2_PATH_VALIDATION_FLAG_NEW_TOKEN, nullptr, nullptr,
            NGTCP2_PATH_VALIDATION_RESULT_FAILURE, self);
  validated(nullptr, 0, nullptr, nullptr, NGTCP2_PATH_VALIDATION_RESULT_SUCCESS, self);
  EXPECT_TRUE(recorder.calls.empty());
  validated(nullptr, NGTCP2_PATH_VALIDATION_FLAG_NEW_TOKEN, nullptr, nullptr,
            NGTCP2_PATH_VALIDATION_RESULT_SUCCESS, self);
  EXPECT_EQ(recorder.calls, std::vector<std::string>{"token wanted"});
}

TEST(ConnectionCallbacksTest, RandomnessIsTheCallers) {
  Recorder recorder;
  SeededRandom same(1);
  std::array<uint8_t, 8> expected;
  same.Fill(absl::MakeSpan(expected));
  std::array<uint8_t, 8> drawn;
  ConnectionCallbacks::Table().get_path_challenge_data(
      nullptr, drawn.data(), static_cast<ConnectionCallbacks*>(&recorder));
  EXPECT_EQ(drawn, expected);
  const ngtcp2_rand_ctx context = ConnectionCallbacks::RandomContext(recorder.random);
  same.Fill(absl::MakeSpan(expected));
  ConnectionCallbacks::Table().rand(drawn.data(), drawn.size(), &context);
  EXPECT_EQ(drawn, expected);
}

}  // namespace
}  // namespace sluice
