// Static files of the built renderer, for the loopback server and the Electron window.
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { packageRoot } from '#main/platform/package-root.ts';

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

const SECURITY_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

export interface StaticFile {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
}

export function rendererFolder(): string {
  return join(packageRoot(), 'out', 'renderer');
}

/** Paths without an extension are pages of the app and get index.html. */
export async function readStatic(pathname: string, folder = rendererFolder()): Promise<StaticFile> {
  const path = safePath(pathname, folder);
  const isAsset = path !== null && extname(path) !== '';
  const wanted = isAsset ? path : join(folder, 'index.html');
  try {
    return found(wanted, await readFile(wanted));
  } catch {
    return isAsset ? missing('File not found.') : missing(NOT_BUILT);
  }
}

const NOT_BUILT =
  'The window is not built. The API works. Run "npm run build" in the Holdfast folder, then reload this page.';

function safePath(pathname: string, folder: string): string | null {
  try {
    const path = normalize(join(folder, decodeURIComponent(pathname)));
    return path.startsWith(folder + sep) ? path : null;
  } catch {
    return null;
  }
}

function found(path: string, body: Buffer): StaticFile {
  const isHashed = /-[\w-]{8}\.\w+$/.test(path);
  return {
    status: 200,
    headers: {
      ...SECURITY_HEADERS,
      'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
      // Hashed file names never change content; index.html does.
      'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
    body,
  };
}

function missing(text: string): StaticFile {
  return {
    status: 404,
    headers: { ...SECURITY_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' },
    body: Buffer.from(text),
  };
}
