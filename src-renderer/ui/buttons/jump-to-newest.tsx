// Over a list that grows at its end while the person reads further up: what came, and the way there.
import { ArrowDown } from 'lucide-react';
import { Button } from '#renderer/ui/buttons/button.tsx';

export function JumpToNewest({
  newCount,
  label,
  onPress,
}: {
  /** How many came since the end was last seen. */
  readonly newCount: number;
  readonly label: (fresh: number) => string;
  readonly onPress: () => void;
}) {
  return (
    <div role="status" className="absolute inset-x-0 bottom-3 flex justify-center">
      {newCount === 0 ? null : (
        <Button variant="primary" size="small" isRound className="shadow-overlay" onPress={onPress}>
          <ArrowDown aria-hidden className="size-3.5" />
          {label(newCount)}
        </Button>
      )}
    </div>
  );
}
