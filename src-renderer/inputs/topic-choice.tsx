// Select fields for a workflow and one of its topics.
import type { WorkflowView } from '#shared/api/contract.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { OneOf } from '#renderer/ui/one-of.tsx';

const WORDS = inputsText.start;

export interface Entry {
  readonly workflowId: string;
  /** Empty lets the host pick the only topic, or report that there are several. */
  readonly topic: string;
}

export const NO_ENTRY: Entry = { workflowId: '', topic: '' };

/** Leaves out an empty topic. */
export const topicOf = ({ topic }: Entry): { topic?: string } => (topic === '' ? {} : { topic });

interface Props {
  readonly workflows: readonly WorkflowView[];
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
  readonly isRefused: boolean;
}

export function TopicChoice({ workflows, entry, onChange, isRefused }: Props) {
  const topics = workflows.find(({ id }) => id === entry.workflowId)?.topics ?? [];
  return (
    <>
      <OneOf
        label={WORDS.workflow}
        items={workflows.map(({ id, name }) => ({ id, name }))}
        chosen={entry.workflowId}
        onChoose={(workflowId) => onChange({ workflowId, topic: '' })}
        problem={isRefused && entry.workflowId === '' ? WORDS.workflowProblem : undefined}
      />
      {topics.length === 0 ? null : (
        <OneOf
          label={WORDS.topic}
          placeholder={WORDS.anyTopic}
          items={topics.map(({ name }) => ({ id: name, name }))}
          chosen={entry.topic}
          onChoose={(topic) => onChange({ ...entry, topic })}
        />
      )}
    </>
  );
}
