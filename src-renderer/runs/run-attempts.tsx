// All attempts of the same work, first to last.
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { PhaseChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';

export function RunAttempts({ run }: { readonly run: HandlerRunDetail }) {
  if (run.chain.length < 2) return null;
  return (
    <Panel title={text.run.chain}>
      <ol className="grid gap-1 text-[0.8125rem]">
        {run.chain.map(({ id, phase, startedAt, error }, index) => (
          <li
            key={id}
            aria-current={id === run.id ? 'true' : undefined}
            className="-mx-2 grid gap-0.5 rounded-md px-2 py-1.5 aria-[current=true]:bg-sunken"
          >
            <div className="flex items-center justify-between gap-3">
              {id === run.id ? (
                <span className="font-medium">{text.run.thisTry(index + 1)}</span>
              ) : (
                <TextLink to={href.run(id)} title={id}>
                  {text.run.tryNumber(index + 1)}
                  <span className="sr-only"> {text.run.runOf(shortId(id))}</span>
                </TextLink>
              )}
              <PhaseChip status={phase} />
            </div>
            <span className="text-muted">
              <RelativeTime at={startedAt} />
            </span>
            {error === null || id === run.id ? null : (
              <span className="line-clamp-2 wrap-anywhere text-muted" title={error}>
                {error}
              </span>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
