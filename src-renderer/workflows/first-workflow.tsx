// Empty state that shows how to write the first workflow.
import { Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { PracticeIntro } from '#renderer/onboarding/practice-intro.tsx';

/** Runs as it is, has no outside effects, and ends in a question that shows the inbox. */
const EXAMPLE = `import { workflow } from 'holdfast';

export default workflow({
  name: 'hello',
  uses: { ask: {} },
  topics: ['greeting'],
  producers: {
    greet: {
      schedule: { every: '1h' },
      publishes: ['greeting'],
      async run(ctx) {
        await ctx.publish('greeting', {
          id: String(ctx.now),
          title: 'Hello',
        });
      },
    },
  },
  consumers: {
    reply: {
      subscribes: 'greeting',
      async prepare(ctx) {
        const [event] = await ctx.peek('greeting');
        return event ? { reservations: [event] } : {};
      },
      async mutate(ctx) {
        await ctx.tools.ask.question({ question: 'Everything OK?' });
      },
    },
  },
});`;

export function FirstWorkflow({ children }: { readonly children: ReactNode }) {
  const { emptyTitle, emptyHint, stepWrite, stepAdd, stepAddHow } = text.workflows;
  const code = 'rounded bg-sunken px-1.5 py-0.5 font-mono text-[0.8125rem] ring-1 ring-line';
  return (
    <EmptyState icon={Workflow} title={emptyTitle} hint={emptyHint} isCompact>
      <PracticeIntro />
      <ol className="mt-8 grid list-decimal gap-4 pl-5 text-left marker:text-muted">
        <li>
          {stepWrite} <code className={code}>hello.ts</code>
          <pre
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
            tabIndex={0}
            role="group"
            aria-label="hello.ts"
            className="mt-2 overflow-x-auto rounded-md bg-surface px-3 py-2.5 font-mono text-xs leading-5 whitespace-pre-wrap shadow-raised ring-1 ring-line"
          >
            {EXAMPLE}
          </pre>
        </li>
        <li>
          {stepAdd} <code className={code}>holdfast add hello.ts</code> {stepAddHow}
          <div className="mt-2.5">{children}</div>
        </li>
      </ol>
    </EmptyState>
  );
}
