// The payload as workflows see it, and its redactions.
import type { InputDetail } from '#shared/api/inputs.ts';
import { RawPayload } from '#renderer/inputs/raw-payload.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';

const TEXT = inputsText.one;

export function InputPayload({ input }: { readonly input: InputDetail }) {
  return (
    <Panel title={TEXT.came}>
      <div className="grid gap-3 text-[0.8125rem]">
        {input.unavailable === null ? null : <Notice tone="plain">{input.unavailable}</Notice>}
        {input.payload === null ? (
          <p className="text-muted">{isUnread(input) ? TEXT.notReadYet : TEXT.noPayload}</p>
        ) : (
          <>
            <p className="text-muted">{TEXT.payloadHint}</p>
            <JsonText label={TEXT.payload} value={input.payload} />
          </>
        )}
        {input.payload === null ? null : <Redacted redacted={input.redacted} />}
        {input.hasRawPayload ? <RawPayload inputId={input.id} /> : null}
        {input.sources.length === 0 ? null : (
          <Disclosure label={TEXT.ledger}>
            <ul className="grid gap-2">
              {input.sources.map((one) => (
                <li key={one.sha256} className="grid gap-0.5 wrap-anywhere">
                  <span>
                    <bdi>{one.source}</bdi>
                    <span className="text-muted">
                      {' '}
                      · {TEXT.ledgerLine(one.type, one.id, bytes(one.bytes))}
                    </span>
                  </span>
                  <code className="font-mono text-xs text-muted">sha256 {one.sha256}</code>
                </li>
              ))}
            </ul>
          </Disclosure>
        )}
      </div>
    </Panel>
  );
}

const isUnread = ({ run, bytes: size }: InputDetail): boolean =>
  size > 0 && run.enrichmentCompletedAt === null;

function Redacted({ redacted }: Pick<InputDetail, 'redacted'>) {
  if (redacted.length === 0) return <p className="text-muted">{TEXT.nothingRedacted}</p>;
  return (
    <section aria-label={TEXT.redacted} className="grid gap-1">
      <h3 className="text-xs font-medium text-muted">
        {TEXT.redacted}. {TEXT.redactedHint}
      </h3>
      <ul className="grid gap-1">
        {redacted.map(({ path, why }) => (
          <li key={`${path} ${why}`} className="flex flex-wrap gap-x-2">
            <code className="font-mono text-xs leading-5 wrap-anywhere">{path}</code>
            <span className="text-muted">{why}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
