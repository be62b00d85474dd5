// Starts an example in the testing kit, with the folders and hosts of the test in its file.
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

/** Handler, phase, effect status and error of each run, oldest first. */
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

/** A file that was last modified `days` ago. */
export function oldFile(folder: string, name: string, content: string, days = 1): void {
  writeFileAt(folder, name, content, Date.now() - days * 86_400_000);
}

export function writeFileAt(folder: string, name: string, content: string, time: number): void {
  const path = join(folder, name);
  writeFileSync(path, content);
  utimesSync(path, time / 1000, time / 1000);
}

/** Replaces the mail servers of an example by the server of the test. */
export function mailPlaces(smtpPort: number): { [text: string]: string } {
  return {
    "host: 'smtp.example.org', port: 465": `host: '127.0.0.1', port: ${smtpPort}`,
    // Nothing listens on port 1: no copy of a sent mail is filed, and its outcome cannot be checked.
    "host: 'imap.example.org', port: 993": `host: '127.0.0.1', port: 1`,
  };
}
