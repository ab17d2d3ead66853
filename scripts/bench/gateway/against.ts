// This gateway beside that of another revision, in turn within every round, so that "no worse than before" can be told on a
// machine that does other work as well.
import { join } from 'node:path'
import { readProject } from '../service/project.ts'
import { layOut } from '../service/revision.ts'
import { plainTable } from '../workerd/report.ts'
import type { Server } from '../workerd/server.ts'
import { compareCpu, compareFirstByte, type Compared } from './figures.ts'
import type { CaseRuns } from './measure.ts'
import { gatewaySystem, startGateway, type StartOptions, type System } from './systems.ts'

/** Each server is handed to `started` as soon as it runs. */
export async function startAgainst(
  commit: string,
  options: StartOptions,
  started: (server: Server) => void,
): Promise<System[]> {
  const folder = join(options.folder, 'before')
  const revision = await layOut(commit, join(folder, 'checkout'))
  for (const name of revision.otherLibraries) {
    process.stderr.write(`${name}: the revision asks for another version, and is run with the one installed here\n`)
  }
  const project = await readProject(revision.folder)
  const before = await startGateway({ ...options, folder }, { project })
  started(before.server)
  const present = await startGateway(options)
  started(present.server)
  return [gatewaySystem(present), { ...gatewaySystem(before), name: 'gateway before' as const }]
}

const HEADINGS = {
  'gateway before': ['now', 'before', 'now / before'],
  'no policy': ['every policy', 'none', 'every / none'],
}

const FIGURES = [
  { figure: 'CPU µs', digits: 0, compare: compareCpu },
  { figure: 'first byte ms', digits: 2, compare: compareFirstByte },
] as const

/**
 * A row a case and figure of the gateway beside the other system, and whether every case holds: where the median of its ratios is
 * at most the tolerance.
 */
export function reportAgainst(
  measured: readonly CaseRuns[],
  other: 'gateway before' | 'no policy',
  tolerance: number,
): { text: string; holds: boolean } {
  const compared = measured.flatMap((one) =>
    FIGURES.map(({ figure, digits, compare }) => ({
      what: `${one.chatCase.name}: ${figure}`,
      digits,
      told: compare(one, 'gateway', other),
    })),
  )
  const rows = compared.map(({ what, told, digits }) => [what, ...cellsOf(told, digits, tolerance)])
  const heading = ['', ...HEADINGS[other], 'lowest', 'highest', `at most ${tolerance}`]
  return {
    text: plainTable([heading, ...rows]),
    holds: compared.every(({ told }) => told === null || told.ratio <= tolerance),
  }
}

function cellsOf(told: Compared | null, digits: number, tolerance: number): string[] {
  if (told === null) return ['not measurable']
  const { figures, ratio, lowest, highest } = told
  const outcome = ratio <= tolerance ? 'holds' : 'MISSED'
  const ratios = [ratio, lowest, highest].map((value) => value.toFixed(2))
  return [...figures.map((value) => value.toFixed(digits)), ...ratios, outcome]
}
