// What we change in the sources of cr-sqlite 0.16.3 before we compile them, and why.
//
// Upstream builds with a Rust nightly of 2023 and with cargo. We build with any stable rustc
// since 1.85, without cargo. Most edits only bridge that gap; "namesEndInNul" and "slicesFromNull"
// mend real faults, which upstream's own build hides by luck of memory layout; "clocksByValues",
// "keysWithoutReturning" and "clocksTogether" say the same to SQLite in fewer steps.
//
// Each edit must match exactly as often as it says. When the package changes, the build then
// stops with the edit's name, and does not make something almost right.

/**
 * @typedef {object} Edit
 * @property {string} name
 * @property {string} why
 * @property {{ file: string, find: RegExp, replace: string, times: number }[]} changes files are
 *   relative to the package's `rs` folder
 */

const BUNDLE = 'bundle/src/lib.rs';
const CORE = 'core/src/lib.rs';
const CAPI = 'sqlite-rs-embedded/sqlite3_capi/src/capi.rs';
const TABLE_INFO = 'core/src/tableinfo.rs';
const NOSTD = 'sqlite-rs-embedded/sqlite_nostd/src/nostd.rs';

/** The clock of a column that a local write changed, of a row that it made, of one that it deleted. */
const CLOCK_BY_SELECT =
  /\) SELECT(\s+\?,\s+(?:\?|'\{sentinel\}'),\s+[12],\s+\?,\s+\?,\s+0) WHERE true/g;

const FEATURE_GATE = /^#!\[feature\(.*\n/gm;
const INTO_RAW_PARTS = /= ([a-z]+)\.into_raw_parts\(\);/g;
const OWNED_PARTS =
  '= { let mut owned = core::mem::ManuallyDrop::new($1); ' +
  '(owned.as_mut_ptr(), owned.len(), owned.capacity()) };';
const SLICE_OF_SQLITE_MEMORY =
  /core::slice::from_raw_parts\((bytes as \*const u8|b\.cast::<u8>\(\)|ptr as \*const u8), (len|n) as usize\)/g;
const CHECKED_SLICE = 'slice_of_sqlite_memory($1, $2 as usize)';

/** @type {Edit[]} */
export const edits = [
  {
    name: 'noFeatureGates',
    why: 'Stable rustc refuses #![feature]. Some gates guard what is stable by now or never used.',
    changes: [
      { file: BUNDLE, find: FEATURE_GATE, replace: '', times: 2 },
      { file: CORE, find: FEATURE_GATE, replace: '', times: 1 },
      { file: 'fractindex-core/src/lib.rs', find: FEATURE_GATE, replace: '', times: 1 },
      {
        file: 'sqlite-rs-embedded/sqlite3_capi/src/lib.rs',
        find: FEATURE_GATE,
        replace: '',
        times: 1,
      },
      {
        file: 'sqlite-rs-embedded/sqlite_nostd/src/lib.rs',
        find: FEATURE_GATE,
        replace: '',
        times: 2,
      },
    ],
  },
  {
    name: 'stableRawParts',
    why:
      'into_raw_parts() was unstable for long. Keeping the value from being dropped and taking ' +
      'its pointer is the same; SQLite frees the memory in both.',
    changes: [
      { file: NOSTD, find: INTO_RAW_PARTS, replace: OWNED_PARTS, times: 4 },
      { file: 'core/src/changes_vtab.rs', find: INTO_RAW_PARTS, replace: OWNED_PARTS, times: 1 },
    ],
  },
  {
    name: 'noErrorTrait',
    why: 'ResultCode lacks the Display that the stable Error trait asks for; nobody uses the impl.',
    changes: [
      { file: NOSTD, find: /core::\{error::Error, slice,/, replace: 'core::{slice,', times: 1 },
      { file: NOSTD, find: /^impl Error for ResultCode \{\}\n/m, replace: '', times: 1 },
    ],
  },
  {
    name: 'slicesFromNull',
    why:
      'SQLite returns NULL for an empty or NULL value, and a Rust slice from NULL is undefined ' +
      'behaviour, which newer compilers make use of. Such a value becomes an empty slice.',
    changes: [
      { file: NOSTD, find: SLICE_OF_SQLITE_MEMORY, replace: CHECKED_SLICE, times: 3 },
      { file: CAPI, find: SLICE_OF_SQLITE_MEMORY, replace: CHECKED_SLICE, times: 3 },
      {
        file: CAPI,
        find: /$(?![^])/,
        // Some callers hand the slice's pointer on as a C string, so the empty one points at a NUL.
        replace: `
pub unsafe fn slice_of_sqlite_memory<'a>(start: *const u8, length: usize) -> &'a [u8] {
    if start.is_null() {
        core::slice::from_raw_parts(b"\\0".as_ptr(), 0)
    } else {
        core::slice::from_raw_parts(start, length)
    }
}
`,
        times: 1,
      },
    ],
  },
  {
    name: 'namesEndInNul',
    why:
      'The default schema name is handed to C as a pointer, but a Rust literal has no NUL at its ' +
      'end. C reads on into whatever follows, and crsql_as_crr fails with "out of memory".',
    changes: [
      {
        file: CORE,
        find: /\("main", args\[0\]\.text\(\)\)/g,
        replace: '("main\\0", args[0].text())',
        times: 3,
      },
    ],
  },
  {
    name: 'clocksByValues',
    why:
      'SQLite takes INSERT ... SELECT for a statement that may write many rows, and keeps a copy of ' +
      'every page that it changes, to undo it halfway. It is one row, and VALUES says so. Measured: ' +
      'all that 64 workflows write together takes 4 to 6 % less time, what one writes 2 %.',
    changes: [
      {
        file: TABLE_INFO,
        find: CLOCK_BY_SELECT,
        replace: ') VALUES ($1)',
        times: 3,
      },
    ],
  },
  {
    name: 'keysWithoutReturning',
    why:
      'For RETURNING, SQLite makes a table in memory and throws it away, for one number. Whether a row ' +
      'was inserted, and which, can be asked of the connection. With clocksTogether 9 % of the ' +
      'instructions that SQLite takes for a run.',
    changes: [
      {
        file: CAPI,
        find: /^pub fn changes64\(/m,
        replace: `pub fn last_insert_rowid(db: *mut sqlite3) -> int64 {
    unsafe { invoke_sqlite!(last_insert_rowid, db) }
}

pub fn changes64(`,
        times: 1,
      },
      {
        file: TABLE_INFO,
        find: /("INSERT OR IGNORE INTO .*) RETURNING __crsql_key"/,
        replace: '$1"',
        times: 1,
      },
      {
        file: TABLE_INFO,
        find: /Ok\(ResultCode::DONE\) => \{\n\s+\/\/ already exists, get it/,
        replace: `Ok(ResultCode::DONE) if db.changes64() == 1 => {
                reset_cached_stmt(stmt.stmt)?;
                return Ok((false, sqlite::last_insert_rowid(db)));
            }
            $&`,
        times: 1,
      },
    ],
  },
  {
    name: 'clocksTogether',
    why:
      'A new row has a clock for each of its columns. One statement writes them all. It says FAIL, so ' +
      'that SQLite keeps no copy of pages to undo it by itself: where it fails, so does the statement ' +
      'that made the row, and that undoes both.',
    changes: [
      {
        file: TABLE_INFO,
        find: /^ {4}mark_locally_updated_stmt: RefCell<Option<ManagedStmt>>,\n/m,
        replace: '$&    mark_columns_created_stmt: RefCell<Option<ManagedStmt>>,\n',
        times: 1,
      },
      {
        file: TABLE_INFO,
        find: /^ {8}mark_locally_updated_stmt: RefCell::new\(None\),\n/m,
        replace: '$&        mark_columns_created_stmt: RefCell::new(None),\n',
        times: 1,
      },
      {
        file: TABLE_INFO,
        find: /^ {8}let mut stmt = self\.mark_locally_updated_stmt\.try_borrow_mut\(\)\?;\n/m,
        replace: `        let mut stmt = self.mark_columns_created_stmt.try_borrow_mut()?;
        stmt.take();
$&`,
        times: 1,
      },
      {
        file: TABLE_INFO,
        find: /^ {4}pub fn get_mark_locally_updated_stmt\(/m,
        replace: `    pub fn get_mark_columns_created_stmt(
        &self,
        db: *mut sqlite3,
    ) -> Result<Ref<Option<ManagedStmt>>, ResultCode> {
        if self.mark_columns_created_stmt.try_borrow()?.is_none() {
            let clocks = self
                .non_pks
                .iter()
                .enumerate()
                .map(|(place, column)| {
                    format!(
                        "(?1, '{name}', 1, ?2, ?3 + {place}, 0)",
                        name = crate::util::escape_ident_as_value(&column.name),
                    )
                })
                .collect::<Vec<_>>()
                .join(", ");
            let sql = format!(
                "INSERT OR FAIL INTO \\"{table_name}__crsql_clock\\"
                  (key, col_name, col_version, db_version, seq, site_id) VALUES {clocks}",
                table_name = crate::util::escape_ident(&self.tbl_name),
            );
            let ret = db.prepare_v3(&sql, sqlite::PREPARE_PERSISTENT)?;
            *self.mark_columns_created_stmt.try_borrow_mut()? = Some(ret);
        }
        Ok(self.mark_columns_created_stmt.try_borrow()?)
    }

$&`,
        times: 1,
      },
      {
        file: 'core/src/local_writes/after_insert.rs',
        find: /^ {4}\/\/ now for each non-pk column, create or update the column record\n/m,
        replace: `    if !create_record_existed {
        return mark_columns_created(db, ext_data, tbl_info, key_new, db_version);
    }

$&`,
        times: 1,
      },
      {
        file: 'core/src/local_writes/after_insert.rs',
        find: /^fn update_create_record\(/m,
        replace: `fn mark_columns_created(
    db: *mut sqlite3,
    ext_data: *mut crsql_ExtData,
    tbl_info: &TableInfo,
    key_new: sqlite::int64,
    db_version: sqlite::int64,
) -> Result<ResultCode, String> {
    let stmt_ref = tbl_info
        .get_mark_columns_created_stmt(db)
        .or_else(|_e| Err("failed to get mark_columns_created_stmt"))?;
    let stmt = stmt_ref
        .as_ref()
        .ok_or("Failed to deref mark_columns_created_stmt")?;
    let first_seq = unsafe { (*ext_data).seq };
    unsafe { (*ext_data).seq += tbl_info.non_pks.len() as c_int };
    stmt.bind_int64(1, key_new)
        .and_then(|_| stmt.bind_int64(2, db_version))
        .and_then(|_| stmt.bind_int(3, first_seq))
        .or_else(|_e| Err("failed binding to mark_columns_created_stmt"))?;
    super::step_trigger_stmt(stmt)
}

$&`,
        times: 1,
      },
    ],
  },
  {
    name: 'abortWithoutNightly',
    why:
      "Without the standard library and without nightly's lang items, a panic must end in C's " +
      'abort(). The two symbols are what the compiled core library expects of an unwinder; with ' +
      'panic=abort neither is ever called.',
    changes: [
      {
        file: BUNDLE,
        find: /core::intrinsics::abort\(\)/g,
        replace: 'unsafe { abort() }',
        times: 2,
      },
      { file: BUNDLE, find: /#\[lang = "eh_personality"\]/, replace: '#[no_mangle]', times: 1 },
      {
        file: BUNDLE,
        find: /extern "C" fn eh_personality\(\) \{\}/,
        replace: 'pub extern "C" fn rust_eh_personality() {}',
        times: 1,
      },
      {
        file: BUNDLE,
        find: /$(?![^])/,
        replace: `
extern "C" {
    fn abort() -> !;
}

#[cfg(not(target_family = "wasm"))]
#[no_mangle]
pub unsafe extern "C" fn _Unwind_Resume(_: *mut ::core::ffi::c_void) -> ! {
    abort()
}
`,
        times: 1,
      },
    ],
  },
];
