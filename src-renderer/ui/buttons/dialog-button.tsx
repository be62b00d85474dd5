// A button that opens a dialog.
import type { LucideIcon } from 'lucide-react';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';

interface Props extends Omit<ComponentProps<typeof Button>, 'children' | 'onPress'> {
  readonly icon?: LucideIcon;
  readonly label: string;
  /** Hidden context for screen readers. */
  readonly subject?: string;
  /** Title of the dialog. */
  readonly title: string;
  readonly children: (close: () => void) => ReactNode;
}

export function DialogButton({ icon: Icon, label, subject, title, children, ...button }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button {...button} onPress={() => setOpen(true)}>
        {Icon ? <Icon aria-hidden className="size-3.5" /> : null}
        {label}
        {subject === undefined ? null : <span className="sr-only">{subject}</span>}
      </Button>
      <Sheet title={title} isOpen={isOpen} onClose={close}>
        {children(close)}
      </Sheet>
    </>
  );
}
