/*
** A disk that waits and fails when it is told to, for a process that has this loaded before the C
** library. It is told by files in the folder FAILING_DISK, and writes there, in "trace", what it did:
** - "wait": the sync of a database does not end while it is there.
** - "fail": the next one fails, once, and what the database had since "lost" was copied is lost.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *told(const char *name) {
  static __thread char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("FAILING_DISK"), name);
  return path;
}

static void trace(const char *line) {
  int file = open(told("trace"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dprintf(file, "%s\n", line);
  close(file);
}

static int endsWith(const char *path, const char *end) {
  size_t length = strlen(path);
  return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

static int isDatabase(int file) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, path, sizeof path - 1) > 0 && endsWith(path, ".db");
}

static void lose(int file) {
  char bytes[65536];
  ssize_t size;
  off_t at = 0;
  int lost = open(told("lost"), O_RDONLY);
  while ((size = read(lost, bytes, sizeof bytes)) > 0) at += pwrite(file, bytes, size, at);
  close(lost);
  if (ftruncate(file, at) != 0) abort();
}

int fsync(int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  int rc;
  if (!isDatabase(file)) return real(file);
  trace("sync");
  while (access(told("wait"), F_OK) == 0) usleep(1000);
  if (access(told("fail"), F_OK) == 0) {
    unlink(told("fail"));
    lose(file);
    trace("failed");
    errno = EIO;
    return -1;
  }
  rc = real(file);
  trace("synced");
  return rc;
}

int unlink(const char *path) {
  int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
  if (endsWith(path, "-wal")) trace("log removed");
  return real(path);
}
