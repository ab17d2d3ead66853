import { ACTIONS, actionWords, type WordsOf } from './rule-words.ts'

const CHOICES = [
  ['report', 'Count: it is sent and counted'],
  ['redact', 'Replace: a placeholder is sent in its place'],
  ['block', 'Block: nothing is sent'],
  ['ignore', 'Ignore: it is sent and not counted'],
] as const

export const piiScan: WordsOf<'pii_scan'> = {
  name: 'Personal identifiers',
  about: 'What happens where the text of a request has the form of one, such as a PPS number.',
  limit: 'Names and postal addresses of people are not found: they have no fixed form. Keep them out of requests.',
  off: 'nothing is looked for',
  start: { default: 'report' },
  members: [
    { name: 'default', label: 'Every identifier but the exceptions', words: CHOICES },
    { name: 'shapes', label: 'Exceptions', noun: 'Identifier', actions: ACTIONS },
  ],
  summary: ({ default: action, shapes }, say) => actionWords(action, shapes, say),
}
