// The curl command that tests a hook, for each kind of authentication.
import type { HookView } from '#shared/api/inputs.ts';
import { parsePath } from '#shared/inputs/json-path.ts';
import type { Json } from '#shared/json.ts';
import { shellQuote } from '#renderer/format/shell-quote.ts';

/** Stands in for a secret that is no longer shown. */
const PLACEHOLDER = 'SECRET';
const EXAMPLE_ID = 'example-1';

export function curlCommand(
  hook: Pick<HookView, 'auth' | 'dedup'>,
  address: string,
  secret: string = PLACEHOLDER,
): string {
  const body = JSON.stringify(exampleBody(hook));
  const key =
    hook.dedup.by === 'header' ? ` -H ${shellQuote(`${hook.dedup.name}: ${EXAMPLE_ID}`)}` : '';
  const send = (proof: string): string =>
    `curl ${shellQuote(address)} -H 'Content-Type: application/json' -H ${proof}${key} -d`;
  const signed = `openssl dgst -sha256 -hmac ${shellQuote(secret)} | sed 's/^.* //'`;
  switch (hook.auth.kind) {
    case 'bearer':
      return `${send(shellQuote(`Authorization: Bearer ${secret}`))} ${shellQuote(body)}`;
    case 'github':
      return [
        `BODY=${shellQuote(body)};`,
        send(`"X-Hub-Signature-256: sha256=$(printf %s "$BODY" | ${signed})"`),
        '"$BODY"',
      ].join(' ');
    case 'stripe':
      return [
        `BODY=${shellQuote(body)}; T=$(date +%s);`,
        send(`"Stripe-Signature: t=$T,v1=$(printf %s "$T.$BODY" | ${signed})"`),
        '"$BODY"',
      ].join(' ');
  }
}

/** Includes the hook's dedup field. */
function exampleBody({ dedup }: Pick<HookView, 'dedup'>): Json {
  const parts = dedup.by === 'path' ? (parsePath(dedup.path) ?? []) : [];
  if (parts.length === 0) return { hello: 'world' };
  return parts.reduceRight<Json>((inner, part) => ({ [String(part)]: inner }), EXAMPLE_ID);
}
