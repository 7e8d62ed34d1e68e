#include "tools/ctl/demo/tone_meter.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr int kRate = 48000;

void Append(int16_t sample, std::vector<uint8_t>& pcm) {
  pcm.push_back(static_cast<uint8_t>(sample));
  pcm.push_back(static_cast<uint8_t>(static_cast<uint16_t>(sample) >> 8));
}

std::vector<uint8_t> Tone(double hz, double amplitude, int samples) {
  std::vector<uint8_t> pcm;
  for (int i = 0; i < samples; ++i) {
    Append(static_cast<int16_t>(amplitude * std::sin(2 * std::numbers::pi * hz * i / kRate)), pcm);
  }
  return pcm;
}

TEST(ToneMeterTest, HearsTheTone) {
  ToneMeter meter(kRate, 440);
  meter.Add(Tone(440, 4000, kRate));
  EXPECT_EQ(meter.samples(), 48000u);
  EXPECT_EQ(meter.blocks(), 10u);
  EXPECT_EQ(meter.blocks_with_tone(), 10u);
}

TEST(ToneMeterTest, SilenceNoiseAndAnotherToneAreNotIt) {
  ToneMeter silence(kRate, 440);
  silence.Add(std::vector<uint8_t>(2 * kRate));
  EXPECT_EQ(silence.blocks(), 10u);
  EXPECT_EQ(silence.blocks_with_tone(), 0u);

  ToneMeter whisper(kRate, 440);
  whisper.Add(Tone(440, 50, kRate));
  EXPECT_EQ(whisper.blocks_with_tone(), 0u);

  ToneMeter other(kRate, 440);
  other.Add(Tone(660, 4000, kRate));
  EXPECT_EQ(other.blocks_with_tone(), 0u);

  SeededRandom random(1);
  std::vector<uint8_t> bytes(2 * kRate);
  random.Fill(absl::MakeSpan(bytes));
  ToneMeter noise(kRate, 440);
  noise.Add(bytes);
  EXPECT_EQ(noise.blocks(), 10u);
  EXPECT_EQ(noise.blocks_with_tone(), 0u);
}

TEST(ToneMeterTest, ATornStreamIsTheSame) {
  const std::vector<uint8_t> pcm = Tone(660, 4000, kRate / 2);
  ToneMeter meter(kRate, 660);
  for (size_t i = 0; i < pcm.size(); i += 7) {
    meter.Add(absl::MakeConstSpan(pcm).subspan(i, 7));
  }
  EXPECT_EQ(meter.samples(), 24000u);
  EXPECT_EQ(meter.blocks_with_tone(), 5u);
}

TEST(ToneMeterTest, HalfOfItIsHalf) {
  ToneMeter meter(kRate, 440);
  meter.Add(Tone(440, 4000, kRate / 2));
  meter.Add(std::vector<uint8_t>(kRate));
  EXPECT_EQ(meter.blocks(), 10u);
  EXPECT_EQ(meter.blocks_with_tone(), 5u);
}

}  // namespace
}  // namespace sluice
