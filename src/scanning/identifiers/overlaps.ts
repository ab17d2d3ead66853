// Resolves overlapping findings in one text: only the surest one is reported.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import type { Finding, ReportedFinding } from './finding.ts'
import { IDENTIFIERS } from './shapes/identifiers.ts'

const RANKS = new Map<string, number>(IDENTIFIERS.map(({ id, rank }) => [id, rank]))

/** Returns the surest findings that do not overlap, in order of start. */
export const resolveOverlaps = <S extends string>(findings: readonly Finding<S>[]): ReportedFinding<S>[] =>
  runSteps(resolveOverlapsInSteps(findings))

/** The findings of one step. They cost about as much to resolve as the text that contains them costs to search. */
const FINDINGS_PER_STEP = 2_048

/** Resolves overlaps in steps. Findings share few precedences, so it sorts the precedences and not the findings. */
export function* resolveOverlapsInSteps<S extends string>(found: readonly Finding<S>[]): Steps<ReportedFinding<S>[]> {
  const byPrecedence = Map.groupBy(found, precedence)
  const base = found.reduce((least, { start }) => Math.min(least, start), Infinity)
  const end = found.reduce((most, finding) => Math.max(most, finding.end), 0)
  const taken = new Uint8Array(Math.max(0, end - base))
  const kept: ReportedFinding<S>[] = []
  let seen = 0
  for (const group of [...byPrecedence.keys()].toSorted((a, b) => a - b)) {
    for (const finding of byPrecedence.get(group) ?? []) {
      const [from, to] = [finding.start - base, finding.end - base]
      if (!taken.subarray(from, to).includes(1)) {
        taken.fill(1, from, to)
        kept.push({ shape: finding.shape, start: finding.start, end: finding.end })
      }
      seen += 1
      if (seen % FINDINGS_PER_STEP === 0) yield FINDINGS_PER_STEP
    }
  }
  return kept.toSorted((a, b) => a.start - b.start)
}

const LONGEST = 2 ** 21 - 1

/** Orders overlapping findings: the surest first, then the longest, then the shape of the lowest rank. */
const precedence = ({ certainty, start, end, shape }: Finding<string>): number =>
  (certainty * (LONGEST + 1) + LONGEST - Math.min(LONGEST, end - start)) * 32 + (RANKS.get(shape) ?? 0)
