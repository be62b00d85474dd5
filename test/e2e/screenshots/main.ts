// Takes the screenshots listed in `pictures.ts`: one host per world, one page at a time.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, openPage } from '#test/e2e/browser/browser.ts';
import { IN_DOCS, PICTURES, type Look, type Picture } from '#test/e2e/screenshots/pictures.ts';
import { WORLDS, type World } from '#test/e2e/screenshots/worlds.ts';

const ROOT = join(import.meta.dirname, '../../..');
const wanted = process.argv.slice(2).filter((arg) => arg !== '--docs');
/** Only the README images. */
const isForDocs = process.argv.includes('--docs');
const OUT = join(ROOT, isForDocs ? 'docs/images' : 'screenshots');
const LOOKS: Readonly<Record<Look, { width: number; height: number; dark: boolean }>> = {
  light: { width: 1280, height: 860, dark: false },
  dark: { width: 1280, height: 860, dark: true },
  narrow: { width: 800, height: 860, dark: false },
  wide: { width: 3840, height: 2160, dark: false },
};

const chosen = isForDocs
  ? PICTURES.filter(({ name }) => IN_DOCS.includes(name)).map(inLight)
  : PICTURES.filter(
      ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
    );
mkdirSync(OUT, { recursive: true });
const browser = await launchChromium();
try {
  for (const name of Object.keys(WORLDS) as (keyof typeof WORLDS)[]) {
    const pictures = chosen.filter(({ world }) => world === name);
    if (pictures.length > 0) await inWorld(name, pictures);
  }
} finally {
  await browser.close();
}

function inLight(picture: Picture): Picture {
  return { ...picture, looks: ['light'] };
}

async function inWorld(name: keyof typeof WORLDS, pictures: readonly Picture[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pictures-'));
  const world = await WORLDS[name](folder);
  try {
    for (const picture of pictures) {
      for (const look of picture.looks ?? (['light', 'dark', 'narrow'] as const)) {
        await take(world, picture, look);
      }
    }
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function take(world: World, picture: Picture, look: Look): Promise<void> {
  const { width, height, dark } = LOOKS[look];
  const { page } = await openPage(browser, {
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const path = typeof picture.path === 'string' ? picture.path : await picture.path(world);
  await page.goto(world.host.link(path));
  await page.waitForFunction(
    () => !document.querySelector('.skeleton') && document.querySelector('h1'),
  );
  await page.waitForLoadState('networkidle');
  await picture.prepare?.(page, world);
  const file = join(OUT, isForDocs ? `${picture.name}.png` : `${picture.name}-${look}.png`);
  await page.screenshot({ path: file, fullPage: picture.whole ?? false });
  process.stdout.write(`${file}\n`);
  await page.context().close();
}
