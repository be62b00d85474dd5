// An example as a person would use it: its file with their own places in it, in the testing kit.
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testWorkflow, type WorkflowTest } from 'holdfast/testing';
import { startPractice, type Practice } from '#main/practice/practice.ts';

type TestOptions = NonNullable<Parameters<typeof testWorkflow>[1]>;

export const EXAMPLES = new URL('../../examples/', import.meta.url);

export function startExample(name: string, options: TestOptions = {}): Promise<WorkflowTest> {
  return testWorkflow(new URL(name, EXAMPLES), { ...options, after: onTestFinished });
}

/** Handler, phase and effect of each run, in the order in which they began. */
export async function runsOf(example: WorkflowTest): Promise<string[]> {
  return (await example.runs()).map(({ handler, phase, effect, error }) =>
    [handler, phase, effect ?? 'no effect', error ?? ''].join(' ').trim(),
  );
}

export async function practiceService(): Promise<Practice & { readonly host: string }> {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  return { ...practice, host: new URL(practice.url).host };
}

/** A file that nobody has touched for `days`. */
export function oldFile(folder: string, name: string, content: string, days = 1): void {
  touchedAt(folder, name, content, Date.now() - days * 86_400_000);
}

export function touchedAt(folder: string, name: string, content: string, time: number): void {
  const path = join(folder, name);
  writeFileSync(path, content);
  utimesSync(path, time / 1000, time / 1000);
}

/** The mail account of an example, with a server of this test in its place. */
export function mailPlaces(smtpPort: number): { [text: string]: string } {
  return {
    "host: 'smtp.example.org', port: 465": `host: '127.0.0.1', port: ${smtpPort}`,
    // Nothing listens on port 1: the copy of a sent mail is not filed, which changes nothing.
    "host: 'imap.example.org', port: 993": `host: '127.0.0.1', port: 1`,
  };
}
