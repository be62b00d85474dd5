// A button over a growing list that counts new rows and scrolls to the end.
import { ArrowDown } from 'lucide-react';
import { Button } from '#renderer/ui/button.tsx';

export function ToNewest({
  fresh,
  label,
  onPress,
}: {
  /** New rows since the end was last visible. */
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
