// The main of a fuzz test when no fuzzer is linked: runs every file named on the command line
// through the fuzz target once. What a fuzzer found stays found with any compiler.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  // Every target has to bear an empty input, whatever its corpus holds.
  LLVMFuzzerTestOneInput(nullptr, 0);

  int replayed = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot open %s\n", argv[i]);
      return 1;
    }
    // Printed before the run: after a crash the last line names the input.
    std::fprintf(stderr, "replaying %s\n", argv[i]);
    const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    ++replayed;
  }
  if (replayed == 0) {
    std::fprintf(stderr, "the corpus is empty: a fuzz test that replays nothing proves nothing\n");
    return 1;
  }
  return 0;
}
