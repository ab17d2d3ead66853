// `npm run bench -- gateway --against REV`: what the runs of two revisions amount to, and that the other one is run by its
// own settings.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { reportAgainst } from '../../scripts/bench/gateway/against.ts'
import type { CaseRuns } from '../../scripts/bench/gateway/measure.ts'
import { readProject } from '../../scripts/bench/service/project.ts'
import { findCommit } from '../../scripts/bench/service/revision.ts'
import { withSettings } from '../../scripts/bench/service/start-service.ts'
import type { Run } from '../../scripts/bench/workerd/rounds.ts'

const run = (cpuMicroseconds: number | null, firstByteMs: number): Run => ({
  requestsPerSecond: 1,
  cpuMicroseconds,
  timings: [{ firstByteMs, longestGapMs: 0, elapsedMs: firstByteMs }],
})

const runs = (now: Run[], before: Run[]): CaseRuns[] => [
  {
    chatCase: { name: 'a case', connections: 1, behaviour: 'ok', promptBytes: 1, events: null },
    runs: new Map([
      ['gateway' as const, now],
      ['gateway before' as const, before],
    ]),
  },
]

const rowOf = (text: string, figure: string): string[] =>
  (text.split('\n').find((line) => line.includes(figure)) ?? '').split(/ {2,}/)

describe('the ratio of a case', () => {
  it('is taken within each round, so that a round in which all is slow tells nothing', () => {
    const measured = runs([run(100, 1), run(900, 9), run(110, 1)], [run(100, 1), run(1000, 9), run(100, 1)])
    const { text, holds } = reportAgainst(measured, 'gateway before', 1.05)
    expect(rowOf(text, 'CPU')).toEqual(['a case: CPU µs', '110', '100', '1.00', '0.90', '1.10', 'holds'])
    expect(holds).toBe(true)
  })

  it.each([
    ['CPU', run(120, 1), run(100, 1)],
    ['first byte', run(100, 1.2), run(100, 1)],
  ])('of %s over the tolerance is a miss, and one at it is none', (figure, now, before) => {
    const missed = reportAgainst(runs([now], [before]), 'gateway before', 1.1)
    expect([rowOf(missed.text, figure).at(-1), missed.holds]).toEqual(['MISSED', false])
    expect(reportAgainst(runs([now], [before]), 'gateway before', 1.2).holds).toBe(true)
  })

  it('is told to be unknown where the system does not tell CPU time', () => {
    const { text, holds } = reportAgainst(runs([run(null, 1)], [run(null, 1)]), 'gateway before', 1.1)
    expect(rowOf(text, 'CPU')).toEqual(['a case: CPU µs', 'not measurable'])
    expect([rowOf(text, 'first byte').at(-1), holds]).toEqual(['holds', true])
  })
})

describe('another revision', () => {
  it.each(['no-such-branch', '--all', ''])('named %j is not there', async (name) => {
    expect(await findCommit(name)).toBeNull()
  })

  it('is bound, migrated and built as its own wrangler.toml says, with the secrets and addresses of the run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-project-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'tables'))
    await writeFile(join(folder, 'tables/0002_b.sql'), 'SELECT 2;')
    await writeFile(join(folder, 'tables/0001_a.sql'), 'SELECT 1;')
    await writeFile(join(folder, 'wrangler.toml'), OTHER)
    const { compatibility, bindings, schema } = await readProject(folder)
    expect({ compatibility, schema }).toEqual({
      compatibility: { date: '2026-01-02', flags: ['nodejs_compat'] },
      schema: 'SELECT 1;\nSELECT 2;',
    })
    const pepper = 'a1'.repeat(32)
    expect(withSettings(bindings, { token: 'a token', pepper }, { OPENAI_BASE_URL: 'http://here' })).toEqual([
      { kind: 'json', name: 'SAMPLES', value: 5 },
      { kind: 'd1', name: 'TABLES' },
      { kind: 'durable_object', name: 'COUNTERS', className: 'Counter' },
      { kind: 'text', name: 'OPENAI_BASE_URL', value: 'http://here' },
      { kind: 'text', name: 'KEY_PEPPERS', value: `1:${pepper}` },
      { kind: 'text', name: 'OPERATOR_TOKEN', value: 'a token' },
    ])
  })
})

const OTHER = `
name = "other"
main = "src/worker.ts"
compatibility_date = "2026-01-02"
compatibility_flags = ["nodejs_compat"]
[vars]
OPENAI_BASE_URL = "http://elsewhere"
SAMPLES = 5
[[d1_databases]]
binding = "TABLES"
database_name = "other"
database_id = "00000000-0000-0000-0000-000000000001"
migrations_dir = "tables"
[[durable_objects.bindings]]
name = "COUNTERS"
class_name = "Counter"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["Counter"]
`
