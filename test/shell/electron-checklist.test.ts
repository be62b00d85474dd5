// Electron's checklist as docs/security.md answers it: no line is missing, each names rules that
// tests cite, and what must never be switched on is nowhere in the shell.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SHELL = 'src-main/shell';
const shell = readdirSync(SHELL)
  .map((name) => readFileSync(join(SHELL, name), 'utf8'))
  .join('\n');
const spec = readFileSync('SPEC.md', 'utf8');

const ITEMS = 20;

describe('the checklist', () => {
  it('[SH-12] every line is answered, by rules that there are', () => {
    const page = readFileSync('docs/security.md', 'utf8');
    const part = page.split("## Electron's checklist\n")[1]?.split('\n## ')[0] ?? '';
    const rows = part.split('\n').filter((line) => /^\| \d+ /.test(line));
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    expect(cells.map(([, number]) => Number(number))).toEqual(
      Array.from({ length: ITEMS }, (_, index) => index + 1),
    );
    for (const [, , item, answer, rules = ''] of cells) {
      expect(item).not.toBe('');
      expect(answer).not.toBe('');
      const ids = rules.split(', ');
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) expect(spec, `${item}: ${id}`).toContain(`- [${id}] `);
    }
  });

  it('[SH-12] nothing that weakens a page is switched on, and no address is handed to the system', () => {
    const switches = [
      'webSecurity',
      'allowRunningInsecureContent',
      'experimentalFeatures',
      'enableBlinkFeatures',
      'nodeIntegrationInWorker',
      'nodeIntegrationInSubFrames',
      'openExternal',
      'allowpopups',
      'enableRemoteModule',
    ];
    for (const name of switches) expect(shell.includes(name), name).toBe(false);
    expect(shell.match(/new BrowserWindow\(/g)).toHaveLength(1);
    expect(shell).toMatch(/contextIsolation: true,\s+sandbox: true,\s+nodeIntegration: false,/);
    expect(shell).not.toContain('file://${');
  });

  it('[SH-12] the window loads its own scheme, and the menu starts the app with its sandbox', () => {
    expect(shell.match(/\.loadURL\(([^)]*)\)/g)?.every((call) => call.includes('APP_ORIGIN'))).toBe(
      true,
    );
    expect(shell).not.toContain('.loadFile(');
    const config = readFileSync('electron-builder.yml', 'utf8');
    expect(config).not.toContain('no-sandbox');
    // The older one would put --no-sandbox into the menu entry of an AppImage.
    expect(config).toMatch(/^toolsets:\n {2}appimage: 1\./m);
  });
});
