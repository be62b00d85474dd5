import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';

interface Props {
  readonly submit: string;
  readonly pending: boolean;
  readonly onCancel: () => void;
}

export function FormButtons({ submit, pending, onCancel }: Props) {
  return (
    <div className="flex justify-end gap-2">
      <Button onPress={onCancel}>{text.app.cancel}</Button>
      <Button type="submit" look="primary" isPending={pending}>
        {submit}
      </Button>
    </div>
  );
}
