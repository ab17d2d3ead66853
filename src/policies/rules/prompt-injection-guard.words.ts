import { ACTIONS, actionWords, type WordsOf } from './rule-words.ts'

const CHOICES = [
  ['report', 'Count: it is sent, and the log names it'],
  ['block', 'Block: nothing is sent'],
] as const

export const promptInjectionGuard: WordsOf<'prompt_injection_guard'> = {
  name: 'Prompt injection',
  about: 'What happens where the text of a request has a common wording of it.',
  limit: 'Other wordings are not found: this rule does not stop prompt injection.',
  off: 'nothing is looked for',
  start: { action: 'report' },
  members: [
    { name: 'action', label: 'Every wording but the exceptions', words: CHOICES },
    { name: 'roles', label: 'Roles to read', absent: ['user', 'tool'] },
    { name: 'rules', label: 'Exceptions', noun: 'Wording', actions: ACTIONS },
  ],
  summary: ({ action, rules }, say) => actionWords(action, rules, say),
}
