// The result that the workflow returned, and its effects.
import type { InputRef } from '#shared/api/handler-runs.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import { InputLinks } from '#renderer/inputs/input-links.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';

const TEXT = inputsText.one;

export function InputResult({ input }: { readonly input: InputDetail }) {
  return (
    <>
      {input.sideEffects.length === 0 ? null : (
        <Panel title={TEXT.sideEffects}>
          <ul className="grid gap-2.5 text-[0.8125rem]">
            {input.sideEffects.map((effect) => (
              <li key={effect.effectId} className="grid gap-1">
                <span className="wrap-anywhere">
                  <code className="font-mono text-xs">{effect.kind}</code>
                  <span className="text-muted">
                    {' '}
                    · <ExactTime at={effect.at} />
                  </span>
                </span>
                <OtherInputs inputs={effect.inputs.filter(({ id }) => id !== input.id)} />
                <Disclosure label={TEXT.answer} subject={effect.kind}>
                  <JsonText label={TEXT.sideEffectAnswer(effect.kind)} value={effect.response} />
                </Disclosure>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {input.completion === null ? null : (
        <Panel title={TEXT.result}>
          <div className="grid gap-2 text-[0.8125rem]">
            <p className="text-muted">{TEXT.resultHint}</p>
            <JsonText label={TEXT.result} value={input.completion} />
          </div>
        </Panel>
      )}
    </>
  );
}

function OtherInputs({ inputs }: { readonly inputs: readonly InputRef[] }) {
  if (inputs.length === 0) return null;
  return (
    <div className="grid gap-0.5">
      <span className="text-muted">{TEXT.alsoFor}</span>
      <InputLinks inputs={inputs} />
    </div>
  );
}
