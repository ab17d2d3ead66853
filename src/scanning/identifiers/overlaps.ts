// Resolves overlapping findings in one text: only the surest one is reported.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import type { Finding } from './finding.ts'
import { SHAPE_TABLE, type ReportedFinding, type Shape } from './shapes/shape-table.ts'

const RANKS = new Map<Shape, number>(SHAPE_TABLE.map(({ id, rank }) => [id, rank]))

/** Returns the surest findings that do not overlap, in order of start. */
export const resolveOverlaps = <S extends Shape>(findings: readonly Finding<S>[]): ReportedFinding<S>[] =>
  runSteps(resolveOverlapsInSteps(findings))

/** The findings of one step. They cost about as much to resolve as the text that contains them costs to search. */
const FINDINGS_PER_STEP = 2_048

/** Resolves overlaps in steps. Findings share few precedences, so it sorts the precedences and not the findings. */
export function* resolveOverlapsInSteps<S extends Shape>(findings: readonly Finding<S>[]): Steps<ReportedFinding<S>[]> {
  const byPrecedence = Map.groupBy(findings, precedence)
  const base = findings.reduce((least, { start }) => Math.min(least, start), Infinity)
  const end = findings.reduce((most, finding) => Math.max(most, finding.end), 0)
  const taken = new Uint8Array(Math.max(0, end - base))
  const kept: ReportedFinding<S>[] = []
  let seen = 0
  for (const group of [...byPrecedence.keys()].toSorted((a, b) => a - b)) {
    for (const finding of byPrecedence.get(group) ?? []) {
      const [from, to] = [finding.start - base, finding.end - base]
      if (!isTaken(taken, from, to)) {
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
const precedence = ({ certainty, start, end, shape }: Finding<Shape>): number =>
  (certainty * (LONGEST + 1) + LONGEST - Math.min(LONGEST, end - start)) * 32 + (RANKS.get(shape) ?? 0)

function isTaken(taken: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (taken[at] === 1) return true
  return false
}
