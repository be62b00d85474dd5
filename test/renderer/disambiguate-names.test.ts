import { expect, test } from 'vitest';
import { disambiguateNames } from '#renderer/format/disambiguate-names.ts';

const named = (id: string, name: string, path: string | null) => ({ id, name, path });
const names = (...workflows: Parameters<typeof disambiguateNames>[0]): string[] =>
  disambiguateNames(workflows).map(({ name }) => name);

test('[WF-1] a unique name stays as it is', () => {
  expect(names(named('a', 'pay', '/x/pay.ts'), named('b', 'mail', null))).toEqual(['pay', 'mail']);
});

test('[WF-1] workflows with the same name show their files', () => {
  expect(names(named('a', 'pay', '/x/old/pay.ts'), named('b', 'pay', 'C:\\new\\pay.ts'))).toEqual([
    'pay · old/pay.ts',
    'pay · new/pay.ts',
  ]);
});

test('[WF-1] workflows with the same name and file show their ids', () => {
  expect(names(named('0123456789ab', 'pay', null), named('b', 'pay', '/x/pay.ts'))).toEqual([
    'pay',
    'pay · x/pay.ts',
  ]);
  expect(names(named('aaaaaaaaa', 'pay', '/1/x/pay.ts'), named('b', 'pay', '/2/x/pay.ts'))).toEqual(
    ['pay · x/pay.ts · aaaaaaaa', 'pay · x/pay.ts · b'],
  );
});
