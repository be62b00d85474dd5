// Page layout: title, actions and content.
import { useEffect, type ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';

export interface PageProps {
  readonly title: string;
  /** Above the title, for the back link. */
  readonly above?: ReactNode;
  /** Next to the title. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  /** Fills the window height and scrolls inside: always, or only on wide screens. */
  readonly fillHeight?: 'always' | 'wide' | undefined;
  readonly children: ReactNode;
}

const FILL_HEIGHT_CLASSES = { always: 'h-full min-h-96', wide: 'lg:h-full lg:min-h-96' } as const;

export function Page({ title, above, beside, actions, fillHeight, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${text.app.name}`;
  }, [title]);
  return (
    <div
      className={`flex flex-col gap-4 px-4 pt-4 pb-5 md:px-7 md:pt-6 ${fillHeight ? FILL_HEIGHT_CLASSES[fillHeight] : ''}`}
    >
      <header className="grid gap-2">
        {above}
        <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-lg font-semibold tracking-tight wrap-anywhere">
              <bdi>{title}</bdi>
            </h1>
            {beside}
          </div>
          {actions === undefined ? null : (
            <div className="flex flex-wrap items-center gap-2">{actions}</div>
          )}
        </div>
      </header>
      {children}
    </div>
  );
}
