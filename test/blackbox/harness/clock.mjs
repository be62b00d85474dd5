// Loaded into a host before its own code (NODE_OPTIONS=--import): moves its clock as a changed
// system clock would. The file that BLACKBOX_CLOCK names holds milliseconds to add, or with a leading
// "=" the time at which the clock stops. It is read at each call.
import { readFileSync } from 'node:fs';

const file = process.env['BLACKBOX_CLOCK'] ?? '';
const RealDate = Date;

function now() {
  const text = readFileSync(file, 'utf8');
  return text.startsWith('=') ? Number(text.slice(1)) : RealDate.now() + Number(text);
}

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
