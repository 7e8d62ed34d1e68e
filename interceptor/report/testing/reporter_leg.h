#ifndef INTERCEPTOR_REPORT_TESTING_REPORTER_LEG_H_
#define INTERCEPTOR_REPORT_TESTING_REPORTER_LEG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/chain.h"
#include "interceptor/report/ntp_time.h"
#include "interceptor/report/reporter.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/xr.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {

// A leg of which nothing is there but its reporter, and what its reports say, for tests.

inline constexpr uint32_t kReporter = 0x0E;
inline constexpr uint32_t kRtx = 0xA1;
inline constexpr uint32_t kMedia = 0xA0;
inline constexpr uint64_t kNtpOrigin = 0xE000'0000'0000'0000;

inline StreamInfo ReportedStream(uint32_t ssrc) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  if (ssrc == kMedia) {
    info.retransmission_ssrc = Ssrc(kRtx);
  }
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96), .clock_rate = 90000}));
  return info;
}

// What a batch of reports says.
struct ReadReports {
  std::vector<SenderInfo> senders;
  std::vector<Ssrc> receivers;
  std::vector<ReportBlock> blocks;
  std::vector<ReceiverReferenceTime> reference_times;
  std::vector<ReferenceTimeAnswer> answers;
  std::vector<std::string> cnames;
};

inline ReadReports ReadReportsOf(const ChainOutput& output) {
  ReadReports reports;
  for (const std::vector<uint8_t>& datagram : output.rtcp) {
    const auto add_blocks = [&](const auto& report) {
      for (size_t i = 0; i < report.block_count(); ++i) {
        reports.blocks.push_back(report.block(i));
      }
    };
    const RtcpReadCounts counts = ReadCompound(
        *RtcpPacketView::Parse(datagram),
        RtcpReader{[&](const SenderReportView& report) {
                     reports.senders.push_back(report.sender());
                     add_blocks(report);
                   },
                   [&](const ReceiverReportView& report) {
                     reports.receivers.push_back(report.ssrc());
                     add_blocks(report);
                   },
                   [&](const SdesView& sdes) {
                     sdes.ForEachItem([&](Ssrc ssrc, SdesItem, absl::Span<const uint8_t> text) {
                       reports.cnames.push_back(
                           absl::StrCat(ssrc.value(), " ", std::string(text.begin(), text.end())));
                     });
                   },
                   [&](const XrView& xr) {
                     xr.ForEachBlock(RtcpReader{[&](const ReceiverReferenceTime& time) {
                                                  reports.reference_times.push_back(time);
                                                },
                                                [&](const ReferenceTimeAnswers& answers) {
                                                  for (size_t i = 0; i < answers.count(); ++i) {
                                                    reports.answers.push_back(answers.answer(i));
                                                  }
                                                }});
                   }});
    EXPECT_EQ(counts.malformed, 0u);
    EXPECT_EQ(counts.skipped, 0u);
  }
  return reports;
}

// A reporter in a chain, and the time.
struct ReporterLeg {
  explicit ReporterLeg(ReporterOptions options = {}, ChainHarnessOptions harness_options = {})
      : random(1) {
    options.ssrc = Ssrc(kReporter);
    options.ntp_origin = kNtpOrigin;
    harness_options.chain.max_streams = options.max_streams;
    auto made = Reporter::Create(options, random);
    EXPECT_TRUE(made.ok()) << made.status();
    reporter = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made), harness_options);
  }

  void Add(PacketDirection direction, uint32_t ssrc) {
    EXPECT_EQ(harness->chain().AddStream(now, direction, ReportedStream(ssrc)),
              AddStreamVerdict::kOk);
  }
  void AddBoth() {
    Add(PacketDirection::kIncoming, kMedia);
    Add(PacketDirection::kOutgoing, kMedia);
  }
  void Receive(uint16_t sequence, uint32_t timestamp = 0, uint32_t ssrc = kMedia) {
    harness->IncomingRtp(now, {RtpPacketBuilder()
                                   .WithSsrc(ssrc)
                                   .WithSequence(sequence)
                                   .WithTimestamp(timestamp)
                                   .WithPayloadSize(100)
                                   .Build()});
  }
  void Send(uint16_t sequence, uint32_t timestamp = 0, uint32_t ssrc = kMedia) {
    harness->OutgoingRtp(now, {RtpPacketBuilder()
                                   .WithSsrc(ssrc)
                                   .WithSequence(sequence)
                                   .WithTimestamp(timestamp)
                                   .WithPayloadSize(100)
                                   .WithPadding(20)
                                   .Build()});
  }
  // What comes in reply to RTCP.
  ChainOutput ReceiveRtcp(const RtcpPacketBuilder& builder) {
    return harness->IncomingRtcp(now, {builder.Build()});
  }
  // Goes on to the next reports.
  ReadReports Next() {
    for (int i = 0; i < 100; ++i) {
      now = harness->chain().NextTimeout();
      EXPECT_TRUE(now.IsFinite());
      const ChainOutput output = harness->Timeout(now);
      if (!output.rtcp.empty()) {
        return ReadReportsOf(output);
      }
    }
    ADD_FAILURE() << "no report";
    return {};
  }
  uint32_t CompactNow() const { return CompactNtp(NtpClock(kNtpOrigin).At(now)); }

  SeededRandom random;
  Reporter* reporter;
  std::unique_ptr<ChainHarness> harness;
  Timestamp now = Timestamp::Seconds(100);
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_TESTING_REPORTER_LEG_H_
