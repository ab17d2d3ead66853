// npm run bench -- start: measures the CPU of the service's start, less that of an empty Worker, and the size of its bundle.
// docs/performance.md explains the numbers.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runCommand, wholeNumber } from '../command-line.ts'
import { createRandom } from '../seeded-random.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { bundleService } from '../workerd/build-bundle.ts'
import { buildService, type BuiltService } from '../workerd/start-service.ts'
import { estimateText, plainTable, verdict } from './benchmark-report.ts'
import { loadCheckout, type Checkout } from './other-checkout.ts'
import { cpuMicroseconds } from './process-stats.ts'
import { estimate, median, type Estimate } from './statistics.ts'

const HELP = `Usage: npm run bench -- start [options]

Measures the CPU of the service's start, less an empty Worker's, and the size of its bundle.

  --rounds N         starts of each process (default 15)
  --against FOLDER   also another checkout, installed and with its pages built

Example:
  npm run bench -- start --rounds 5

Exit codes: 0 done, 2 wrong command line.`

const MOST_RATIO = 0.65
const MOST_KIB = 510
const SEED = 1

/** CPU milliseconds of a process at two moments. */
type Start = { listening: number; answered: number }
type Moment = keyof Start
const MOMENTS: readonly Moment[] = ['listening', 'answered']

/** The starts of one round, by the name of what was started. */
type Round = Readonly<Record<string, Start>>

export const benchStart = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: { rounds: { type: 'string', default: '15' }, against: { type: 'string' } },
    async run({ values }) {
      const rounds = wholeNumber('rounds', values.rounds, 1, 1000)
      const against = values.against === undefined ? null : await loadCheckout(values.against)
      const folder = await makeTemporaryFolder()
      const checkouts: Record<string, Pick<Checkout, 'buildService' | 'bundleService'>> = {
        service: { buildService, bundleService },
        ...(against !== null && { against }),
      }
      process.stderr.write('Building\n')
      const built = new Map([
        ['empty', await buildService(join(folder, 'empty'), { worker: 'scripts/bench/empty-worker.ts' })],
      ])
      const sizes: Record<string, number> = {}
      for (const [name, checkout] of Object.entries(checkouts)) {
        built.set(name, await checkout.buildService(join(folder, name), {}))
        sizes[name] =
          gzipSync(await readFile(await checkout.bundleService(join(folder, `${name}-bundle`)))).length / 1024
      }
      console.log(report(await measureStarts(built, rounds), sizes))
    },
  })

/** Starts each once before the first round, so that files are in memory and databases exist. */
async function measureStarts(built: ReadonlyMap<string, BuiltService>, rounds: number): Promise<Round[]> {
  const { shuffle } = createRandom(SEED)
  const measured: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const starts: Record<string, Start> = {}
    for (const [name, service] of shuffle([...built])) starts[name] = await measureStart(service)
    if (round > 0) measured.push(starts)
  }
  return measured
}

async function measureStart(service: BuiltService): Promise<Start> {
  const { server } = await service.start()
  try {
    const listening = cpuMicroseconds(server.pid) / 1000
    await (await fetch(`${server.url}/healthz`)).text()
    return { listening, answered: cpuMicroseconds(server.pid) / 1000 }
  } finally {
    await server.stop()
  }
}

function report(rounds: readonly Round[], sizes: Readonly<Record<string, number>>): string {
  const overEmpty = (drawn: readonly Round[], name: string, moment: Moment): number =>
    medianOf(drawn, name, moment) - medianOf(drawn, 'empty', moment)
  const ratioOf = (moment: Moment): Estimate =>
    estimate(rounds, (drawn) => overEmpty(drawn, 'service', moment) / overEmpty(drawn, 'against', moment))
  const msOf = (name: string, moment: Moment): Estimate => estimate(rounds, (drawn) => overEmpty(drawn, name, moment))
  const compared = [
    verdict('CPU until it listens, service / against', ratioOf('listening'), MOST_RATIO, '×', 3).line,
    `CPU until its first answer, service / against: ${estimateText(ratioOf('answered'), 3)}`,
  ]
  return [
    plainTable([
      ['CPU ms over an empty Worker', 'until it listens', 'until its first answer', 'KiB gzip'],
      ...Object.entries(sizes).map(([name, kib]) =>
        [name].concat(
          MOMENTS.map((moment) => estimateText(msOf(name, moment), 1)),
          kib.toFixed(0),
        ),
      ),
    ]),
    ...('against' in sizes ? compared : []),
    verdict('bundle', sizes['service'] ?? Number.NaN, MOST_KIB, ' KiB gzip', 0).line,
  ].join('\n')
}

const medianOf = (rounds: readonly Round[], name: string, moment: Moment): number =>
  median(rounds.map((starts) => starts[name]?.[moment] ?? Number.NaN))
