// Starts the practice service in its own process, so its counts survive a host restart.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const SERVICE = fileURLToPath(import.meta.resolve('#test/e2e/browser/practice-service.ts'));
const effectsSchema = z.object({
  effects: z.array(z.object({ name: z.string(), key: z.string().nullable(), body: z.unknown() })),
});

export interface PracticeProcess {
  /** With its port, as in a grant. */
  readonly host: string;
  readonly url: string;
  /** All effects so far. */
  effects(): Promise<z.infer<typeof effectsSchema>['effects']>;
  /** Acts on the next request, then cuts the connection instead of replying. */
  loseNextAnswer(): Promise<void>;
  kill(): Promise<void>;
}

export async function startPracticeProcess(): Promise<PracticeProcess> {
  const child = spawn(process.execPath, [SERVICE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(String(line)));
  return {
    url,
    host: new URL(url).host,
    async effects() {
      return effectsSchema.parse(await (await fetch(`${url}/effects`)).json()).effects;
    },
    async loseNextAnswer() {
      const body = JSON.stringify({ mode: 'drop_answer' });
      const answer = await fetch(`${url}/faults`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`The practice service took no fault: ${answer.status}`);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
