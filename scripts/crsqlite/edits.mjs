// What we change in the sources of cr-sqlite 0.16.3 before we compile them, and why.
//
// Upstream builds with a Rust nightly of 2023 and with cargo. We build with any stable rustc
// since 1.85, without cargo. Most edits only bridge that gap; "namesEndInNul" and "slicesFromNull"
// mend real faults, which upstream's own build hides by luck of memory layout; "clocksByValues" says
// the same to SQLite in fewer steps.
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
        file: 'core/src/tableinfo.rs',
        find: CLOCK_BY_SELECT,
        replace: ') VALUES ($1)',
        times: 3,
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
