// Over a list that grows at its end while the person reads further up: what came, and the way there.
import { ArrowDown } from 'lucide-react';
import { Button } from '#renderer/ui/buttons/button.tsx';

export function ToNewest({
  fresh,
  label,
  onPress,
}: {
  /** How many came since the end was last seen. */
  readonly fresh: number;
  readonly label: (fresh: number) => string;
  readonly onPress: () => void;
}) {
  return (
    <div role="status" className="absolute inset-x-0 bottom-3 flex justify-center">
      {fresh === 0 ? null : (
        <Button look="primary" size="small" isRound className="shadow-overlay" onPress={onPress}>
          <ArrowDown aria-hidden className="size-3.5" />
          {label(fresh)}
        </Button>
      )}
    </div>
  );
}
