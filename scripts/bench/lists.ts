// npm run bench -- lists: measures the time of lists and figures of a year's calls, from a demo organisation that runs.
// docs/performance.md explains the numbers.
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import * as z from 'zod'
import { runCommand, UsageError, wholeNumber } from '../command-line.ts'
import { plainTable } from './benchmark-report.ts'
import { median } from './statistics.ts'

const HELP = `Usage: npm run bench -- lists [options]

Measures the time of pages of 50 calls and of figures, over all days of the demo organisation of a service that runs.

  --env FILE    where the service wrote its address and keys (default .wrangler/state/env)
  --rounds N    requests of each kind (default 9)

Example:
  npm start -- --demo --demo-calls 550
  npm run bench -- lists

Exit codes: 0 the filtered pages meet their target, 1 one misses it, 2 wrong command line.`

const LIMIT_MS = 200

const FILTERED = [
  'outcome=held',
  'outcome=blocked',
  'outcome=suppressed',
  'ending=failed,cancelled,interrupted',
  'rule=model_allowlist',
  'rule=use_case_guard',
  'rule=human_approval&ending=denied',
].map((filter) => `/api/calls?${filter}`)

/** What has no target: a page of all calls, filters that read the log, and figures. */
const OTHERS = [
  '/api/calls?',
  '/api/calls?use_case=triage-notes',
  '/api/calls?model=gpt-4.1-mini',
  '/api/analytics/stops?',
  '/api/analytics/stops?group_by=key',
  '/api/analytics/keys?',
  '/api/analytics/requests?bucket=total',
  '/api/analytics/requests?bucket=month',
]

const EnvSchema = z.object({ URL: z.url(), DEMO_MANAGEMENT_KEY: z.string(), FIRST_DAY: z.iso.date() })
type Env = z.infer<typeof EnvSchema>

function readEnv(file: string): Env {
  try {
    return EnvSchema.parse(parseEnv(readFileSync(file, 'utf8')))
  } catch {
    throw new UsageError(`${file} tells of no demo organisation. Run npm start -- --demo first.`)
  }
}

const TotalsSchema = z.object({ totals: z.object({ requests: z.int() }) })

async function measure({ URL: url, DEMO_MANAGEMENT_KEY: key, FIRST_DAY: start }: Env, path: string, rounds: number) {
  const times: number[] = []
  let answer: unknown
  // The first request is not measured: it counts the calls of before, and brings the code to its speed.
  for (let round = 0; round <= rounds; round += 1) {
    const began = performance.now()
    const response = await fetch(`${url}${path}&start=${start}`, { headers: { authorization: `Bearer ${key}` } })
    answer = await response.json()
    if (round > 0) times.push(performance.now() - began)
    if (!response.ok) throw new Error(JSON.stringify(answer))
  }
  return { answer, ms: median(times), slowestMs: Math.max(...times) }
}

export const benchLists = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {
      env: { type: 'string', default: '.wrangler/state/env' },
      rounds: { type: 'string', default: '9' },
    },
    async run({ values }) {
      const env = readEnv(values.env)
      const rounds = wholeNumber('rounds', values.rounds)
      const { answer } = await measure(env, '/api/analytics/requests?bucket=total', 0)
      console.log(`${TotalsSchema.parse(answer).totals.requests} calls since ${env.FIRST_DAY}\n`)
      const rows: string[][] = []
      let holds = true
      for (const path of [...FILTERED, ...OTHERS]) {
        const { ms, slowestMs } = await measure(env, path, rounds)
        const isMissed = FILTERED.includes(path) && ms > LIMIT_MS
        holds &&= !isMissed
        rows.push([path, ms.toFixed(0), slowestMs.toFixed(0), isMissed ? 'missed' : ''])
      }
      console.log(plainTable([['request', 'median ms', 'slowest ms', `over ${LIMIT_MS}`], ...rows]))
      return holds ? 0 : 1
    },
  })
