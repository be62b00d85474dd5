// Select fields for a workflow and one of its topics.
import type { WorkflowView } from '#shared/api/contract.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Select } from '#renderer/ui/fields/select.tsx';

const TEXT = inputsText.start;

export interface InputTarget {
  readonly workflowId: string;
  /** Empty lets the host pick the only topic, or report that there are several. */
  readonly topic: string;
}

export const NO_TARGET: InputTarget = { workflowId: '', topic: '' };

/** Leaves out an empty topic. */
export const topicParam = ({ topic }: InputTarget): { topic?: string } =>
  topic === '' ? {} : { topic };

interface Props {
  readonly workflows: readonly WorkflowView[];
  readonly target: InputTarget;
  readonly onChange: (entry: InputTarget) => void;
  readonly isRefused: boolean;
}

export function TargetTopicFields({ workflows, target, onChange, isRefused }: Props) {
  const topics = workflows.find(({ id }) => id === target.workflowId)?.topics ?? [];
  return (
    <>
      <Select
        label={TEXT.workflow}
        items={workflows.map(({ id, name }) => ({ id, name }))}
        chosen={target.workflowId}
        onChoose={(workflowId) => onChange({ workflowId, topic: '' })}
        problem={isRefused && target.workflowId === '' ? TEXT.workflowProblem : undefined}
      />
      {topics.length === 0 ? null : (
        <Select
          label={TEXT.topic}
          placeholder={TEXT.anyTopic}
          items={topics.map(({ name }) => ({ id: name, name }))}
          chosen={target.topic}
          onChoose={(topic) => onChange({ ...target, topic })}
        />
      )}
    </>
  );
}
