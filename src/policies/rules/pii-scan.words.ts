import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { ACTIONS, actionWords, type Say, type WordsOf } from './rule-words.ts'

const CHOICES = [
  ['report', 'Count: it is sent and counted'],
  ['redact', 'Replace: a placeholder is sent in its place'],
  ['block', 'Block: nothing is sent'],
  ['ignore', 'Ignore: it is sent and not counted'],
] as const

const ANSWER_CHOICES = [
  ['report', 'Count: the answer is not changed'],
  ['redact', 'Take out: a placeholder stands in its place'],
  ['block', 'Stop the answer: it ends there'],
  ['ignore', 'Ignore: it is not counted'],
] as const

const ANSWER_ACTIONS = [
  ['report', 'Count'],
  ['redact', 'Take out'],
  ['block', 'Stop the answer'],
  ['ignore', 'Ignore'],
] as const

export const DONE_TO_ANSWERS: ReadonlyMap<unknown, string> = new Map([
  ['block', 'Answer stopped'],
  ['redact', 'Taken out'],
  ['report', 'Counted'],
  ['ignore', 'Ignored'],
])

const answerWords = ({ default: action, shapes }: JsonObject, say: Say): string =>
  actionWords(action, shapes, say, DONE_TO_ANSWERS)

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const NOT_SEARCHED = 'answers are not searched'

export const ANSWERS_NAME = 'Personal identifiers in answers'

export const piiScan: WordsOf<'pii_scan'> = {
  name: 'Personal identifiers',
  about: 'What happens where the text of a request or an answer has the form of one, such as a PPS number.',
  limit: 'Names and postal addresses of people are not found: they have no fixed form. Keep them out of requests.',
  off: 'nothing is looked for',
  start: { default: 'report' },
  members: [
    { name: 'default', label: 'Every identifier but the exceptions', words: CHOICES },
    { name: 'shapes', label: 'Exceptions', noun: 'Identifier', actions: ACTIONS },
    {
      name: 'answers',
      label: 'Answers',
      group: {
        box: 'Search answers',
        off: NOT_SEARCHED,
        start: { default: 'report' },
        members: [
          { name: 'default', label: 'Every identifier in answers but the exceptions', words: ANSWER_CHOICES },
          { name: 'shapes', label: 'Exceptions in answers', noun: 'Identifier', actions: ANSWER_ACTIONS },
        ],
        summary: answerWords,
      },
    },
  ],
  summary: ({ default: action, shapes, answers }, say) =>
    `${actionWords(action, shapes, say)}; ${isJsonObject(answers) ? `in answers: ${lowered(answerWords(answers, say))}` : NOT_SEARCHED}`,
}
