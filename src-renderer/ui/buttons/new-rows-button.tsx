// A button over a list that counts new rows and scrolls to them.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Button } from '#renderer/ui/buttons/button.tsx';

const EDGES = {
  top: { icon: ArrowUp, className: 'top-2 z-10 lg:top-10' },
  bottom: { icon: ArrowDown, className: 'bottom-3' },
} as const;

interface Props {
  /** Where new rows appear. */
  readonly edge: keyof typeof EDGES;
  readonly newCount: number;
  readonly label: string;
  readonly onPress: () => void;
}

export function NewRowsButton({ edge, newCount, label, onPress }: Props) {
  const { icon: Icon, className } = EDGES[edge];
  return (
    <div role="status" className={`absolute inset-x-0 flex justify-center ${className}`}>
      {newCount === 0 ? null : (
        <Button variant="primary" size="small" isRound className="shadow-overlay" onPress={onPress}>
          <Icon aria-hidden className="size-3.5" />
          {label}
        </Button>
      )}
    </div>
  );
}
