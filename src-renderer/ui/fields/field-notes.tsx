import { FieldError, Text } from 'react-aria-components';

interface Props {
  readonly hint?: string | undefined;
  /** Validation error. */
  readonly problem?: string | undefined;
}

/** Hint and error below a field. */
export function FieldNotes({ hint = '', problem }: Props) {
  return (
    <>
      {hint === '' ? null : (
        <Text slot="description" className="text-[0.8125rem] text-muted">
          {hint}
        </Text>
      )}
      {problem === undefined ? null : (
        <FieldError className="text-[0.8125rem] font-medium text-bad">{problem}</FieldError>
      )}
    </>
  );
}
