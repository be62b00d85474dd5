// A button over a growing list that counts new rows and scrolls to the end.
import { ArrowDown } from 'lucide-react';
import { Button } from '#renderer/ui/buttons/button.tsx';

export function JumpToNewest({
  newCount,
  label,
  onPress,
}: {
  /** New rows since the end was last visible. */
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
