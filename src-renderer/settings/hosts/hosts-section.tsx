// Limits of calls to outside hosts, and hosts that asked to wait.
import { Gauge } from 'lucide-react';
import { useState } from 'react';
import type { OutsideHostView } from '#shared/api/outside-hosts.ts';
import { LimitForm } from '#renderer/settings/hosts/limit-form.tsx';
import { RetryHosts } from '#renderer/settings/hosts/retry-hosts.tsx';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { hostsText } from '#renderer/text/hosts-text.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';

export function HostsSection() {
  // A wait begins and ends with a run.
  const { answer, error, refresh } = useLiveCall(
    'hosts.list',
    {},
    { workflows: 'any', handler_runs: 'any' },
  );
  const [message, setMessage] = useState('');
  const changed = (sentence: string): void => {
    setMessage(sentence);
    refresh();
  };
  return (
    <>
      <p className="text-muted">{hostsText.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <DialogButton variant="primary" label={hostsText.add} title={hostsText.add}>
          {(close) => <LimitForm onClose={close} onSaved={changed} />}
        </DialogButton>
        <span role="status" className="text-[0.8125rem] text-muted">
          {message}
        </span>
      </div>
      <Failure error={error} />
      {answer?.hosts.some(({ downSince }) => downSince !== null) ? (
        <RetryHosts onDone={refresh} />
      ) : null}
      {answer === null && error === null ? <PageSkeleton label={hostsText.loading} /> : null}
      {answer?.hosts.length === 0 ? (
        <EmptyState
          icon={Gauge}
          title={hostsText.emptyTitle}
          hint={hostsText.emptyHint}
          isCompact
        />
      ) : null}
      {answer && answer.hosts.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
          {answer.hosts.map((host) => (
            <HostRow key={host.host} known={host} onChanged={changed} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

interface RowProps {
  readonly known: OutsideHostView;
  readonly onChanged: (sentence: string) => void;
}

function HostRow({ known, onChanged }: RowProps) {
  const { client } = useApp();
  const { host, own, heldUntil, downSince } = known;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div className="grid min-w-0 flex-1 basis-52 gap-0.5">
        <code className="font-mono text-[0.8125rem] font-medium wrap-anywhere">{host}</code>
        <span className="text-[0.8125rem] text-muted">{hostsText.limits(known)}</span>
        {heldUntil === null ? null : (
          <span className="text-[0.8125rem] text-wait">{hostsText.held(heldUntil)}</span>
        )}
        {downSince === null ? null : (
          <span className="text-[0.8125rem] text-wait">{hostsText.down(downSince)}</span>
        )}
      </div>
      <span className="flex gap-1">
        <DialogButton
          size="small"
          variant="quiet"
          label={hostsText.change}
          subject={hostsText.of(host)}
          title={hostsText.changeTitle(host)}
        >
          {(close) => <LimitForm known={known} onClose={close} onSaved={onChanged} />}
        </DialogButton>
        {own === null ? null : (
          <DialogButton
            size="small"
            variant="quiet"
            label={hostsText.remove}
            subject={hostsText.of(host)}
            title={hostsText.removeTitle(host)}
          >
            {(close) => (
              <ConfirmAction
                warning={hostsText.removeWarning}
                submitLabel={hostsText.removeSubmit}
                action={() => client.call('hosts.setLimit', { host, limit: null })}
                onDone={() => onChanged(hostsText.removed(host))}
                onClose={close}
              />
            )}
          </DialogButton>
        )}
      </span>
    </li>
  );
}
