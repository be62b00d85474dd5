// The page of one record: loading, not found, failed, or shown.
import { FileQuestionMark } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Page, type PageProps } from '#renderer/ui/layout/page.tsx';

interface Props<Record> extends Pick<PageProps, 'beside' | 'actions' | 'fillHeight'> {
  readonly id: string;
  /** Null until the host replied. */
  readonly record: Record | null;
  readonly error: ApiError | null;
  readonly onRetry: () => void;
  readonly text: {
    readonly back: string;
    readonly loading: string;
    readonly notFoundTitle: string;
    readonly notFoundHint: string;
  };
  /** URL of the list. */
  readonly backTo: string;
  readonly title: string | undefined;
  readonly children: (record: Record) => ReactNode;
}

export function RecordPage<Record>(props: Props<Record>) {
  const { id, record, error, onRetry, text, backTo, title, children, ...page } = props;
  const back = <BackLink to={backTo}>{text.back}</BackLink>;
  if (record === null && error?.type === 'not_found') {
    return (
      <Page title={text.notFoundTitle} above={back}>
        <EmptyState icon={FileQuestionMark} title={id} hint={text.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page {...page} title={title ?? text.loading} above={back}>
      <Failure error={error} onRetry={onRetry} />
      {record === null && error === null ? <PageSkeleton label={text.loading} /> : null}
      {record === null ? null : children(record)}
    </Page>
  );
}
