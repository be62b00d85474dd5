// The edits that we make to the sources of cr-sqlite 0.16.3 before compiling them, and why.
//
// Upstream builds with cargo and a Rust nightly of 2023. We build with any stable rustc since 1.85,
// without cargo. Edits of the kind "compile" only bridge that gap. Edits of the kind "fault" fix
// undefined behaviour that upstream's own binary survives by luck of memory layout. No edit changes
// what cr-sqlite computes or stores, so upstream's release and our build are interchangeable.
//
// Each edit states how often it must match. If the package changes, the build stops and names the
// edit that no longer fits.

/**
 * @typedef {object} Edit
 * @property {string} name
 * @property {'compile' | 'fault'} kind
 * @property {string} why
 * @property {{ file: string, find: RegExp, replace: string, times: number }[]} changes files are
 *   relative to the package's `rs` folder
 */

const BUNDLE = 'bundle/src/lib.rs';
const CORE = 'core/src/lib.rs';
const CAPI = 'sqlite-rs-embedded/sqlite3_capi/src/capi.rs';
const NOSTD = 'sqlite-rs-embedded/sqlite_nostd/src/nostd.rs';

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
    kind: 'compile',
    why: 'Stable rustc rejects #![feature]. The gated features are either stable now or unused.',
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
    kind: 'compile',
    why:
      'into_raw_parts() is unstable in older compilers. ManuallyDrop and the raw pointer do the ' +
      'same; SQLite frees the memory either way.',
    changes: [
      { file: NOSTD, find: INTO_RAW_PARTS, replace: OWNED_PARTS, times: 4 },
      { file: 'core/src/changes_vtab.rs', find: INTO_RAW_PARTS, replace: OWNED_PARTS, times: 1 },
    ],
  },
  {
    name: 'noErrorTrait',
    kind: 'compile',
    why: 'The stable Error trait requires Display, which ResultCode lacks. The impl is unused.',
    changes: [
      { file: NOSTD, find: /core::\{error::Error, slice,/, replace: 'core::{slice,', times: 1 },
      { file: NOSTD, find: /^impl Error for ResultCode \{\}\n/m, replace: '', times: 1 },
    ],
  },
  {
    name: 'slicesFromNull',
    kind: 'fault',
    why:
      'SQLite returns a NULL pointer for an empty or NULL value. A Rust slice from NULL is ' +
      'undefined behaviour that newer compilers exploit. Such a value becomes an empty slice.',
    changes: [
      { file: NOSTD, find: SLICE_OF_SQLITE_MEMORY, replace: CHECKED_SLICE, times: 3 },
      { file: CAPI, find: SLICE_OF_SQLITE_MEMORY, replace: CHECKED_SLICE, times: 3 },
      {
        file: CAPI,
        find: /$(?![^])/,
        // Some callers pass the slice's pointer on as a C string, so the empty slice points at a NUL.
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
    kind: 'fault',
    why:
      'The default schema name is passed to C as a pointer, but a Rust literal has no terminating ' +
      'NUL. C reads past its end, and crsql_as_crr fails with "out of memory".',
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
    name: 'abortWithoutNightly',
    kind: 'compile',
    why:
      "Without the standard library and nightly's lang items, a panic must call C's abort(). The " +
      'compiled core library references two symbols of an unwinder; with panic=abort neither is ' +
      'ever called.',
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
