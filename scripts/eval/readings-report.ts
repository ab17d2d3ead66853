// Measures labelled readings (coverage, accuracy, agreement, kappa). Reports the measures as text, and the readings as CSV.
import type { ReadResponse } from '../../src/referral/read.schema.ts'
import { isEmulated } from '../emulator/decide-answer.ts'
import type { LabelledLetter } from './labelled-files.ts'
import { shareWhere, showShare, type Share } from './shares.ts'

export type EvaluatedReading = {
  letter: Pick<LabelledLetter, 'id' | 'specialty' | 'ageGroup' | 'problems'>
  answer: Pick<ReadResponse, 'decision' | 'specialty' | 'ageGroup' | 'because' | 'readers' | 'record'>
}

/** A letter without a reading. `why`: the status and the error's code, or that no answer came. */
export type UnreadLetter = { id: string; why: string }

export type Measures = {
  letters: number
  /** Letters with the decision yes. */
  coverage: Share
  /** Answers yes with the right specialty, among all answers yes. */
  accuracyAmongYes: Share
  /** Letters on which both readers agreed on a wrong specialty: these would mislead a clinician. */
  wrongAndAgreed: Share
  /** Right answers with the right age group, among those whose label has one. */
  ageGroupAmongRight: Share
  /** Letters about two problems: those with the decision `ask`, and of these the ones that give the reason. */
  twoProblems: { asked: Share; said: Share }
  /** Each reader alone: which models answered, how often it answered, and how often that was right. */
  readers: { name: string; servedModels: string[]; available: Share; accuracy: Share }[]
  /** Letters with the same answer from both readers, among those that both answered. */
  agreement: Share
  /** Cohen's kappa over the same letters; null if chance alone would agree on everything, or if the emulator was both readers. */
  kappa: number | null
  /** Right answers yes, by the lower consistency of the two readers, highest first. */
  byConsistency: { consistency: number; accuracy: Share }[]
}

const isRight = ({ letter, answer }: EvaluatedReading): boolean => answer.specialty === letter.specialty

export function measure(evaluated: readonly EvaluatedReading[]): Measures {
  const isYes = ({ answer }: EvaluatedReading): boolean => answer.decision === 'yes'
  const yes = evaluated.filter(isYes)
  const aged = yes.filter((one) => isRight(one) && one.letter.ageGroup !== null)
  const ofTwo = evaluated.filter(({ letter }) => letter.problems === 2)
  const isAsked = ({ answer }: EvaluatedReading): boolean => answer.decision === 'ask'
  const pairs = evaluated
    .map(({ answer }) => answer.readers)
    .filter(([a, b]) => a.available && b.available)
    .map(([a, b]) => [a.specialty, b.specialty] as const)
  const lower = ({ answer: { readers } }: EvaluatedReading): number =>
    Math.min(...readers.map((reader) => reader.consistency))
  const levels = [...new Set(yes.map(lower))].toSorted((a, b) => b - a)
  const readers = [measureReader(evaluated, 0), measureReader(evaluated, 1)]
  return {
    letters: evaluated.length,
    coverage: shareWhere(evaluated, isYes),
    accuracyAmongYes: shareWhere(yes, isRight),
    wrongAndAgreed: shareWhere(evaluated, (one) => isYes(one) && !isRight(one)),
    ageGroupAmongRight: shareWhere(aged, ({ letter, answer }) => answer.ageGroup === letter.ageGroup),
    twoProblems: {
      asked: shareWhere(ofTwo, isAsked),
      said: shareWhere(ofTwo.filter(isAsked), ({ answer }) => answer.because.includes('two problems')),
    },
    readers,
    agreement: shareWhere(pairs, ([a, b]) => a === b),
    kappa: readers.every(hasEmulator) ? null : cohensKappa(pairs),
    byConsistency: levels.map((consistency) => ({
      consistency,
      accuracy: shareWhere(
        yes.filter((one) => lower(one) === consistency),
        isRight,
      ),
    })),
  }
}

function measureReader(evaluated: readonly EvaluatedReading[], index: 0 | 1): Measures['readers'][number] {
  const readings = evaluated.map(({ letter, answer }) => ({ letter, reader: answer.readers[index] }))
  const available = readings.filter(({ reader }) => reader.available)
  return {
    name: index === 0 ? 'Reader A' : 'Reader B',
    servedModels: [...new Set(evaluated.flatMap((one) => servedModelsOf(one, index)))].toSorted(),
    available: shareWhere(readings, ({ reader }) => reader.available),
    accuracy: shareWhere(available, ({ letter, reader }) => reader.specialty === letter.specialty),
  }
}

const servedModelsOf = ({ answer }: EvaluatedReading, index: 0 | 1): string[] =>
  answer.record?.models[index].servedModels ?? []

const hasEmulator = ({ servedModels }: Measures['readers'][number]): boolean => servedModels.some(isEmulated)

/** Returns the agreement beyond chance. Chance is how often each reader gives each value. */
export function cohensKappa(pairs: readonly (readonly [string | null, string | null])[]): number | null {
  if (pairs.length === 0) return null
  const values = new Set(pairs.flat())
  const shareNaming = (index: 0 | 1, value: string | null): number =>
    pairs.filter((pair) => pair[index] === value).length / pairs.length
  const observed = pairs.filter(([a, b]) => a === b).length / pairs.length
  const expected = [...values].reduce((sum, value) => sum + shareNaming(0, value) * shareNaming(1, value), 0)
  return expected === 1 ? null : (observed - expected) / (1 - expected)
}

export function reportMeasures(measures: Measures, unread: readonly UnreadLetter[]): string {
  const { readers, kappa, byConsistency } = measures
  const emulated = readers.filter(hasEmulator)
  const by = emulated.length === 0 ? '' : `, by the emulator as ${emulated.map(({ name }) => name).join(' and ')}`
  return [
    `${measures.letters} letters were read${by}. Shares with their 95% interval (Wilson).`,
    ...readers.map(({ name, servedModels }) => `${name}: ${servedModels.join(', ') || 'no model was named'}`),
    '',
    row('answered yes (coverage)', measures.coverage),
    row('right, of those answered yes', measures.accuracyAmongYes),
    row('wrong, and both readers agreed', measures.wrongAndAgreed),
    row('right age group, of the right ones', measures.ageGroupAmongRight),
    row('answered ask, of those about two problems', measures.twoProblems.asked),
    row('  and said that there are two', measures.twoProblems.said),
    '',
    ...readers.flatMap(({ name, available, accuracy }) => [
      row(`${name} had an answer`, available),
      row(`${name} right, of those`, accuracy),
    ]),
    '',
    row('the readers agreed, where both answered', measures.agreement),
    `  ${"Cohen's kappa".padEnd(42)}${showKappa(kappa, emulated.length === 2)}`,
    '',
    '  Right among the answers yes, by the lower consistency of the two readers',
    ...byConsistency.map(({ consistency, accuracy }) => row(`  ${consistency.toFixed(1)}`, accuracy)),
    ...unread.map(({ id, why }) => `\n  ${id} was not read: ${why}`),
  ].join('\n')
}

function showKappa(kappa: number | null, isOneTable: boolean): string {
  if (isOneTable) return 'none: the emulator answers for both readers by the same rules'
  return kappa === null ? 'not defined' : kappa.toFixed(3)
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
  ...['a', 'b'].flatMap((reader) =>
    ['reason', 'specialty', 'age_group', 'consistency', 'served_models'].map((of) => `${reader}_${of}`),
  ),
]

/** Returns a CSV with one row for each reading. */
export function readingsCsv(evaluated: readonly EvaluatedReading[]): string {
  const rows = evaluated.map(({ letter, answer }) => [
    letter.id,
    letter.specialty,
    letter.ageGroup,
    answer.decision,
    answer.specialty,
    answer.ageGroup,
    answer.decision === 'yes' ? String(answer.specialty === letter.specialty) : null,
    ...([0, 1] as const).flatMap((index) => {
      const { reason, specialty, ageGroup, consistency } = answer.readers[index]
      return [reason, specialty, ageGroup, String(consistency), servedModelsOf({ letter, answer }, index).join(' ')]
    }),
  ])
  return [HEADER, ...rows].map((cells) => `${cells.map(showCell).join(',')}\r\n`).join('')
}

/** Quotes a cell if it must be. An apostrophe keeps a spreadsheet from taking a text for a formula. */
function showCell(cell: string | null): string {
  const text = /^[=+\-@\t\r]/.test(cell ?? '') ? `'${cell}` : (cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
