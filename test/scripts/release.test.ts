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

test('takes a file out of the release archive, deflated or stored, in whatever folder', () => {
  expect(unzipOne(archive, 'crsqlite.so').toString()).toBe('the extension '.repeat(4));
  expect(unzipOne(archive, 'readme.txt').toString()).toBe('first');
});

test('says what is wrong with an archive that it cannot use', () => {
  expect(() => unzipOne(archive, 'crsqlite.dll')).toThrow('it has no crsqlite.dll in it');
  expect(() => unzipOne(Buffer.from('<html>'), 'crsqlite.so')).toThrow('it is not a zip archive');
});
