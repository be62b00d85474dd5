import { expect, test } from 'vitest';

import { unzipOne } from '#scripts/crsqlite/release.mjs';

// Made with Python's zipfile: readme.txt (stored, "first") and dist/crsqlite.so (deflated).
const archive = Buffer.from(
  'UEsDBBQAAAAAAAAAIVBX7nGSBQAAAAUAAAAKAAAAcmVhZG1lLnR4dGZpcnN0UEsDBBQAAAAIAAAAIVDVzT5yEwAAADgA' +
    'AAAQAAAAZGlzdC9jcnNxbGl0ZS5zbyvJSFVIrShJzSvOzM9TKCGaBwBQSwECFAMUAAAAAAAAACFQV+5xkgUAAAAFAAAA' +
    'CgAAAAAAAAAAAAAAgAEAAAAAcmVhZG1lLnR4dFBLAQIUAxQAAAAIAAAAIVDVzT5yEwAAADgAAAAQAAAAAAAAAAAAAACA' +
    'AS0AAABkaXN0L2Nyc3FsaXRlLnNvUEsFBgAAAAACAAIAdgAAAG4AAAAAAA==',
  'base64',
);

test('extracts a file from the release archive, deflated or stored, from any folder', () => {
  expect(unzipOne(archive, 'crsqlite.so').toString()).toBe('the extension '.repeat(4));
  expect(unzipOne(archive, 'readme.txt').toString()).toBe('first');
});

test('names the problem of an archive that it cannot use', () => {
  expect(() => unzipOne(archive, 'crsqlite.dll')).toThrow(
    'the archive does not contain crsqlite.dll',
  );
  expect(() => unzipOne(Buffer.from('<html>'), 'crsqlite.so')).toThrow(
    'the download is not a zip archive',
  );
});
