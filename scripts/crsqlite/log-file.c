/*
** How SQLite's log gets into its file: the pages of a commit in a few calls to the system, where
** SQLite makes two for each page. Nothing else of the log changes, neither its bytes nor their order.
**
** What is held back is only ever part of a transaction that is not committed yet:
** - With the last page of a commit all of it is written before SQLite goes on, and should that fail,
**   the commit fails. So whoever may see a commit finds it in the file, another process too, and a
**   process that is killed has lost nothing that was committed.
** - Whatever else is asked of the file, to read, to sync or to measure it, is done after what is held.
** - When a transaction gives up the write lock without a commit, what is held is forgotten: from then
**   on that place in the log belongs to whoever writes next.
**
** It is a VFS around the one that SQLite has by default, and takes its place for all databases that
** are opened after it. Only the log of a database is a file of ours; of the database itself we see
** when it lets go of the write lock, and everything else goes to the VFS beneath without a detour.
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include <string.h>

#ifdef _WIN32
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE
#endif

/* SQLite's own VFS for unix writes no more than 128 KiB in one call. */
#define MAX_HELD (64 * 1024)

/* Of the format of the log: before each page comes a header, and in that of the last page of a
** commit the second number is not zero. */
#define HEADER_BYTES 24

/* Of the locks of the log's index: the one that a writer holds. */
#define WRITE_LOCK 0

typedef struct Log Log;
typedef struct Owner Owner;

struct Log {
  sqlite3_file base;
  Owner *owner;
  sqlite3_file *file;   /* of the VFS beneath */
  sqlite3_int64 heldAt; /* where in the file what is held belongs, or would, were there anything */
  int held;             /* how many bytes */
  int isLastOfCommit;   /* the page whose header came last */
  char *bytes;
};

/* The database that a log is of: what we know of it lies behind the file of the VFS beneath. */
struct Owner {
  sqlite3_io_methods methods; /* those of the file, but for the one that tells us of locks */
  const sqlite3_io_methods *beneath;
  Log *log;
};

static sqlite3_vfs *beneath;
static sqlite3_vfs gathering;

static Owner *ownerOf(sqlite3_file *database) {
  return (Owner *)((char *)database + ((beneath->szOsFile + 7) & ~7));
}

static int writeHeld(Log *log) {
  int rc;
  if (log->held == 0) return SQLITE_OK;
  rc = log->file->pMethods->xWrite(log->file, log->bytes, log->held, log->heldAt);
  log->heldAt += log->held;
  log->held = 0;
  return rc;
}

static int logWrite(sqlite3_file *file, const void *from, int size, sqlite3_int64 at) {
  Log *log = (Log *)file;
  const char *bytes = from;
  int isHeader = size == HEADER_BYTES;
  int follows = at == log->heldAt + log->held;
  if (isHeader) log->isLastOfCommit = (bytes[4] | bytes[5] | bytes[6] | bytes[7]) != 0;
  if (!follows || log->held + size > MAX_HELD) {
    int rc = writeHeld(log);
    if (rc != SQLITE_OK) return rc;
  }
  if (!follows || size > MAX_HELD) {
    /* The log's own header, the first page of a transaction, or one that is written over. */
    log->heldAt = at + size;
    return log->file->pMethods->xWrite(log->file, from, size, at);
  }
  memcpy(log->bytes + log->held, from, size);
  log->held += size;
  return log->isLastOfCommit && !isHeader ? writeHeld(log) : SQLITE_OK;
}

static int logRead(sqlite3_file *file, void *to, int size, sqlite3_int64 at) {
  Log *log = (Log *)file;
  int rc = writeHeld(log);
  return rc != SQLITE_OK ? rc : log->file->pMethods->xRead(log->file, to, size, at);
}

static int logTruncate(sqlite3_file *file, sqlite3_int64 size) {
  Log *log = (Log *)file;
  int rc = writeHeld(log);
  return rc != SQLITE_OK ? rc : log->file->pMethods->xTruncate(log->file, size);
}

static int logSync(sqlite3_file *file, int flags) {
  Log *log = (Log *)file;
  int rc = writeHeld(log);
  return rc != SQLITE_OK ? rc : log->file->pMethods->xSync(log->file, flags);
}

static int logFileSize(sqlite3_file *file, sqlite3_int64 *size) {
  Log *log = (Log *)file;
  int rc = writeHeld(log);
  return rc != SQLITE_OK ? rc : log->file->pMethods->xFileSize(log->file, size);
}

static int logClose(sqlite3_file *file) {
  Log *log = (Log *)file;
  log->owner->log = 0;
  sqlite3_free(log->bytes);
  return log->file->pMethods->xClose(log->file);
}

static int logLock(sqlite3_file *file, int level) {
  Log *log = (Log *)file;
  return log->file->pMethods->xLock(log->file, level);
}

static int logUnlock(sqlite3_file *file, int level) {
  Log *log = (Log *)file;
  return log->file->pMethods->xUnlock(log->file, level);
}

static int logCheckReservedLock(sqlite3_file *file, int *isReserved) {
  Log *log = (Log *)file;
  return log->file->pMethods->xCheckReservedLock(log->file, isReserved);
}

static int logFileControl(sqlite3_file *file, int operation, void *argument) {
  Log *log = (Log *)file;
  return log->file->pMethods->xFileControl(log->file, operation, argument);
}

static int logSectorSize(sqlite3_file *file) {
  Log *log = (Log *)file;
  return log->file->pMethods->xSectorSize(log->file);
}

static int logDeviceCharacteristics(sqlite3_file *file) {
  Log *log = (Log *)file;
  return log->file->pMethods->xDeviceCharacteristics(log->file);
}

static const sqlite3_io_methods logMethods = {
    1,
    logClose,
    logRead,
    logWrite,
    logTruncate,
    logSync,
    logFileSize,
    logLock,
    logUnlock,
    logCheckReservedLock,
    logFileControl,
    logSectorSize,
    logDeviceCharacteristics,
};

static int ownerShmLock(sqlite3_file *database, int first, int count, int flags) {
  Owner *owner = ownerOf(database);
  int isLetGo = (flags & SQLITE_SHM_UNLOCK) && first == WRITE_LOCK;
  if (isLetGo && owner->log) owner->log->held = 0;
  return owner->beneath->xShmLock(database, first, count, flags);
}

static int openDatabase(const char *name, sqlite3_file *database, int flags, int *outFlags) {
  Owner *owner = ownerOf(database);
  int rc = beneath->xOpen(beneath, name, database, flags, outFlags);
  owner->beneath = 0;
  if (rc != SQLITE_OK || database->pMethods->iVersion < 2) return rc;
  owner->log = 0;
  owner->beneath = database->pMethods;
  owner->methods = *owner->beneath;
  owner->methods.xShmLock = ownerShmLock;
  /* Of a later version we have not copied all. */
  if (owner->methods.iVersion > 3) owner->methods.iVersion = 3;
  database->pMethods = &owner->methods;
  return SQLITE_OK;
}

static int openLog(Owner *owner, const char *name, Log *log, int flags, int *outFlags) {
  int rc;
  memset(log, 0, sizeof *log);
  log->owner = owner;
  log->heldAt = -1; /* nothing follows this */
  log->file = (sqlite3_file *)(log + 1);
  log->bytes = sqlite3_malloc(MAX_HELD);
  if (!log->bytes) return SQLITE_NOMEM;
  rc = beneath->xOpen(beneath, name, log->file, flags, outFlags);
  if (rc != SQLITE_OK) {
    sqlite3_free(log->bytes);
    return rc;
  }
  log->base.pMethods = &logMethods;
  owner->log = log;
  return SQLITE_OK;
}

static int gatheringOpen(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return openDatabase(name, file, flags, outFlags);
  if (flags & SQLITE_OPEN_WAL) {
    Owner *owner = ownerOf(sqlite3_database_file_object(name));
    if (owner->beneath) return openLog(owner, name, (Log *)file, flags, outFlags);
  }
  return beneath->xOpen(beneath, name, file, flags, outFlags);
}

/* May be called any number of times, by any thread. */
VISIBLE int sqlite3_holdfastlog_init(
    sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  sqlite3_mutex *mutex;
  int rc = SQLITE_OK;
  SQLITE_EXTENSION_INIT2(routines);
  mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  if (!beneath) {
    sqlite3_vfs *standard = sqlite3_vfs_find(0);
    int mostOfUs = sizeof(Log) > sizeof(Owner) ? sizeof(Log) : sizeof(Owner);
    gathering = *standard;
    gathering.pNext = 0;
    gathering.zName = "holdfast-log";
    gathering.szOsFile = ((standard->szOsFile + 7) & ~7) + mostOfUs;
    gathering.xOpen = gatheringOpen;
    beneath = standard;
    rc = sqlite3_vfs_register(&gathering, 1);
  }
  sqlite3_mutex_leave(mutex);
  /* The VFS lives as long as the process, and so must this code. */
  return rc == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : rc;
}
