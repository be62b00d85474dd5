// What a process finds that has SQLite alone, without our way of writing the log.
import SQLite from 'better-sqlite3';

const sqlite = new SQLite(String(process.argv[2]), { readonly: true });
const numbers = sqlite.prepare('SELECT n, size FROM numbers ORDER BY n').raw().all();
const isSound = sqlite.pragma('integrity_check', { simple: true });
process.stdout.write(JSON.stringify({ numbers, isSound }));
