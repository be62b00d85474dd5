import { describe, expect, it } from 'vitest';
import { createPhases } from '#test/sandbox/phases.ts';

const { value, failure } = createPhases();

describe('authority of user code', () => {
  it('[SB-1] no global of Node or a browser exists', async () => {
    const names = `process require module global Buffer fetch XMLHttpRequest WebSocket setTimeout
      setInterval setImmediate queueMicrotask performance crypto WebAssembly Worker MessageChannel
      navigator window self Deno Bun std os print scriptArgs postMessage __filename Atomics`.split(
      /\s+/,
    );
    const body = `return [${names.map((name) => `typeof ${name}`).join()}]`;
    expect(await value(body)).toEqual(names.map(() => 'undefined'));
  });

  it("[SB-1] the only global besides those of Node's language is InternalError", async () => {
    const globals = await value('return Object.getOwnPropertyNames(globalThis)');
    const ofTheLanguage = Object.getOwnPropertyNames(globalThis);
    const others = (globals as string[]).filter((name) => !ofTheLanguage.includes(name));
    // QuickJS throws InternalError at its limits.
    expect(others).toEqual(['InternalError']);
  });

  it.each(['fs', 'node:fs', './other.ts', 'https://example.org/a.js', 'holdfast/../fs', ''])(
    '[SB-1] "%s" cannot be imported',
    async (name) => {
      const dynamic = await failure(`await import(${JSON.stringify(name)})`);
      expect(dynamic.message).toBe(
        `A workflow can import from 'holdfast' only, not from '${name}'.`,
      );
      const fixed = await failure('return 1', { top: `import ${JSON.stringify(name)};` });
      expect(fixed.message).toBe(dynamic.message);
    },
  );

  it("[SB-1] function constructors and eval don't reach the host", async () => {
    const ways = [
      `ctx.publish.constructor('return typeof process')()`,
      `ctx.tools.http.get.constructor('return typeof process')()`,
      `console.log.constructor('return typeof require')()`,
      `(async () => {}).constructor('return typeof process')()`,
      `new Error().constructor.constructor('return typeof globalThis.process')()`,
      `eval('typeof process')`,
    ];
    for (const way of ways) expect(await value(`return ${way}`), way).toBe('undefined');
  });

  it("[SB-1] only granted tools and methods exist, and code can't add any", async () => {
    const tools = { http: ['get'] };
    const tool = await failure(`ctx.tools.mail.send({})`, { tools });
    expect(tool.message).toBe('This workflow was not granted the tool "mail". Available: http.');
    const method = await failure(`ctx.tools.http.post({})`, { tools });
    expect(method.message).toBe('The tool "http" has no method "post". Available: get.');
    for (const trick of [
      'ctx.tools.mail = {}',
      'ctx.tools = {}',
      'ctx.extra = 1',
      `Object.defineProperty(ctx.tools, 'mail', { value: 1 })`,
      'Object.setPrototypeOf(ctx.tools, { mail: 1 })',
    ]) {
      expect((await failure(trick, { tools })).cause, trick).toBe('thrown');
    }
  });

  it("[SB-1] prototype pollution can't create a tool", async () => {
    const seen: string[] = [];
    const failed = await failure(
      `Object.prototype.mail = ['send'];
       Array.prototype[1] = 'send';
       await ctx.tools.mail.send({})`,
      {
        tools: { http: ['get'] },
        onCalls: async (calls) => {
          seen.push(...calls.map(({ op }) => op));
          return calls.map(() => ({ type: 'value', value: null }));
        },
      },
    );
    expect(failed.message).toContain('not granted');
    expect(seen).toEqual([]);
  });
});
