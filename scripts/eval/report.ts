// The measures as a person reads them, and the readings as a spreadsheet does.
import { showShare, type Evaluated, type Measures, type Share } from './measures.ts'
import type { Unread } from './read-letters.ts'

export function reportMeasures(measures: Measures, unread: readonly Unread[]): string {
  const { readers, kappa, byConsistency } = measures
  return [
    `${measures.letters} letters were read. Shares with their 95% interval (Wilson).`,
    '',
    row('answered yes (coverage)', measures.coverage),
    row('right, of those answered yes', measures.accuracyAmongYes),
    row('wrong, and both readers agreed', measures.wrongAndAgreed),
    row('right age group, of the right ones', measures.ageGroupAmongRight),
    row('answered ask, of those about two problems', measures.twoProblems.asked),
    row('  and said that there are two', measures.twoProblems.said),
    '',
    ...readers.flatMap(({ model, available, accuracy }) => [
      row(`${model} had an answer`, available),
      row(`${model} right, of those`, accuracy),
    ]),
    '',
    row('the readers agreed, where both answered', measures.agreement),
    `  ${"Cohen's kappa".padEnd(42)}${kappa === null ? 'not defined' : kappa.toFixed(3)}`,
    '',
    '  Right among the answers yes, by the lower consistency of the two readers',
    ...byConsistency.map(({ consistency, accuracy }) => row(`  ${consistency.toFixed(1)}`, accuracy)),
    ...unread.map(({ id, why }) => `\n  ${id} was not read: ${why}`),
  ].join('\n')
}

const row = (name: string, share: Share): string => `  ${name.padEnd(42)}${showShare(share)}`

const HEADER = [
  'id',
  'label_specialty',
  'label_age_group',
  'decision',
  'specialty',
  'age_group',
  'right',
  ...['a', 'b'].flatMap((reader) => ['reason', 'specialty', 'age_group', 'consistency'].map((of) => `${reader}_${of}`)),
]

/** One row a reading. */
export function readingsCsv(evaluated: readonly Evaluated[]): string {
  const rows = evaluated.map(({ letter, answer }) => [
    letter.id,
    letter.specialty,
    letter.ageGroup,
    answer.decision,
    answer.specialty,
    answer.ageGroup,
    answer.decision === 'yes' ? String(answer.specialty === letter.specialty) : null,
    ...answer.readers.flatMap(({ reason, specialty, ageGroup, consistency }) => [
      reason,
      specialty,
      ageGroup,
      String(consistency),
    ]),
  ])
  return [HEADER, ...rows].map((cells) => `${cells.map(showCell).join(',')}\r\n`).join('')
}

/** Quoted where it must be; an apostrophe keeps a spreadsheet from taking a text for a formula. */
function showCell(cell: string | null): string {
  const text = /^[=+\-@\t\r]/.test(cell ?? '') ? `'${cell}` : (cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
