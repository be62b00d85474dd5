// The box of a checkbox.
import { Check } from 'lucide-react';

export function CheckboxBox({ isChecked }: { readonly isChecked: boolean }) {
  return (
    <span
      aria-hidden
      className={`mt-0.5 grid size-4 shrink-0 place-items-center rounded ring-1 ring-inset ${isChecked ? 'bg-accent-fill text-on-accent ring-accent-fill' : 'bg-surface ring-line-strong'}`}
    >
      {isChecked ? <Check className="size-3" strokeWidth={3} /> : null}
    </span>
  );
}
