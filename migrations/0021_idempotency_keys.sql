-- Local: requests with an Idempotency-Key and their replies. The reply is encrypted, because it may
-- contain a value that is shown only once; the hash of the body is keyed for the same reason.
CREATE TABLE idempotency_keys (
  key TEXT NOT NULL PRIMARY KEY,
  call TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('begun', 'answered')),
  answer BLOB,
  begun_at INTEGER NOT NULL,
  answered_at INTEGER,
  CHECK ((status = 'answered') = (answer IS NOT NULL AND answered_at IS NOT NULL))
) STRICT;

-- Finds expired replies.
CREATE INDEX idx_idempotency_keys_begun_at ON idempotency_keys (status, begun_at);

-- A reply is written once, for the same request.
CREATE TRIGGER idempotency_keys_answer_stays BEFORE UPDATE ON idempotency_keys
WHEN OLD.status = 'answered' OR NEW.key IS NOT OLD.key OR NEW.call IS NOT OLD.call
  OR NEW.body_hash IS NOT OLD.body_hash
BEGIN
  SELECT RAISE(ABORT, 'an answer that was given is immutable');
END;
