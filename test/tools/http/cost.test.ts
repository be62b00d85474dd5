// What an HTTP call cost, from real responses: prices, JSON paths, headers, and what has no amount.
import { describe, expect, test } from 'vitest';
import { get, post, reconcile } from '#test/tools/http/http-call.ts';
import { answerWith, closedPort, isWhole, rawServer } from '#test/tools/raw-server.ts';

function reply(json: unknown, { status = '200 OK', head = '' } = {}): string {
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  return `HTTP/1.1 ${status}\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const serving = async (...answer: Parameters<typeof reply>): Promise<string> =>
  (await rawServer(answerWith(reply(...answer)))).url;

const USAGE = { usage: { cost: 0.0123, input_tokens: 1000, output_tokens: 500, model: 'large' } };

describe('a cost', () => {
  test('[CO-2] of reads and effects alike is a price per call, or the dollars in the response', async () => {
    const url = await serving(USAGE, { head: 'X-Cost: 0.5\r\n' });
    for (const call of [get, post]) {
      expect(await call({ url, cost: { usd: 0.002 } })).toMatchObject({ cost: 2000 });
      const inBody = await call({ url, cost: { jsonPath: 'usage.cost' } });
      expect(inBody).toMatchObject({ cost: 12_300 });
      const inHeader = await call({ url, cost: { header: 'x-Cost' } });
      expect(inHeader).toMatchObject({ cost: 500_000 });
      expect(inHeader.costProblem).toBeUndefined();
      expect((await call({ url })).cost).toBeUndefined();
    }
  });

  test('[CO-2] of several parts is their sum; a value can be a number of units at a price each', async () => {
    const url = await serving(USAGE, { head: 'X-Cents: 12\r\n' });
    const cost = [
      { usd: 0.001 },
      { jsonPath: 'usage.input_tokens', usd: 0.000003 },
      { jsonPath: 'usage.output_tokens', usd: 0.000015 },
      { header: 'x-cents', usd: 0.01 },
    ];
    expect(await post({ url, cost })).toMatchObject({
      type: 'applied',
      cost: 1000 + 3000 + 7500 + 120_000,
    });
  });

  test('[CO-2] keeps digits that a JavaScript number would lose', async () => {
    const url = await serving('{"cost":123456.7890120000000001}');
    expect(await get({ url, cost: { jsonPath: 'cost' } })).toMatchObject({ cost: 123_456_789_012 });
  });

  test.each([
    [{ jsonPath: 'usage.price' }, '"usage.price" in the response is not an amount.'],
    [{ jsonPath: 'usage' }, '"usage" in the response is not an amount.'],
    [{ jsonPath: 'usage.model' }, '"usage.model" in the response is not an amount.'],
    [{ header: 'x-cost' }, 'the header "x-cost" is not an amount.'],
    [{ jsonPath: 'usage.cost', usd: 1_000_000 }, null],
    [{ jsonPath: 'usage.input_tokens', usd: 1_000_000 }, 'is not an amount.'],
  ])(
    '[CO-5] %j without an amount counts as 0, and the other parts count',
    async (part, problem) => {
      const url = await serving(USAGE);
      const outcome = await post({ url, cost: [{ usd: 0.5 }, part] });
      expect(outcome.type).toBe('applied');
      if (problem === null) expect(outcome).toMatchObject({ cost: 12_300_500_000 });
      else {
        expect(outcome).toMatchObject({ cost: 500_000 });
        expect(outcome.costProblem).toContain('The cost of http.post is incomplete: ');
        expect(outcome.costProblem).toContain(problem);
      }
    },
  );

  test('[CO-5] in a response that is no JSON counts as 0', async () => {
    const url = await serving('<html>');
    const outcome = await post({ url, cost: { jsonPath: 'cost' } });
    expect(outcome).toMatchObject({ type: 'applied', result: { text: '<html>' } });
    expect(outcome.cost).toBeUndefined();
    expect(outcome.costProblem).toContain('"cost" in the response is not an amount.');
  });

  test.each([
    [{ usd: -1 }, 'cost'],
    [{ usd: '1' }, 'cost'],
    [{ usd: 1e9 }, 'cost'],
    [{}, 'needs usd, jsonPath or header'],
    [{ jsonPath: 'a', header: 'b' }, 'mutually exclusive'],
    [{ jsonPath: 'a..b' }, 'cost'],
    [{ price: 1 }, 'cost'],
    [[], 'cost'],
  ])('[CO-2] described as %j is refused before anything is sent', async (cost, problem) => {
    const server = await rawServer(answerWith(reply(USAGE)));
    const outcome = await post({ url: server.url, cost });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'logic' });
    expect(outcome.type === 'failed' && outcome.error).toContain(problem);
    expect(outcome.cost).toBeUndefined();
    expect(server.received).toEqual([]);
  });
});

describe('a call', () => {
  const cost = [{ usd: 0.5 }, { jsonPath: 'usage.cost' }];

  test.each(['400 Bad Request', '401 Unauthorized', '429 Too Many Requests'])(
    '[CO-3] answered with %s was refused and costs nothing',
    async (status) => {
      const url = await serving(USAGE, { status });
      for (const outcome of [await get({ url, cost }), await post({ url, cost })]) {
        expect(outcome.type).toBe('failed');
        expect(outcome.cost).toBeUndefined();
        expect(outcome.costProblem).toBeUndefined();
      }
    },
  );

  test('[CO-3] that could not be sent costs nothing', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    expect((await get({ url, cost })).cost).toBeUndefined();
    expect((await post({ url, cost })).cost).toBeUndefined();
  });

  test.each([
    ['a lost response', (received: string) => received !== '' && null],
    ['an error of the server', () => reply('', { status: '502 Bad Gateway' })],
    ['a redirect that proves nothing', () => reply('', { status: '302 Found' })],
  ])('[CO-3] with %s may have been carried out and costs its price', async (_what, answer) => {
    const server = await rawServer((socket, received) => {
      if (!isWhole(received)) return;
      const text = answer(received);
      if (typeof text === 'string') socket.write(text);
      else socket.destroy();
    });
    for (const outcome of [
      await get({ url: server.url, cost }),
      await post({ url: server.url, cost }),
    ]) {
      expect(['failed', 'ambiguous']).toContain(outcome.type);
      expect(outcome).toMatchObject({ cost: 500_000 });
      expect(outcome.costProblem).toContain('is incomplete: there was no usable response.');
    }
  });

  test('[CO-7] that a check finds costs what its description says about the response to the check', async () => {
    const url = await serving(USAGE);
    const params = { url, cost, reconcile: { url, happenedWhen: { status: [200] } } };
    expect(await reconcile(params, 0)).toMatchObject({ type: 'happened', cost: 512_300 });
  });
});
