// An in-app link. A real anchor, for "open in new tab" and assistive technology, that navigates
// without a reload.
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string;
  readonly children: ReactNode;
}

export function Link({ to, children, ...rest }: Props) {
  const { router } = useApp();
  const follow = (event: MouseEvent): void => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.button !== 0 || elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    router.navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
