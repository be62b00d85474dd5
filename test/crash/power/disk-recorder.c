// Records the writes and fsyncs of one process to the files of a folder, and makes some of them fail.
// Loaded with LD_PRELOAD; disk-log.ts reads the log.
//
// HOLDFAST_DISK_FOLDER  absolute path; other files are left alone
// HOLDFAST_DISK_LOG     every operation is appended here, in the order in which files were changed
// HOLDFAST_DISK_FAULT   optional: a file of five int32 (struct fault), mapped, so that a test can
//                       change it while the process runs
//
// Not recorded: mapped memory (SQLite's -shm, which is made anew at each start), copy_file_range,
// and names relative to an open folder.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { OPEN = 1, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, RENAME, UNLINK, LINK, MKDIR };
enum { CREATED = 1, TRUNCATED = 2 };

struct header {
  uint32_t kind;
  uint32_t file;
  uint64_t time;
  int64_t offset;
  uint32_t length;
  uint32_t flags;
};

// `of`: 1 writes, 2 fsyncs, 4 truncations; after `skip` more of them, `times` operations fail.
// `only`: 0 every file, 1 the database and its WAL.
struct fault {
  int32_t of, error, skip, times, only;
};

#define MAX_FILES 65536
static uint32_t file_of[MAX_FILES]; // by descriptor; 0: not recorded
static ino_t inode_of[MAX_FILES];
static char is_database[MAX_FILES];
static int unreported[MAX_FILES]; // Linux reports a failed fsync once to each open descriptor
static uint32_t files, syncs;
static int log_file = -1;
static char folder[PATH_MAX];
static size_t folder_length;
static volatile struct fault *fault;
// Held while a file is changed, so that the log has the order of the changes.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("HOLDFAST_DISK_FOLDER"), *log = getenv("HOLDFAST_DISK_LOG");
  const char *control = getenv("HOLDFAST_DISK_FAULT");
  // Processes that this one starts are not recorded.
  unsetenv("LD_PRELOAD");
  if (!path || !log) return;
  strncpy(folder, path, sizeof folder - 1);
  folder_length = strlen(folder);
  if (control) {
    int file = syscall(SYS_openat, AT_FDCWD, control, O_RDWR | O_CLOEXEC, 0);
    void *map = mmap(NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) fault = map;
  }
  log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void append(enum kind kind, uint32_t file, int64_t offset, uint32_t flags, const void *bytes,
                   size_t length) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct header head = {kind, file, now.tv_sec * 1000000000ull + now.tv_nsec, offset, length, flags};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)bytes, length}};
  int before = errno;
  syscall(SYS_writev, log_file, parts, 2);
  errno = before;
}

static int is_recorded(const char *path) {
  return log_file != -1 && path && strncmp(path, folder, folder_length) == 0 &&
         (path[folder_length] == '/' || path[folder_length] == 0);
}

// The tools reach files through a folder that they hold open: /proc/self/fd/N/name.
static const char *resolve(const char *path, char *resolved) {
  static const char handles[] = "/proc/self/fd/";
  if (!path || strncmp(path, handles, sizeof handles - 1) != 0) return path;
  char handle[64];
  const char *name = strchr(path + sizeof handles - 1, '/');
  size_t length = name ? (size_t)(name - path) : strlen(path);
  if (length >= sizeof handle) return path;
  memcpy(handle, path, length);
  handle[length] = 0;
  ssize_t found = readlink(handle, resolved, PATH_MAX - 1);
  if (found < 0) return path;
  resolved[found] = 0;
  if (name && strlen(name) < (size_t)(PATH_MAX - found)) strcpy(resolved + found, name);
  return resolved;
}

// libuv closes without libc, so the descriptor may be a socket by now.
static uint32_t file_at(int fd) {
  if (fd < 0 || fd >= MAX_FILES || !file_of[fd]) return 0;
  struct stat status;
  int before = errno;
  if (fstat(fd, &status) != 0 || status.st_ino != inode_of[fd]) file_of[fd] = 0;
  errno = before;
  return file_of[fd];
}

static int must_fail(int fd, int of) {
  if (!fault || !(fault->of & of) || (fault->only && !is_database[fd])) return 0;
  if (fault->skip > 0) return fault->skip--, 0;
  if (fault->times <= 0) return 0;
  fault->times--;
  errno = fault->error;
  return 1;
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcmp(path + length - tail, end) == 0;
}

static int open_recorded(int dir, const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&lock);
  struct stat status;
  int is_new = (flags & O_CREAT) && lstat(path, &status) != 0;
  int fd = syscall(SYS_openat, dir, path, flags, mode);
  if (fd >= 0 && fd < MAX_FILES) {
    file_of[fd] = fstat(fd, &status) == 0 ? ++files : 0;
    inode_of[fd] = status.st_ino;
    unreported[fd] = 0;
    is_database[fd] = ends_with(path, ".db") || ends_with(path, ".db-wal");
    uint32_t how = (is_new ? CREATED : 0) | (flags & O_TRUNC ? TRUNCATED : 0);
    append(OPEN, file_of[fd], 0, how, path, strlen(path));
  }
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

static int open_any(int dir, const char *given, int flags, mode_t mode) {
  char resolved[PATH_MAX];
  const char *path = resolve(given, resolved);
  if (is_recorded(path)) return open_recorded(dir, path, flags, mode);
  int fd = syscall(SYS_openat, dir, given, flags, mode);
  if (fd >= 0 && fd < MAX_FILES) file_of[fd] = 0;
  return fd;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_any(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_any(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE_OF(flags) return open_any(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE_OF(flags) return open_any(dir, path, flags, mode); }

int close(int fd) {
  REAL(int, "close", int);
  if (fd >= 0 && fd < MAX_FILES) file_of[fd] = 0;
  return real(fd);
}

// A disk without space takes a part of the last write.
static ssize_t write_at(int fd, const struct iovec *parts, int count, off_t offset, int is_positioned) {
  pthread_mutex_lock(&lock);
  ssize_t written;
  int fails = must_fail(fd, 1), error = errno;
  if (fails) {
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
    written = is_positioned && half.iov_len ? syscall(SYS_pwritev, fd, &half, 1, offset, 0) : 0;
  } else {
    written = is_positioned ? syscall(SYS_pwritev, fd, parts, count, offset, 0)
                            : syscall(SYS_writev, fd, parts, count);
    error = errno;
  }
  off_t at = is_positioned ? offset : lseek(fd, 0, SEEK_CUR) - written;
  ssize_t left = written;
  for (int part = 0; part < count && left > 0; part++) {
    size_t length = (size_t)left < parts[part].iov_len ? (size_t)left : parts[part].iov_len;
    append(WRITE, file_of[fd], at, 0, parts[part].iov_base, length);
    at += length;
    left -= length;
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return fails ? -1 : written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!file_at(fd)) return real(fd, bytes, length);
  struct iovec part = {(void *)bytes, length};
  return write_at(fd, &part, 1, 0, 0);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  return file_at(fd) ? write_at(fd, parts, count, 0, 0) : real(fd, parts, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  if (!file_at(fd)) return real(fd, bytes, length, offset);
  struct iovec part = {(void *)bytes, length};
  return write_at(fd, &part, 1, offset, 1);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off64_t);
  return file_at(fd) ? write_at(fd, parts, count, offset, 1) : real(fd, parts, count, offset);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev64(fd, parts, count, offset); }

int ftruncate64(int fd, off64_t size) {
  REAL(int, "ftruncate64", int, off64_t);
  if (!file_at(fd)) return real(fd, size);
  pthread_mutex_lock(&lock);
  int result = must_fail(fd, 4) ? -1 : real(fd, size);
  int error = errno;
  if (result == 0) append(TRUNCATE, file_of[fd], size, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

// The lock is not held while the disk works: writes may come meanwhile, and are not covered.
static int sync_file(int fd, int (*real)(int)) {
  uint32_t file = file_at(fd);
  if (!file) return real(fd);
  pthread_mutex_lock(&lock);
  uint32_t sync = ++syncs;
  append(SYNC_BEGIN, file, 0, sync, NULL, 0);
  int error = unreported[fd], fails = error != 0;
  unreported[fd] = 0;
  if (!fails && must_fail(fd, 2)) {
    fails = 1;
    error = errno;
    for (int other = 0; other < MAX_FILES; other++)
      if (other != fd && file_of[other] && inode_of[other] == inode_of[fd]) unreported[other] = error;
  }
  pthread_mutex_unlock(&lock);
  int result = fails ? -1 : real(fd);
  if (!fails) error = errno;
  pthread_mutex_lock(&lock);
  append(SYNC_END, file, result, sync, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return sync_file(fd, real);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return sync_file(fd, real);
}

static void append_names(enum kind kind, const char *given_from, const char *given_to) {
  char names[2 * PATH_MAX], one[PATH_MAX], other[PATH_MAX];
  const char *from = resolve(given_from, one), *to = resolve(given_to, other);
  if (!is_recorded(from) && !is_recorded(to)) return;
  size_t length = strlen(from);
  memcpy(names, from, length + 1);
  strcpy(names + length + 1, to);
  append(kind, 0, 0, 0, names, length + 1 + strlen(to));
}

#define NAMES(kind, from, to, call) \
  pthread_mutex_lock(&lock); \
  int result = call, error = errno; \
  if (result == 0) append_names(kind, from, to); \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return result

static int remove_any(const char *path) {
  int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  return result && errno == EISDIR ? (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR) : result;
}

int rename(const char *from, const char *to) { NAMES(RENAME, from, to, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)); }
int link(const char *from, const char *to) { NAMES(LINK, from, to, syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0)); }
int unlink(const char *path) { NAMES(UNLINK, path, "", syscall(SYS_unlinkat, AT_FDCWD, path, 0)); }
int remove(const char *path) { NAMES(UNLINK, path, "", remove_any(path)); }
int rmdir(const char *path) { NAMES(UNLINK, path, "", syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)); }
int mkdir(const char *path, mode_t mode) { NAMES(MKDIR, path, "", syscall(SYS_mkdirat, AT_FDCWD, path, mode)); }
