// The policy rule about prompt injections. Gets only the ids of the injection rules that a scan has matched, not the text. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from '../../scanning/injection/rule-ids.ts'
import type { RuleFacts } from '../facts.ts'
import { shortenedList, weakenedActions } from './loosening-words.ts'
import { defineRule } from './rule.ts'

const ACTIONS = ['report', 'block'] as const
type Action = (typeof ACTIONS)[number] | 'ignore'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
type ScannedRole = (typeof ROLES)[number]

/** Roles that should not instruct the model: its users, and the tools that it called. */
const SCANNED_BY_DEFAULT: readonly ScannedRole[] = ['user', 'tool']

const PromptInjectionGuardSchema = once(() =>
  z
    .strictObject({
      action: z.enum(ACTIONS).meta({ description: 'For every rule that is not named in rules.' }),
      rules: z
        .partialRecord(z.enum(INJECTION_RULE_IDS), z.enum([...ACTIONS, 'ignore']))
        .optional()
        .meta({ example: { hidden_text: 'block', prompt_exfiltration: 'ignore' } }),
      roles: z
        .array(z.enum(ROLES))
        .min(1)
        .max(ROLES.length)
        .optional()
        .meta({
          description:
            'Whose words are read. Left out: those of users and tools. Definitions of tools and of the answer’s form count as words of tools.',
          example: ['user', 'tool'],
        }),
    })
    .meta({
      id: 'PromptInjectionGuard',
      description:
        'What is done where the text of a request meets a rule of the prompt injection guard. report: the entry of the decision names the rules. block: nothing is sent. ignore: as if it were not there. The rules are stated, with what they find and miss, in the documentation; whoever knows them can write around them.',
    }),
)

export type PromptInjectionGuard = Infer<typeof PromptInjectionGuardSchema>

export const rolesToScan = ({ roles }: PromptInjectionGuard): readonly ScannedRole[] => roles ?? SCANNED_BY_DEFAULT

export const actionOnInjection = ({ action, rules = {} }: PromptInjectionGuard, id: InjectionRuleId): Action =>
  rules[id] ?? action

/** Returns null if the guard allows the request. The reason lists the blocking rules in the order of INJECTION_RULE_IDS. */
export function refuseInjection(
  guard: PromptInjectionGuard,
  { findings: { prompt_injection_guard: found = [] } }: Pick<RuleFacts, 'findings'>,
): string | null {
  const blocking = INJECTION_RULE_IDS.filter((id) => found.includes(id) && actionOnInjection(guard, id) === 'block')
  return blocking.length === 0 ? null : `found: ${blocking.join(', ')}`
}

export const promptInjectionGuard = defineRule({
  schema: PromptInjectionGuardSchema,
  refuse: refuseInjection,
  refusal: {
    problem: 'The text looks like an attempt to give the model other instructions',
    remedy: 'Change the text; no provider saw the request.',
  },
  findLooser: (before, after) => [
    ...weakenedActions('all rules', INJECTION_RULE_IDS, actionOnInjection, [before, after]),
    ...shortenedList('roles', rolesToScan(before), rolesToScan(after)),
  ],
  mayRefuseUnseen: (guard, then) => {
    const wereRead = then !== undefined && rolesToScan(guard).every((role) => rolesToScan(then).includes(role))
    return INJECTION_RULE_IDS.some(
      (id) => actionOnInjection(guard, id) === 'block' && !(wereRead && actionOnInjection(then, id) !== 'ignore'),
    )
  },
})
