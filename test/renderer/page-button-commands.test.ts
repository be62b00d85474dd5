// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { pageButtonCommands } from '#renderer/commands/page-button-commands.ts';

const show = (html: string): string[] => {
  document.body.innerHTML = html;
  return pageButtonCommands(document).map(({ name }) => name);
};

describe('page buttons in the command palette', () => {
  beforeEach(() => {
    document.body.innerHTML = '';
  });

  test('[DX-8] are named by their accessible name', () => {
    expect(
      show(`
        <button>Rerun… <span class="sr-only"> invoice   7</span></button>
        <button aria-label="Close"><svg></svg></button>
        <span id="what">Workflow</span><span id="value">payments</span>
        <button aria-labelledby="what value">payments</button>
        <nav><a href="/a">Graph</a><a href="/b" aria-current="page">Versions</a></nav>
        <a href="/c" data-button-link="">Edit and run…</a><a href="/d">a word in a text</a>
        <details><summary>More</summary></details>`),
    ).toEqual(['Rerun… invoice 7', 'Close', 'Workflow payments', 'Graph', 'Edit and run…', 'More']);
  });

  test('[DX-8] exclude buttons that are disabled, only explain, are ambiguous, unnamed, or in rows and the editor', () => {
    expect(
      show(`
        <button disabled>Save</button><button data-pending="true">Saving</button>
        <button aria-disabled="true">Apply</button><button data-tooltip="">Committed</button>
        <button>It went through</button><button>It went through</button>
        <div role="row"><button>Select</button></div>
        <div class="monaco-editor"><button>Fold</button></div>
        <button><svg></svg></button>`),
    ).toEqual([]);
  });

  test('[DX-8] press and focus the real button, unless it is gone', () => {
    document.body.innerHTML = '<button>Back up now</button>';
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
