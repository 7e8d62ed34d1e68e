// The sum of all limits (gateway/config/limits.cc) against what a control room with real workers
// really takes from the heap: the sum may be larger, never smaller.

#include <malloc.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gateway/config/limits.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/worker/worker_usage.h"
#include "gtest/gtest.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

constexpr int kSessions = 100;

size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The longest id there is.
std::string SessionId(int i) { return absl::StrCat(std::string(124, 's'), "-", i + 100); }

HarnessOptions Options(size_t streams_per_leg, EngineKind engine = EngineKind::kBoringSsl) {
  HarnessOptions options;
  options.workers = 1;
  options.port_pairs = 2 * kSessions;
  options.ipv6 = false;
  options.limits.sessions = kSessions;
  options.limits.legs_per_session = 2;
  options.limits.streams_per_leg = streams_per_leg;
  options.limits.tombstones = kSessions;
  options.limits.event_log = 1;
  options.limits.extra_srtp_kib = 65'536;
  options.engine = engine;
  return options;
}

class MemorySumOfSessionsTest : public ::testing::TestWithParam<std::tuple<size_t, EngineKind>> {
 protected:
  static size_t StreamsPerLeg() { return std::get<0>(GetParam()); }

  size_t Sum(absl::string_view what) {
    for (const MemoryUse& use :
         SumMemory(Options(StreamsPerLeg()).limits, {.workers = 1, .port_pairs = 2 * kSessions})) {
      if (use.what == what) {
        return use.bytes;
      }
    }
    ADD_FAILURE() << "no " << what;
    return 0;
  }
  void SetUp() override { absl::SetMinLogLevel(absl::LogSeverityAtLeast::kError); }

  void CreateSessions() {
    std::string labels;
    for (int i = 10; i < 26; ++i) {
      absl::StrAppend(&labels, "labels { key: '", i, std::string(61, 'k'), "' value: '",
                      std::string(255, 'v'), "' } ");
    }
    for (int i = 0; i < kSessions; ++i) {
      const grpc::Status status =
          harness_.Call(&GatewayService::CreateSession,
                        absl::StrCat("session_id: '", SessionId(i), "' config { ", labels, "}"));
      ASSERT_TRUE(status.ok()) << status.error_message();
    }
  }
  // SRTP with keys of both directions, changed once, and a new key prepared; extensions encrypted,
  // which takes a cipher of its own.
  void AddLegs(const std::string& suite, size_t key_size) {
    const auto key = [&](char c) {
      return absl::StrCat("remote_key { suite: CRYPTO_SUITE_", suite, " master_key_and_salt: '",
                          std::string(key_size, c), "' } ");
    };
    const std::string options =
        "local_options { encrypted_extension_ids: 1 } "
        "remote_options { encrypted_extension_ids: 1 } ";
    std::string types;
    for (int i = 0; i < 32; ++i) {
      absl::StrAppend(&types, "payload_types { number: ", i,
                      " clock_rate_hz: 8000 encoding_name: '", std::string(64, 'n'), "' } ");
    }
    for (int i = 0; i < kSessions; ++i) {
      for (const char* leg : {"a", "b"}) {
        const std::string ids = absl::StrCat("session_id: '", SessionId(i), "' leg_id: '",
                                             std::string(127, 'l'), leg, "' ");
        grpc::Status status = harness_.Call(
            &GatewayService::AddLeg,
            absl::StrCat(ids, "config { kind: LEG_KIND_SRTP ", key('k'), types, options, "}"));
        ASSERT_TRUE(status.ok()) << status.error_message();
        status = harness_.Call(&GatewayService::UpdateLeg,
                               absl::StrCat(ids, "config { ", key('m'),
                                            "} update_mask { paths: 'remote_key' } "
                                            "local_key_change: LOCAL_KEY_CHANGE_PREPARE"));
        ASSERT_TRUE(status.ok()) << status.error_message();
      }
    }
  }

  void DeleteSessions() {
    for (int i = 0; i < kSessions; ++i) {
      ASSERT_TRUE(harness_
                      .Call(&GatewayService::DeleteSession,
                            absl::StrCat("session_id: '", SessionId(i), "'"))
                      .ok());
    }
  }

  ControlHarness harness_{Options(StreamsPerLeg(), std::get<1>(GetParam()))};
};

INSTANTIATE_TEST_SUITE_P(
    StreamsPerLeg, MemorySumOfSessionsTest,
    ::testing::Combine(::testing::Values(4, 64, 256),
                       ::testing::ValuesIn(UsableEngines(DetectCpuFeatures()))),
    [](const auto& test) {
      return absl::StrCat(std::get<0>(test.param), "_", EngineName(std::get<1>(test.param)));
    });

TEST_P(MemorySumOfSessionsTest, IsNotLessThanWhatIsTaken) {
  // The largest keys of either kind.
  const std::pair<std::string, size_t> kSuites[] = {{"AEAD_AES_256_GCM", 44},
                                                    {"AES_256_CM_HMAC_SHA1_80", 46}};
  // Once around, for what is made once per process and kept.
  CreateSessions();
  AddLegs(kSuites[0].first, kSuites[0].second);
  DeleteSessions();
  harness_.Advance(Options(StreamsPerLeg()).limits.tombstone_lifetime);
  ASSERT_EQ(harness_.room().directory().usage().tombstones, 0u);

  const size_t empty = HeapBytes();
  for (const auto& [suite, key_size] : kSuites) {
    CreateSessions();
    EXPECT_LE(HeapBytes() - empty, Sum("sessions"));
    AddLegs(suite, key_size);
    EXPECT_LE(HeapBytes() - empty, Sum("sessions") + Sum("legs") + Sum("streams_per_leg"));
    DeleteSessions();
    // They are of the largest kind, so the oldest have gone.
    EXPECT_LE(HeapBytes() - empty, Sum("tombstones"));
    EXPECT_GT(harness_.room().directory().usage().tombstones, 0u);
    harness_.Advance(Options(StreamsPerLeg()).limits.tombstone_lifetime);
    ASSERT_EQ(harness_.room().directory().usage().tombstones, 0u);
  }
}

TEST_P(MemorySumOfSessionsTest, WhatLegsTakeBeyondTheUsualIsCountedNotLessThanItIs) {
  const auto add_leg = [this](const std::string& leg, const std::string& more) {
    const grpc::Status status = harness_.Call(
        &GatewayService::AddLeg,
        absl::StrCat("session_id: 'call' leg_id: '", leg, "' config { kind: LEG_KIND_SRTP ",
                     "local_suite: CRYPTO_SUITE_AEAD_AES_256_GCM ", more, " }"));
    ASSERT_TRUE(status.ok()) << status.error_message();
  };
  const auto extra_bytes = [this] {
    return harness_.workers().worker(0).GetUsage().value().extra_srtp.used;
  };
  ASSERT_TRUE(harness_.Call(&GatewayService::CreateSession, "session_id: 'call'").ok());
  const size_t empty = HeapBytes();
  const std::string first_key = absl::StrCat(
      "remote_key { suite: CRYPTO_SUITE_AEAD_AES_256_GCM mki: '0' master_key_and_salt: '",
      std::string(44, 'a'), "' } ");
  add_leg("usual", first_key);
  const size_t usual = HeapBytes() - empty;
  EXPECT_EQ(extra_bytes(), 0u);

  add_leg("wide",
          "local_mki: '1' local_options { rtp_replay_window: 32768 encrypted_extension_ids: 1 } "
          "remote_options { rtp_replay_window: 32768 rtcp_replay_window: 32768 "
          "encrypted_extension_ids: 1 } " +
              first_key);
  for (int i = 1; i < 8; ++i) {
    std::string request = absl::StrCat(
        "session_id: 'call' leg_id: 'wide' config { remote_key { suite: "
        "CRYPTO_SUITE_AEAD_AES_256_GCM mki: '",
        i, "' master_key_and_salt: '", std::string(44, static_cast<char>('a' + i)),
        "' } } update_mask { paths: 'remote_key' } ");
    if (i >= 2) {
      absl::StrAppend(&request, "local_key_change: LOCAL_KEY_CHANGE_PREPARE local_mki: '", i, "'");
    }
    const grpc::Status status = harness_.Call(&GatewayService::UpdateLeg, request);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  EXPECT_LE(HeapBytes() - empty - usual, usual + extra_bytes());
  EXPECT_GT(extra_bytes(), 3 * 32'768u / 8 * StreamsPerLeg() * 9 / 10);
  ASSERT_TRUE(harness_.Call(&GatewayService::RemoveLeg, "session_id: 'call' leg_id: 'wide'").ok());
  EXPECT_EQ(extra_bytes(), 0u);
}

TEST(MemorySumTest, CountsWhatAWorkerTakesAtItsStart) {
  const auto heap = [](size_t event_queue, size_t outbox_packets) {
    HarnessOptions options = Options(4);
    options.limits.event_queue = event_queue;
    options.limits.outbox_packets = outbox_packets;
    const size_t before = HeapBytes();
    const ControlHarness harness(options);
    return HeapBytes() - before;
  };
  const auto sum = [](absl::string_view what, const Limits& limits, size_t packet_slots) {
    for (const MemoryUse& use : SumMemory(limits, {.workers = 1,
                                                  .packet_slots = packet_slots,
                                                  .packet_slot_bytes = kPacketSlotStride})) {
      if (use.what == what) {
        return use.bytes;
      }
    }
    return size_t{0};
  };
  heap(16, 16);
  const size_t small = heap(16, 16);
  EXPECT_LE(heap(10'000, 16) - small, sum("event_queue", {.event_queue = 10'000}, 0));
  // A slot more for each, and the datagram that names it.
  EXPECT_LE(heap(16, 10'000) - small, sum("packet_slots", {}, 10'000) * 11 / 10);
}

}  // namespace
}  // namespace sluice
