// Checks what a workflow says about the ends of its inputs: `completes` and `needsHuman`.
import { show, type Report } from '#main/authoring/check-handlers.ts';
import { isObject } from '#main/authoring/workflow-description.ts';
import { readDuration } from '#shared/authoring/duration.ts';
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';
import { COMPLETES } from '#shared/inputs/derive-input-status.ts';
import {
  isReminderBeforeEnd,
  NEEDS_HUMAN_ENDS,
  type NeedsHuman,
} from '#shared/inputs/needs-human.ts';
import type { Json, JsonObject } from '#shared/json.ts';

type InputRules = Pick<HandlerConfig, 'completes' | 'needsHuman'>;
type PartialRule = { -readonly [field in keyof NeedsHuman]?: NeedsHuman[field] };

const FIELDS: readonly string[] = ['remind', 'within', 'otherwise'];
const HOW = `Write: needsHuman: { remind: '1d', within: '14d', otherwise: 'timed_out' }. Each field is optional.`;

export function checkInputRules(rest: JsonObject, report: Report): InputRules {
  const { completes, needsHuman } = rest;
  return {
    ...(completes === undefined ? {} : checkCompletes(completes, report)),
    ...(needsHuman === undefined ? {} : { needsHuman: checkNeedsHuman(needsHuman, report) }),
  };
}

function checkCompletes(value: Json, report: Report): InputRules {
  const completes = COMPLETES.find((one) => one === value);
  if (completes !== undefined) return { completes };
  report(
    `"completes" must be 'drained' (an input succeeds when all of its work is done) or 'explicit' (only ctx.complete makes it succeed), not ${show(value)}.`,
    'completes',
  );
  return {};
}

function checkNeedsHuman(value: Json, report: Report): PartialRule {
  if (!isObject(value)) {
    report(`"needsHuman" must be an object. ${HOW}`, 'needsHuman');
    return {};
  }
  for (const key of Object.keys(value)) {
    if (!FIELDS.includes(key))
      report(`"${key}" is not a field of needsHuman. ${HOW}`, 'needsHuman', key);
  }
  const rule: PartialRule = {};
  for (const key of ['remind', 'within'] as const) {
    const text = value[key];
    if (text === undefined) continue;
    if (typeof text === 'string' && readDuration(text) !== undefined) rule[key] = text;
    else {
      report(
        `"${key}" must be a duration such as '12h' or '14d', at most '366d', not ${show(text)}.`,
        'needsHuman',
        key,
      );
    }
  }
  const otherwise = NEEDS_HUMAN_ENDS.find((one) => one === value['otherwise']);
  if (otherwise !== undefined) rule.otherwise = otherwise;
  else if (value['otherwise'] !== undefined) {
    report(
      `"otherwise" must be 'timed_out' or 'failed', not ${show(value['otherwise'])}. A person can settle both later.`,
      'needsHuman',
      'otherwise',
    );
  }
  reportLateReminder(rule, report);
  return rule;
}

function reportLateReminder({ remind, within }: PartialRule, report: Report): void {
  if (remind === undefined || within === undefined) return;
  if (isReminderBeforeEnd({ remind, within })) return;
  report(
    `"remind" (${remind}) must be shorter than "within" (${within}), so that a reminder comes before the end.`,
    'needsHuman',
    'remind',
  );
}
