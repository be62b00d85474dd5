// The tool contract: one suite that runs against every tool.
import { describe, expect, test } from 'vitest';
import {
  callMutation,
  callRead,
  canReconcile,
  reconcileMutation,
  witnessOf,
  type EffectCall,
} from '#main/tools/call-tool.ts';
import { parseToolCall, type ToolCall } from '#main/tools/check-call.ts';
import type { MutationOutcome, ReconcileOutcome, Tool } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import { SECRET_VALUE, testHost, type TestHost } from '#test/tools/call-host.ts';

export interface Subject {
  readonly tool: Tool;
  readonly grant: unknown;
  /** A valid grant that does not cover the params below; absent for tools whose grant covers everything. */
  readonly otherGrant?: unknown;
  /** Params with which each method succeeds. */
  readonly params: { readonly [method: string]: unknown };
  /** A number that changes whenever a call reaches the outside. */
  readonly contacts: () => number | Promise<number>;
  /** Makes the effect happen but loses the response; resolves to the outcome the caller saw, or null. */
  readonly loseAnswer?: (call: EffectCall, host: TestHost) => Promise<MutationOutcome | null>;
  /** The same call to a server that cannot be reached. */
  readonly unreachable?: (call: EffectCall) => EffectCall;
  /** The reconcile outcome for an effect that never started; `not_there` by default. */
  readonly neverBegan?: 'not_there' | 'unknown';
}

export function toolContract(name: string, setUp: () => Promise<Subject>): void {
  const callOf = (subject: Subject, method: string): EffectCall => ({
    namespace: subject.tool.namespace,
    method,
    params: subject.params[method],
    grant: subject.grant,
    effectId: `effect-of-${method}`,
  });
  const run = (
    subject: Subject,
    call: EffectCall,
    host = testHost(),
  ): Promise<MutationOutcome | { type: string; error?: string }> => {
    const tools = { [subject.tool.namespace]: subject.tool };
    const isRead = subject.tool.methods[call.method]?.kind === 'read';
    return isRead ? callRead(tools, call, host) : callMutation(tools, call, host);
  };
  const everyMethod = async (
    check: (subject: Subject, call: EffectCall) => Promise<void>,
    kind?: 'read' | 'mutation',
  ): Promise<void> => {
    const subject = await setUp();
    for (const [method, { kind: ownKind }] of Object.entries(subject.tool.methods)) {
      if (kind === undefined || kind === ownKind) await check(subject, callOf(subject, method));
    }
  };

  describe(name, () => {
    test('[TL-2] valid params have one-line descriptions', async () => {
      await everyMethod(async ({ tool }, call) => {
        const parsed = parseToolCall({ [tool.namespace]: tool }, call);
        if (parsed.type === 'failed') throw new Error(parsed.error);
        const lines = [parsed.method.describe(parsed.params), tool.describeGrant(parsed.grant)];
        if (parsed.method.kind === 'mutation') lines.push(parsed.method.howToCheck(parsed.params));
        for (const line of lines) expect(line, call.method).toMatch(/^[^\n]{5,}$/);
        expect(parsed.method.params.description, call.method).toMatch(/\.$/);
      });
    });

    test('[TL-2] invalid params are a logic failure and reach nothing outside', async () => {
      await everyMethod(async (subject, call) => {
        const before = await subject.contacts();
        const proto = JSON.parse('{"__proto__": 1}') as unknown;
        for (const params of [undefined, null, 7, 'text', [], {}, { nonsense: 1 }, proto]) {
          const outcome = await run(subject, { ...call, params });
          expect(outcome, JSON.stringify(params)).toMatchObject({
            type: 'failed',
            errorType: 'logic',
          });
        }
        const extra = await run(subject, {
          ...call,
          params: { ...(call.params as object), extra: 1 },
        });
        expect(extra.type === 'failed' && extra.error).toMatch(/extra/);
        expect(await subject.contacts()).toBe(before);
      });
    });

    test('[TL-1] a missing or unrelated grant is a permission failure and reaches nothing outside', async () => {
      await everyMethod(async (subject, call) => {
        const before = await subject.contacts();
        const grants = [undefined, null, { nonsense: true }];
        if (subject.otherGrant !== undefined) grants.push(subject.otherGrant as never);
        for (const grant of grants) {
          const outcome = await run(subject, { ...call, grant });
          expect(outcome, JSON.stringify(grant)).toMatchObject({
            type: 'failed',
            errorType: 'permission',
          });
          expect(outcome.type === 'failed' && outcome.error).toMatch(/[Gg]rant/);
        }
        expect(await subject.contacts()).toBe(before);
      });
    });

    test('[TL-1] a read called as a mutation fails, and so does a mutation called as a read', async () => {
      await everyMethod(async (subject, call) => {
        const before = await subject.contacts();
        const tools = { [subject.tool.namespace]: subject.tool };
        const isRead = subject.tool.methods[call.method]?.kind === 'read';
        const wrong = isRead
          ? await callMutation(tools, call, testHost())
          : await callRead(tools, call, testHost());
        expect(wrong).toMatchObject({ type: 'failed', errorType: 'logic' });
        expect(await subject.contacts()).toBe(before);
      });
    });

    test('[SE-2] outcomes and descriptions contain no secret', async () => {
      await everyMethod(async (subject, call) => {
        const host = testHost();
        const parsed = parseToolCall({ [subject.tool.namespace]: subject.tool }, call);
        if (parsed.type === 'failed') throw new Error(parsed.error);
        const outcome = await run(subject, call, host);
        expect(['ok', 'applied', 'waiting'], JSON.stringify(outcome)).toContain(outcome.type);
        const text = JSON.stringify([outcome, parsed.method.describe(parsed.params)]);
        expect(text).not.toContain(SECRET_VALUE);
        expect(text).not.toContain(encodeURIComponent(SECRET_VALUE));
        expect(text).not.toContain(Buffer.from(SECRET_VALUE).toString('base64').slice(0, -4));
      });
    });

    test('[TL-3] a mutation aborted before it starts is not_sent', async () => {
      await everyMethod(async (subject, call) => {
        const before = await subject.contacts();
        const host = testHost();
        host.stop();
        expect((await run(subject, call, host)).type).toBe('not_sent');
        expect(await subject.contacts()).toBe(before);
      }, 'mutation');
    });

    test('[TL-3] a mutation to an unreachable server is not_sent', async () => {
      await everyMethod(async (subject, call) => {
        if (!subject.unreachable) return;
        const before = await subject.contacts();
        const outcome = await run(subject, subject.unreachable(call));
        expect(outcome, call.method).toMatchObject({ type: 'not_sent', errorType: 'network' });
        expect(await subject.contacts()).toBe(before);
      }, 'mutation');
    });

    test('[TL-4] a lost response is ambiguous, and reconcile finds the effect where it can', async () => {
      await everyMethod(async (subject, call) => {
        if (!subject.loseAnswer) return;
        const sentAt = Date.now();
        const witness = await witnessOf(
          { [subject.tool.namespace]: subject.tool },
          call,
          testHost(),
        );
        const lost = await subject.loseAnswer(call, testHost());
        if (lost) expect(lost, call.method).toMatchObject({ type: 'ambiguous' });
        const outcome = await reconcile(subject, { ...call, witness }, sentAt);
        expect(outcome.type, call.method).toBe(
          isReconcilable(subject, call) ? 'happened' : 'unknown',
        );
      }, 'mutation');
    });

    test('[TL-4] reconcile never reports an effect that did not start as happened', async () => {
      await everyMethod(async (subject, call) => {
        const tools = { [subject.tool.namespace]: subject.tool };
        const witness = await witnessOf(tools, call, testHost());
        const outcome = await reconcile(subject, { ...call, witness }, Date.now());
        const expected = isReconcilable(subject, call)
          ? (subject.neverBegan ?? 'not_there')
          : 'unknown';
        expect(outcome.type, call.method).toBe(expected);
      }, 'mutation');
    });

    test('[DO-6] a mutation that the send gate refuses is not_sent and reaches nothing outside', async () => {
      await everyMethod(async (subject, call) => {
        if (subject.tool.namespace === 'ask') return;
        const before = await subject.contacts();
        const refusal = { errorType: 'internal', error: 'too late', startsOver: true } as const;
        // The first pass is before the tool is called, the next one is the tool's own.
        for (const looks of [0, 1]) {
          let left = looks;
          const maySend = (): typeof refusal | null => ((left -= 1) < 0 ? refusal : null);
          const outcome = await run(subject, call, { ...testHost(), maySend });
          expect(outcome, `${call.method} after ${looks} looks`).toEqual({
            ...refusal,
            type: 'not_sent',
          });
        }
        expect(await subject.contacts()).toBe(before);
      }, 'mutation');
    });
  });

  const reconcile = (
    subject: Subject,
    call: EffectCall & { readonly witness?: Json | undefined },
    sentAt: number,
  ): Promise<ReconcileOutcome> => {
    const tools = { [subject.tool.namespace]: subject.tool };
    return reconcileMutation(tools, { ...call, sentAt }, testHost());
  };

  const isReconcilable = (subject: Subject, call: ToolCall): boolean => {
    const parsed = parseToolCall({ [subject.tool.namespace]: subject.tool }, call);
    if (parsed.type === 'failed') throw new Error(parsed.error);
    return parsed.method.kind === 'mutation' && canReconcile(parsed.method, parsed.params);
  };
}
