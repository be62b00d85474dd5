// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { pageButtonCommands } from '#renderer/commands/page-button-commands.ts';

const show = (html: string): string[] => {
  document.body.innerHTML = html;
  return pageButtonCommands(document).map(({ name }) => name);
};

describe('what a page can be told to do', () => {
  beforeEach(() => {
    document.body.innerHTML = '';
  });

  test('[DX-8] is named as a screen reader says it', () => {
    expect(
      show(`
        <button>Run again… <span class="sr-only"> invoice   7</span></button>
        <button aria-label="Close"><svg></svg></button>
        <span id="what">Workflow</span><span id="value">payments</span>
        <button aria-labelledby="what value">payments</button>
        <nav><a href="/a">Graph</a><a href="/b" aria-current="page">Versions</a></nav>
        <a href="/c" data-button-link="">Change and run…</a><a href="/d">a word in a text</a>
        <details><summary>More</summary></details>`),
    ).toEqual([
      'Run again… invoice 7',
      'Close',
      'Workflow payments',
      'Graph',
      'Change and run…',
      'More',
    ]);
  });

  test('[DX-8] leaves out what cannot be pressed, does nothing, or could mean several', () => {
    expect(
      show(`
        <button disabled>Save</button><button data-pending="true">Saving</button>
        <button aria-disabled="true">Keep</button><button data-tooltip="">Committed</button>
        <button>It happened</button><button>It happened</button>
        <div role="row"><button>Select</button></div>
        <div class="monaco-editor"><button>Fold</button></div>
        <button><svg></svg></button>`),
    ).toEqual([]);
  });

  test('[DX-8] is done by the button itself, if it is still there', () => {
    document.body.innerHTML = '<button>Make one now</button>';
    const button = document.querySelector('button');
    let pressed = 0;
    button?.addEventListener('click', () => (pressed += 1));
    const [act] = pageButtonCommands(document);
    act?.run();
    expect(pressed).toBe(1);
    expect(document.activeElement).toBe(button);
    button?.remove();
    act?.run();
    expect(pressed).toBe(1);
  });
});
