import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';

interface Props {
  readonly submitLabel: string;
  readonly isPending: boolean;
  readonly onCancel: () => void;
}

export function FormButtons({ submitLabel, isPending, onCancel }: Props) {
  return (
    <div className="flex justify-end gap-2">
      <Button onPress={onCancel}>{text.app.cancel}</Button>
      <Button type="submit" variant="primary" isPending={isPending}>
        {submitLabel}
      </Button>
    </div>
  );
}
