/*
** How SQLite's log gets into its file, and from there into the database's. Nothing else of either
** changes, neither the bytes nor their order.
**
** Into its own: the pages of a commit in a few calls to the system, where SQLite makes two for each.
** What is held back is only ever part of a transaction that is not committed yet:
** - With the last page of a commit all of it is written before SQLite goes on, and should that fail,
**   the commit fails. So whoever may see a commit finds it in the file, another process too, and a
**   process that is killed has lost nothing that was committed.
** - Whatever else is asked of the file, to read, to sync or to measure it, is done after what is held.
** - When a transaction gives up the write lock without a commit, what is held is forgotten: from then
**   on that place in the log belongs to whoever writes next.
**
** Into the database's (a fold; SQLite calls it a checkpoint): where the connection has asked for it
** by "PRAGMA fold_sync = later", the database's file is synced by a thread of its own, and the thread
** that folds goes on. Until the disk has it all, the log counts as folded but for its last page. That
** is a state which SQLite knows well, since a reader may bring it about: nobody begins the log anew, in
** no process, so that after a power cut everything is still in it. Should the disk fail, nothing of
** the log counts as folded any more, and the next fold writes all of it again.
** "PRAGMA fold_sync" tells how it went: "none", "working", "done" or "failed".
**
** It is a VFS around the one that SQLite has by default, and takes its place for all databases that
** are opened after it. Only the log of a database is a file of ours; of the database itself we see
** its locks, its syncs and our pragma; everything else goes to the VFS beneath without a detour.
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include <string.h>
#ifndef _WIN32
#include <pthread.h>
#endif

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

/* Of the locks of the log's index: of a writer, of who folds, and of readers of the database alone. */
#define WRITE_LOCK 0
#define FOLD_LOCK 1
#define NO_LOG_LOCK 3

/* Of the log's index itself, in numbers of 32 bits: what is one more each time that the log begins
** anew, and how many pages of it are in the database. */
#define SALT 8
#define FOLDED 24
#define INDEX_BYTES 32768

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

/* How the sync of a fold stands. */
enum { NONE, STARTED, WORKING, DONE, FAILED };

static const char *const words[] = {"none", "working", "working", "done", "failed"};

/* The database that a log is of: what we know of it lies behind the file of the VFS beneath. */
struct Owner {
  sqlite3_io_methods methods; /* those of the file, but for what we must see */
  const sqlite3_io_methods *beneath;
  Log *log;
  int isFolding;   /* this connection holds the lock for it */
  int mayBeLate;   /* the sync of the next fold */
  int state;       /* of the last one that was late */
  unsigned folded; /* how many pages of the log, once the disk has them */
  unsigned salt;   /* of that log */
#ifndef _WIN32
  pthread_t thread;
  int flags;    /* that it syncs with */
  int hasEnded; /* or as good as */
  int rc;       /* what the disk said to it */
#endif
};

static sqlite3_vfs *beneath;
static sqlite3_vfs gathering;

/* Where something of ours may begin. */
static int bytesBeneath(void) { return (beneath->szOsFile + 7) & ~7; }

static Owner *ownerOf(sqlite3_file *database) {
  return (Owner *)((char *)database + bytesBeneath());
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

#ifndef _WIN32
static void *syncInThread(void *from) {
  sqlite3_file *database = from;
  Owner *owner = ownerOf(database);
  owner->rc = owner->beneath->xSync(database, owner->flags);
  __atomic_store_n(&owner->hasEnded, 1, __ATOMIC_RELEASE);
  return 0;
}

static int startSync(sqlite3_file *database, Owner *owner, int flags) {
  owner->flags = flags;
  owner->hasEnded = 0;
  return pthread_create(&owner->thread, 0, syncInThread, database) == 0;
}

static int hasSyncEnded(Owner *owner) {
  return __atomic_load_n(&owner->hasEnded, __ATOMIC_ACQUIRE);
}

static int waitForSync(Owner *owner) {
  pthread_join(owner->thread, 0);
  return owner->rc;
}
#else
static int startSync(sqlite3_file *database, Owner *owner, int flags) { return 0; }
static int hasSyncEnded(Owner *owner) { return 1; }
static int waitForSync(Owner *owner) { return SQLITE_OK; }
#endif

/* Which is there as long as there is a log. */
static volatile unsigned *indexOf(sqlite3_file *database, Owner *owner) {
  volatile void *index = 0;
  owner->beneath->xShmMap(database, 0, INDEX_BYTES, 0, &index);
  return index;
}

/* The disk has what was folded, or lost it. Whoever else folds must not be at it meanwhile. */
static void countFolded(sqlite3_file *database, Owner *owner, int isOnDisk) {
  volatile unsigned *index = indexOf(database, owner);
  const int how = SQLITE_SHM_EXCLUSIVE;
  if (!index) return;
  while (owner->beneath->xShmLock(database, FOLD_LOCK, 1, SQLITE_SHM_LOCK | how) == SQLITE_BUSY) {
    beneath->xSleep(beneath, 1000);
  }
  if (!isOnDisk) {
    index[FOLDED] = 0;
  } else if (index[FOLDED] == owner->folded - 1 && index[SALT] == owner->salt) {
    /* Nobody else has folded more, let alone begun the log anew. */
    index[FOLDED] = owner->folded;
  }
  owner->beneath->xShmLock(database, FOLD_LOCK, 1, SQLITE_SHM_UNLOCK | how);
}

/* Waits for the disk, where it is at work. */
static void settle(sqlite3_file *database, Owner *owner) {
  if (owner->state != WORKING) return;
  owner->state = waitForSync(owner) == SQLITE_OK ? DONE : FAILED;
  countFolded(database, owner, owner->state == DONE);
}

static int ownerSync(sqlite3_file *database, int flags) {
  Owner *owner = ownerOf(database);
  int isLate = owner->isFolding && owner->mayBeLate && indexOf(database, owner);
  if (isLate && startSync(database, owner, flags)) {
    owner->state = STARTED;
    return SQLITE_OK;
  }
  return owner->beneath->xSync(database, flags);
}

/* Of a fold whose sync is late: nobody can have seen the number before this lock is let go. */
static void holdBackLastPage(sqlite3_file *database, Owner *owner) {
  volatile unsigned *index = indexOf(database, owner);
  owner->folded = index[FOLDED];
  owner->salt = index[SALT];
  index[FOLDED] = owner->folded - 1;
  owner->state = WORKING;
}

static int ownerShmLock(sqlite3_file *database, int first, int count, int flags) {
  Owner *owner = ownerOf(database);
  int isLetGo = flags & SQLITE_SHM_UNLOCK;
  int rc;
  if (isLetGo && first == WRITE_LOCK && owner->log) owner->log->held = 0;
  if (isLetGo && first == NO_LOG_LOCK && owner->state == STARTED) holdBackLastPage(database, owner);
  if (!isLetGo && first == FOLD_LOCK) settle(database, owner);
  rc = owner->beneath->xShmLock(database, first, count, flags);
  if (first == FOLD_LOCK && rc == SQLITE_OK) owner->isFolding = !isLetGo;
  if (first == FOLD_LOCK && isLetGo) owner->mayBeLate = 0;
  return rc;
}

static int ownerShmUnmap(sqlite3_file *database, int isLast) {
  Owner *owner = ownerOf(database);
  settle(database, owner);
  return owner->beneath->xShmUnmap(database, isLast);
}

/* Of all, as the last connection takes it, which then folds without any other lock. */
static int ownerLock(sqlite3_file *database, int level) {
  Owner *owner = ownerOf(database);
  if (level == SQLITE_LOCK_EXCLUSIVE) settle(database, owner);
  return owner->beneath->xLock(database, level);
}

static int ownerFileControl(sqlite3_file *database, int operation, void *argument) {
  Owner *owner = ownerOf(database);
  char **pragma = argument; /* the answer, the name, the value */
  if (operation != SQLITE_FCNTL_PRAGMA || sqlite3_stricmp(pragma[1], "fold_sync")) {
    return owner->beneath->xFileControl(database, operation, argument);
  }
  if (pragma[2] && !sqlite3_stricmp(pragma[2], "later")) owner->mayBeLate = 1;
  if (owner->state == WORKING && hasSyncEnded(owner)) settle(database, owner);
  pragma[0] = sqlite3_mprintf("%s", words[owner->state]);
  return SQLITE_OK;
}

static int openDatabase(const char *name, sqlite3_file *database, int flags, int *outFlags) {
  Owner *owner = ownerOf(database);
  int rc = beneath->xOpen(beneath, name, database, flags, outFlags);
  memset(owner, 0, sizeof *owner);
  if (rc != SQLITE_OK || database->pMethods->iVersion < 2) return rc;
  owner->beneath = database->pMethods;
  owner->methods = *owner->beneath;
  owner->methods.xSync = ownerSync;
  owner->methods.xLock = ownerLock;
  owner->methods.xFileControl = ownerFileControl;
  owner->methods.xShmLock = ownerShmLock;
  owner->methods.xShmUnmap = ownerShmUnmap;
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
    gathering.xOpen = gatheringOpen;
    beneath = standard;
    gathering.szOsFile = bytesBeneath() + mostOfUs;
    rc = sqlite3_vfs_register(&gathering, 1);
  }
  sqlite3_mutex_leave(mutex);
  /* The VFS lives as long as the process, and so must this code. */
  return rc == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : rc;
}
