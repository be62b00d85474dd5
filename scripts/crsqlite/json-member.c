/*
** The operators -> and ->> for what nearly all of their uses here are: one member, by its name, of an
** object that is plain JSON. Every column that a specification names is made so from a column of JSON,
** and with each row that is written SQLite works out all of them: a quarter of its instructions for a
** run. Here a text is looked through once, for where its members are, and the last few texts are
** remembered.
**
** Whatever is not so plain (another path, a name with escapes, spaces, numbers that are not whole, a
** binary) is SQLite's own to answer, by a connection that has its own operators. So both say the same
** of every text that json_valid() takes, and an index made with either is read by both. Of a text that
** is no JSON SQLite says so, and this may take it for some: the columns hold nothing else (CHECK).
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include <string.h>

#ifdef _WIN32
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE
#endif

/* Since SQLite 3.45; an older one pays it no heed. */
#ifndef SQLITE_RESULT_SUBTYPE
#define SQLITE_RESULT_SUBTYPE 0x001000000
#endif

/* By it SQLite knows a text that is JSON from one that is not. */
#define JSON_SUBTYPE 74

/* A run has its facts, what it prepared and two states of its progress; so has its effect. */
#define SEEN 8
/* What is longer is looked through each time. */
#define SEEN_BYTES 2048
#define MAX_MEMBERS 32

/* Of a whole number that surely has room in 64 bits. */
#define MAX_DIGITS 18

/* Where it is in its text. */
typedef struct Member Member;
struct Member {
  int name, nameBytes;
  int value, valueBytes;
};

typedef struct Object Object;
struct Object {
  int isPlain;
  int count;
  Member members[MAX_MEMBERS];
};

typedef struct Seen Seen;
struct Seen {
  int bytes; /* 0: nothing yet */
  char text[SEEN_BYTES];
  Object object;
};

/* What both operators of a connection share. */
typedef struct Memory Memory;
struct Memory {
  int users;
  int oldest;
  Seen seen[SEEN];
  Object unseen; /* of a text that is too long to be remembered */
};

typedef struct Operator Operator;
struct Operator {
  int isJson; /* ->, which gives JSON; ->> gives a value */
  Memory *memory;
  sqlite3 *other;       /* opened when something is first not plain */
  sqlite3_stmt *answer; /* its own operator */
};

static int isPlain(char c) { return (unsigned char)c >= ' ' && c != '"' && c != '\\'; }

static int isDigit(char c) { return c >= '0' && c <= '9'; }

static int isName(const char *key) {
  while (isDigit(*key) || *key == '_' || ((*key | 32) >= 'a' && (*key | 32) <= 'z')) key += 1;
  return !*key;
}

/* From after its opening quote to its closing one; 0 where the text ends before. */
static const char *endOfString(const char *at, const char *end) {
  const char *quote = memchr(at, '"', end - at);
  if (!quote || quote[-1] != '\\') return quote;
  for (; at < end && *at != '"'; at += 1) at += *at == '\\';
  return at < end ? at : 0;
}

/* To what follows a value; 0 where it is not plain. Brackets are counted and not told apart. */
static const char *endOfValue(const char *at, const char *end) {
  int depth = 0;
  for (; at < end; at += 1) {
    switch (*at) {
      case '"':
        at = endOfString(at + 1, end);
        if (!at) return 0;
        break;
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        depth -= 1;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        return 0;
    }
  }
  return 0;
}

/* Whether all of it is plain. */
static int readMembers(Object *object, const char *text, int bytes) {
  const char *at = text;
  const char *end = text + bytes;
  object->count = 0;
  if (bytes < 2 || *at != '{') return 0;
  if (at[1] == '}') return bytes == 2;
  do {
    Member *member = &object->members[object->count];
    const char *name = at + 2;
    if (object->count == MAX_MEMBERS || at[1] != '"') return 0;
    for (at = name; at < end && isPlain(*at);) at += 1;
    if (at + 2 >= end || at[0] != '"' || at[1] != ':') return 0;
    member->name = name - text;
    member->nameBytes = at - name;
    member->value = at + 2 - text;
    at = endOfValue(at + 2, end);
    if (!at) return 0;
    member->valueBytes = at - text - member->value;
    object->count += 1;
  } while (*at == ',');
  return at + 1 == end;
}

static const Object *objectOf(Memory *memory, const char *text, int bytes) {
  Seen *seen;
  int i;
  if (bytes > SEEN_BYTES || bytes == 0) {
    memory->unseen.isPlain = readMembers(&memory->unseen, text, bytes);
    return &memory->unseen;
  }
  for (i = 0; i < SEEN; i += 1) {
    seen = &memory->seen[i];
    if (seen->bytes == bytes && memcmp(seen->text, text, bytes) == 0) return &seen->object;
  }
  seen = &memory->seen[memory->oldest];
  memory->oldest = (memory->oldest + 1) % SEEN;
  seen->bytes = bytes;
  memcpy(seen->text, text, bytes);
  seen->object.isPlain = readMembers(&seen->object, text, bytes);
  return &seen->object;
}

/* The first that is called so, or 0. */
static const Member *findMember(const Object *object, const char *text, const char *key, int bytes) {
  int i;
  for (i = 0; i < object->count; i += 1) {
    const Member *member = &object->members[i];
    if (member->nameBytes == bytes && memcmp(text + member->name, key, bytes) == 0) return member;
  }
  return 0;
}

static int isWord(const char *word, const char *from, const char *to) {
  int bytes = strlen(word);
  return to - from == bytes && memcmp(word, from, bytes) == 0;
}

/* Without a sign. */
static int isWholeNumber(const char *from, const char *to) {
  const char *at = from;
  if (to - from < 1 || to - from > MAX_DIGITS || (*from == '0' && to - from > 1)) return 0;
  while (at < to && isDigit(*at)) at += 1;
  return at == to;
}

static sqlite3_int64 wholeNumber(const char *from, const char *to) {
  sqlite3_int64 number = 0;
  for (; from < to; from += 1) number = number * 10 + (*from - '0');
  return number;
}

/* Whether it is plain enough to be given. */
static int giveValue(sqlite3_context *context, const char *from, const char *to) {
  switch (*from) {
    case '"':
      if (memchr(from, '\\', to - from)) return 0;
      sqlite3_result_text(context, from + 1, to - from - 2, SQLITE_TRANSIENT);
      return 1;
    case 'n':
      return isWord("null", from, to);
    case 't':
      if (!isWord("true", from, to)) return 0;
      sqlite3_result_int(context, 1);
      return 1;
    case 'f':
      if (!isWord("false", from, to)) return 0;
      sqlite3_result_int(context, 0);
      return 1;
    case '-':
      if (!isWholeNumber(from + 1, to)) return 0;
      sqlite3_result_int64(context, -wholeNumber(from + 1, to));
      return 1;
    default:
      if (!isWholeNumber(from, to)) return 0;
      sqlite3_result_int64(context, wholeNumber(from, to));
      return 1;
  }
}

static int openOther(Operator *operator) {
  int rc;
  if (operator->answer) return SQLITE_OK;
  rc = sqlite3_open_v2(":memory:", &operator->other, SQLITE_OPEN_READWRITE, 0);
  if (rc == SQLITE_OK) {
    const char *sql = operator->isJson ? "SELECT ?1 -> ?2" : "SELECT ?1 ->> ?2";
    rc = sqlite3_prepare_v2(operator->other, sql, -1, &operator->answer, 0);
  }
  if (rc == SQLITE_OK) return rc;
  sqlite3_close(operator->other);
  operator->other = 0;
  return rc;
}

static void giveAnswer(sqlite3_context *context, Operator *operator) {
  sqlite3_stmt *answer = operator->answer;
  switch (sqlite3_column_type(answer, 0)) {
    case SQLITE_INTEGER:
      sqlite3_result_int64(context, sqlite3_column_int64(answer, 0));
      break;
    case SQLITE_FLOAT:
      sqlite3_result_double(context, sqlite3_column_double(answer, 0));
      break;
    case SQLITE_TEXT:
      sqlite3_result_text(context, (const char *)sqlite3_column_text(answer, 0),
          sqlite3_column_bytes(answer, 0), SQLITE_TRANSIENT);
      if (operator->isJson) sqlite3_result_subtype(context, JSON_SUBTYPE);
      break;
  }
}

static void askSqlite(sqlite3_context *context, Operator *operator, sqlite3_value **arguments) {
  int rc = openOther(operator);
  if (rc != SQLITE_OK) {
    sqlite3_result_error_code(context, rc);
    return;
  }
  sqlite3_bind_value(operator->answer, 1, arguments[0]);
  sqlite3_bind_value(operator->answer, 2, arguments[1]);
  if (sqlite3_step(operator->answer) == SQLITE_ROW) giveAnswer(context, operator);
  else sqlite3_result_error(context, sqlite3_errmsg(operator->other), -1);
  sqlite3_reset(operator->answer);
  sqlite3_clear_bindings(operator->answer);
}

/* Whether it could be. */
static int answerPlainly(sqlite3_context *context, Operator *operator, sqlite3_value **arguments) {
  const char *text = (const char *)sqlite3_value_text(arguments[0]);
  const char *key = (const char *)sqlite3_value_text(arguments[1]);
  const Object *object;
  const Member *member;
  /* With these begins a path. */
  if (!text || !key || !*key || *key == '$' || *key == '[') return 0;
  object = objectOf(operator->memory, text, sqlite3_value_bytes(arguments[0]));
  if (!object->isPlain) return 0;
  member = findMember(object, text, key, sqlite3_value_bytes(arguments[1]));
  if (!member) return isName(key);
  text += member->value;
  if (!operator->isJson) return giveValue(context, text, text + member->valueBytes);
  sqlite3_result_text(context, text, member->valueBytes, SQLITE_TRANSIENT);
  sqlite3_result_subtype(context, JSON_SUBTYPE);
  return 1;
}

static void answer(sqlite3_context *context, int count, sqlite3_value **arguments) {
  Operator *operator = sqlite3_user_data(context);
  int type = sqlite3_value_type(arguments[0]);
  if (type == SQLITE_NULL) return;
  if (type == SQLITE_TEXT && sqlite3_value_type(arguments[1]) == SQLITE_TEXT &&
      answerPlainly(context, operator, arguments)) {
    return;
  }
  askSqlite(context, operator, arguments);
}

static void closeOperator(void *given) {
  Operator *operator = given;
  sqlite3_finalize(operator->answer);
  sqlite3_close(operator->other);
  operator->memory->users -= 1;
  if (operator->memory->users == 0) sqlite3_free(operator->memory);
  sqlite3_free(operator);
}

static int addOperator(sqlite3 *db, const char *name, int isJson, Memory *memory) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  Operator *operator = sqlite3_malloc(sizeof *operator);
  if (!operator) return SQLITE_NOMEM;
  memset(operator, 0, sizeof *operator);
  operator->isJson = isJson;
  operator->memory = memory;
  memory->users += 1;
  if (isJson) flags |= SQLITE_RESULT_SUBTYPE;
  return sqlite3_create_function_v2(db, name, 2, flags, operator, answer, 0, 0, closeOperator);
}

/* For this connection alone. */
VISIBLE int sqlite3_holdfastjson_init(
    sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  Memory *memory;
  int rc;
  SQLITE_EXTENSION_INIT2(routines);
  memory = sqlite3_malloc(sizeof *memory);
  if (!memory) return SQLITE_NOMEM;
  memset(memory, 0, sizeof *memory);
  rc = addOperator(db, "->", 1, memory);
  return rc == SQLITE_OK ? addOperator(db, "->>", 0, memory) : rc;
}
