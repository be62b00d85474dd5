// Electron's security checklist in docs/security.md, compared with SPEC.md and the shell's source.
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
  it('[SH-12] has an answer and existing rules for all 20 items', () => {
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

  it('[SH-12] the shell uses no weakening option and no openExternal, and isolates its only window', () => {
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

  it('[SH-12] the window loads only app://, and packages do not pass --no-sandbox', () => {
    expect(shell.match(/\.loadURL\(([^)]*)\)/g)?.every((call) => call.includes('APP_ORIGIN'))).toBe(
      true,
    );
    expect(shell).not.toContain('.loadFile(');
    const config = readFileSync('electron-builder.yml', 'utf8');
    expect(config).not.toContain('no-sandbox');
    // The older toolset adds --no-sandbox to the menu entry of an AppImage.
    expect(config).toMatch(/^toolsets:\n {2}appimage: 1\./m);
  });
});
