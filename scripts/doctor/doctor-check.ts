// The form in which the doctor tells a check, from wherever it comes, and the text of all of them.
import { isReady, type CheckAnswer, type ReadinessCheck } from '../../src/readiness.schema.ts'

/** `configuration`: of wrangler.toml and the secrets. `service`: of /readyz. `address`: from outside. */
export type DoctorCheck = ReadinessCheck & { part: 'configuration' | 'service' | 'address' }

/** Asks each check in order, and gives it the name of its place in the list. */
export const askAll = <Facts>(
  part: DoctorCheck['part'],
  checks: Readonly<Record<string, (facts: Facts) => CheckAnswer>>,
  facts: Facts,
): DoctorCheck[] => Object.entries(checks).map(([id, check]) => Object.assign({ part, id }, check(facts)))

const STATE_WIDTH = 8
const ID_WIDTH = 16

/** Returns a line for each check, below the name of its part, and the remedy of one that did not pass. */
export function describeChecks(checks: readonly DoctorCheck[]): string {
  const lines = checks.flatMap(({ part, id, state, seen, blocks, remedy }, at) => [
    ...(checks[at - 1]?.part === part ? [] : ['', part]),
    `  ${state.padEnd(STATE_WIDTH)}${id.padEnd(ID_WIDTH)} ${seen}`,
    ...(state === 'pass'
      ? []
      : [blocks && `stops: ${blocks}`, remedy].flatMap((text) => (text ? [INDENT + text] : []))),
  ])
  return [...lines, '', summarise(checks)].join('\n').trimStart()
}

const INDENT = ' '.repeat(STATE_WIDTH + ID_WIDTH + 3)

function summarise(checks: readonly DoctorCheck[]): string {
  const count = (wanted: DoctorCheck['state']): number => checks.filter(({ state }) => state === wanted).length
  const counts = (['pass', 'warn', 'fail', 'unknown'] as const).map((state) => `${count(state)} ${state}`).join(', ')
  return `${isReady(checks) ? 'Well' : 'Not well'}: ${counts}.`
}
