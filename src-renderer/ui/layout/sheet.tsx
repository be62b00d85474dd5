// A modal dialog.
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { text } from '#renderer/text/text.ts';

interface Props {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Sheet({ title, isOpen, onClose, children }: Props) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="fixed inset-0 z-20 grid items-start justify-items-center overflow-y-auto bg-backdrop px-4 py-[10dvh]"
    >
      <Modal className="w-full max-w-lg rounded-xl bg-surface shadow-overlay">
        <Dialog className="outline-none">
          <header className="flex items-center justify-between gap-4 px-5 pt-4">
            <Heading slot="title" className="text-base font-semibold">
              {title}
            </Heading>
            <Button
              slot="close"
              aria-label={text.app.close}
              className="-mr-1.5 grid size-7 place-items-center rounded-md text-muted data-hovered:bg-hover data-hovered:text-ink"
            >
              <X aria-hidden className="size-4" />
            </Button>
          </header>
          {/* Mounted on open, so that a form gets a new request id each time. */}
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
