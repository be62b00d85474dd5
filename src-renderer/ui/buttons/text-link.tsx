import type { ComponentProps } from 'react';
import { Link } from '#renderer/ui/buttons/link.tsx';

/** A link in running text or beside a name. */
export function TextLink({ className = '', ...link }: ComponentProps<typeof Link>) {
  return <Link {...link} className={`rounded-sm text-accent hover:underline ${className}`} />;
}
