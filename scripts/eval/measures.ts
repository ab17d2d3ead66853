// What a set of labelled readings amounts to. Pure; every share comes with its n and a 95% interval.
import type { Reading, ReadResponse } from '../../src/referral/read.schema.ts'
import type { LabelledLetter } from './labelled-letters.ts'

export type Evaluated = {
  letter: Pick<LabelledLetter, 'id' | 'specialty' | 'ageGroup' | 'problems'>
  answer: Pick<ReadResponse, 'decision' | 'specialty' | 'ageGroup' | 'because' | 'readers'>
}

/** `low` and `high`: Wilson's score interval at 95%. All three are null where n is 0. */
export type Share = { count: number; n: number; share: number | null; low: number | null; high: number | null }

export type Measures = {
  letters: number
  /** Answered yes. */
  coverage: Share
  /** Of those, how many named the specialty of the label. */
  accuracyAmongYes: Share
  /** Both readers agreed on a specialty that is not the label's: what a clinician would be misled by. */
  wrongAndAgreed: Share
  /** Of the answers yes with the right specialty and an age group on the label. */
  ageGroupAmongRight: Share
  /** Letters about two problems that were answered `ask`, and how many of these answers said that it is for two problems. */
  twoProblems: { asked: Share; said: Share }
  /** Each reader by itself, of the letters it had an answer for; none of these is an answer. */
  readers: { model: Reading['model']; available: Share; accuracy: Share }[]
  /** Of the letters for which both had an answer. */
  agreement: Share
  /** Cohen's kappa over the same letters; null where chance alone would agree on everything. */
  kappa: number | null
  /** The answers yes by the lower consistency of the two readers, the highest first. */
  byConsistency: { consistency: number; accuracy: Share }[]
}

export function measure(evaluated: readonly Evaluated[]): Measures {
  const yes = evaluated.filter(({ answer }) => answer.decision === 'yes')
  const right = yes.filter(({ letter, answer }) => answer.specialty === letter.specialty)
  const aged = right.filter(({ letter }) => letter.ageGroup !== null)
  const ofTwo = evaluated.filter(({ letter }) => letter.problems === 2)
  const askedOfTwo = ofTwo.filter(({ answer }) => answer.decision === 'ask')
  const pairs = evaluated
    .map(({ answer }) => answer.readers)
    .filter(([a, b]) => a.available && b.available)
    .map(([a, b]) => [a.specialty, b.specialty] as const)
  return {
    letters: evaluated.length,
    coverage: shareOf(yes.length, evaluated.length),
    accuracyAmongYes: shareOf(right.length, yes.length),
    wrongAndAgreed: shareOf(yes.length - right.length, evaluated.length),
    ageGroupAmongRight: shareOf(
      aged.filter(({ letter, answer }) => answer.ageGroup === letter.ageGroup).length,
      aged.length,
    ),
    twoProblems: {
      asked: shareOf(askedOfTwo.length, ofTwo.length),
      said: shareOf(
        askedOfTwo.filter(({ answer }) => answer.because.includes('two problems')).length,
        askedOfTwo.length,
      ),
    },
    readers: ([0, 1] as const).map((index) => measureReader(evaluated, index)),
    agreement: shareOf(pairs.filter(([a, b]) => a === b).length, pairs.length),
    kappa: cohensKappa(pairs),
    byConsistency: measureByConsistency(yes),
  }
}

function measureReader(evaluated: readonly Evaluated[], index: 0 | 1): Measures['readers'][number] {
  const readings = evaluated.map(({ letter, answer }) => ({ letter, reader: answer.readers[index] }))
  const available = readings.filter(({ reader }) => reader.available)
  const right = available.filter(({ letter, reader }) => reader.specialty === letter.specialty)
  return {
    model: index === 0 ? 'Reader A' : 'Reader B',
    available: shareOf(available.length, readings.length),
    accuracy: shareOf(right.length, available.length),
  }
}

function measureByConsistency(yes: readonly Evaluated[]): Measures['byConsistency'] {
  const lower = ({ answer: { readers } }: Evaluated): number => Math.min(...readers.map((reader) => reader.consistency))
  const levels = [...new Set(yes.map(lower))].toSorted((a, b) => b - a)
  return levels.map((consistency) => {
    const there = yes.filter((one) => lower(one) === consistency)
    const right = there.filter(({ letter, answer }) => answer.specialty === letter.specialty)
    return { consistency, accuracy: shareOf(right.length, there.length) }
  })
}

const Z = 1.959964 // the 97.5th percentile of the normal distribution

export function shareOf(count: number, n: number): Share {
  if (n === 0) return { count, n, share: null, low: null, high: null }
  const share = count / n
  const centre = (share + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n)
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n))
  return { count, n, share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`

/** `8/10   80.0%  [49.0%, 94.3%]` */
export function showShare({ count, n, share, low, high }: Share): string {
  const ratio = `${count}/${n}`.padStart(8)
  if (share === null || low === null || high === null) return ratio
  return `${ratio}  ${percent(share).padStart(6)}  [${percent(low)}, ${percent(high)}]`
}

/** Agreement beyond chance, where chance is each reader's own habit of naming each value. */
export function cohensKappa(pairs: readonly (readonly [string | null, string | null])[]): number | null {
  if (pairs.length === 0) return null
  const values = new Set(pairs.flat())
  const shareNaming = (index: 0 | 1, value: string | null): number =>
    pairs.filter((pair) => pair[index] === value).length / pairs.length
  const observed = pairs.filter(([a, b]) => a === b).length / pairs.length
  const expected = [...values].reduce((sum, value) => sum + shareNaming(0, value) * shareNaming(1, value), 0)
  return expected === 1 ? null : (observed - expected) / (1 - expected)
}
