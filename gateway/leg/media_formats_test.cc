#include "gateway/leg/media_formats.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/media_description.h"
#include "gtest/gtest.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

PayloadDescription Type(uint8_t number, std::string name,
                        std::optional<uint8_t> associated = std::nullopt,
                        StreamFeedback feedback = {}) {
  PayloadDescription type;
  type.payload_type = PayloadType(number);
  type.encoding_name = std::move(name);
  type.clock_rate = 90000;
  if (associated.has_value()) {
    type.associated = PayloadType(*associated);
  }
  type.feedback = feedback;
  return type;
}

const std::vector<PayloadDescription> kCall = {
    Type(111, "opus"),    Type(96, "vp8", std::nullopt, {.nack = true}),
    Type(97, "RTX", 96),  Type(98, "AV1", std::nullopt, {.picture_loss_indication = true}),
    Type(99, "rtx", 98),  Type(49, "flexfec-03"),
    Type(63, "red", 111),
};

TEST(MediaFormatsTest, EncodingNamesHaveNoCaseAndSayTheRole) {
  const MediaFormats formats(kCall, {});
  EXPECT_EQ(formats.Find(PayloadType(96))->codec, PayloadCodec::kVp8);
  EXPECT_EQ(formats.Find(PayloadType(98))->codec, PayloadCodec::kAv1);
  EXPECT_EQ(formats.Find(PayloadType(97))->role, PayloadRole::kRetransmission);
  EXPECT_EQ(formats.Find(PayloadType(63))->role, PayloadRole::kRedundancy);
  EXPECT_EQ(formats.Find(PayloadType(63))->associated, PayloadType(111));
  EXPECT_EQ(formats.Find(PayloadType(49))->role, PayloadRole::kForwardErrorCorrection);
  EXPECT_EQ(formats.Find(PayloadType(0)), nullptr);
}

TEST(MediaFormatsTest, RetransmissionsAreThoseOfTheirPayloadType) {
  const MediaFormats formats(kCall, {});
  EXPECT_EQ(formats.FindRetransmissionOf(PayloadType(98))->payload_type, PayloadType(99));
  EXPECT_EQ(formats.FindRetransmissionOf(PayloadType(111)), nullptr);
}

TEST(MediaFormatsTest, AStreamIsWhatItsFirstPayloadTypeSays) {
  const MediaFormats formats(kCall, {});
  const StreamInfo video = formats.Describe(Ssrc(1), PayloadType(96));
  EXPECT_EQ(video.ssrc, Ssrc(1));
  EXPECT_TRUE(video.video);
  EXPECT_TRUE(video.feedback.nack);
  EXPECT_FALSE(video.feedback.picture_loss_indication);
  EXPECT_EQ(video.FindRetransmissionOf(PayloadType(96))->payload_type, PayloadType(97));
  const StreamInfo audio = formats.Describe(Ssrc(2), PayloadType(111));
  EXPECT_FALSE(audio.video);
  EXPECT_FALSE(audio.feedback.nack);
  EXPECT_FALSE(formats.Describe(Ssrc(3), PayloadType(5)).feedback.nack);
}

TEST(MediaFormatsTest, FeedbackForAnEncodingHoldsForItsRedundancyToo) {
  const std::vector<PayloadDescription> types = {
      Type(111, "opus", std::nullopt, {.nack = true, .transport_wide = true}),
      Type(63, "red", 111)};
  const StreamInfo info = MediaFormats(types, {}).Describe(Ssrc(1), PayloadType(63));
  EXPECT_TRUE(info.feedback.nack);
  EXPECT_TRUE(info.feedback.transport_wide);
}

TEST(MediaFormatsTest, WhatGoesWithTheMediaHasRoomBeforeTheRest) {
  std::vector<PayloadDescription> many;
  for (uint8_t number = 20; number < 50; ++number) {
    many.push_back(Type(number, "L16"));
  }
  many.push_back(Type(100, "H264"));
  many.push_back(Type(101, "rtx", 100));
  const MediaFormats formats(many, {});
  const StreamInfo info = formats.Describe(Ssrc(1), PayloadType(100));
  EXPECT_EQ(info.format_count, kMaxStreamFormats);
  EXPECT_NE(info.FindFormat(PayloadType(100)), nullptr);
  EXPECT_NE(info.FindRetransmissionOf(PayloadType(100)), nullptr);
}

TEST(MediaFormatsTest, ExtensionsAreFoundByTheirUri) {
  const MediaFormats formats(kCall, std::vector<HeaderExtension>{{3, kTransportSequenceUri},
                                                                 {1, kAudioLevelUri},
                                                                 {4, kMidUri},
                                                                 {9, "urn:example:unknown"}});
  const StreamExtensions extensions = formats.Describe(Ssrc(1), PayloadType(96)).extensions;
  EXPECT_EQ(extensions.transport_sequence, 3);
  EXPECT_EQ(extensions.audio_level, 1);
  EXPECT_EQ(extensions.mid, 4);
  EXPECT_EQ(extensions.rtp_stream_id, 0);
}

}  // namespace
}  // namespace sluice
