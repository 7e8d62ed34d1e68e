#include "gateway/io/testing/open_descriptors.h"

#include <dirent.h>

#include "base/check.h"

namespace sluice {

size_t CountOpenDescriptors() {
  DIR* directory = opendir("/proc/self/fd");
  SLUICE_CHECK(directory != nullptr);
  size_t entries = 0;
  while (readdir(directory) != nullptr) ++entries;
  closedir(directory);
  // Not ".", not "..", and not the directory itself.
  return entries - 3;
}

}  // namespace sluice
