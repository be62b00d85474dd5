// Links to inputs, one per line.
import type { InputRef } from '#shared/api/handler-runs.ts';
import { href } from '#renderer/navigation/router.ts';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';

export function InputLinks({ inputs }: { readonly inputs: readonly InputRef[] }) {
  return (
    <ul className="grid gap-0.5">
      {inputs.map(({ id, title }) => (
        <li key={id} className="wrap-anywhere">
          <TextLink to={href.input(id)}>{title}</TextLink>
        </li>
      ))}
    </ul>
  );
}
