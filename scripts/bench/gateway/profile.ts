// Where the gateway's time goes in one case: V8's own samples of the isolate under load, told by the file and the function
// of the source they fell in. The objects run in the same isolate, so their turns are in it.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { openInspector } from '../workerd/inspector.ts'
import { plainTable } from '../workerd/report.ts'
import { measureRun } from '../workerd/rounds.ts'
import type { ChatCase } from './cases.ts'
import type { PolicyDocument } from '../../../src/policies/document/policy-document.ts'
import { callsOf, gatewaySystem, startGateway, type StartOptions, type System } from './systems.ts'

const ProfileSchema = z.object({
  profile: z.object({
    nodes: z.array(
      z.object({
        id: z.int(),
        children: z.array(z.int()).default([]),
        callFrame: z.object({
          functionName: z.string(),
          url: z.string(),
          lineNumber: z.int(),
          columnNumber: z.int(),
        }),
      }),
    ),
    samples: z.array(z.int()),
    timeDeltas: z.array(z.number()),
  }),
})

type Profile = z.infer<typeof ProfileSchema>['profile']
type Frame = Profile['nodes'][number]['callFrame']

const NothingSchema = z.unknown()
const INTERVAL_MICROSECONDS = 200
const WARM_UP_MS = 6_000
const IDLE = '(idle)'

const DURATION_MS = 10_000

/** The report, a case after the other. `policy`: of every organisation; none where it is left out. */
export async function profileCases(
  cases: readonly ChatCase[],
  { policy, ...options }: StartOptions & { policy?: PolicyDocument | undefined },
): Promise<string> {
  const gateway = await startGateway(options, { policy, inspector: '127.0.0.1:0' })
  try {
    const sourceOf = readSourceMap(join(options.folder, 'gateway/worker'))
    const reports: string[] = []
    for (const chatCase of cases) {
      process.stderr.write(`${chatCase.name}\n`)
      await options.upstream.behave(chatCase.behaviour)
      reports.push(await profileCase(chatCase, gatewaySystem(gateway), gateway.server.inspectorPort ?? 0, sourceOf))
    }
    return reports.join('\n\n')
  } finally {
    await gateway.server.stop()
  }
}

async function profileCase(
  chatCase: ChatCase,
  system: System,
  inspectorPort: number,
  sourceOf: SourceOf,
): Promise<string> {
  const load = { nextCall: callsOf(chatCase, system), connections: chatCase.connections }
  await measureRun(system.server, { ...load, durationMs: WARM_UP_MS })
  const inspector = await openInspector(inspectorPort)
  try {
    await inspector.ask(NothingSchema, 'Profiler.enable')
    await inspector.ask(NothingSchema, 'Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS })
    await inspector.ask(NothingSchema, 'Profiler.start')
    const run = await measureRun(system.server, { ...load, durationMs: DURATION_MS })
    const { profile } = await inspector.ask(ProfileSchema, 'Profiler.stop')
    return describe(chatCase.name, profile, { calls: run.timings.length, sourceOf })
  } finally {
    inspector.close()
  }
}

const SHOWN = 30

function describe(name: string, profile: Profile, { calls, sourceOf }: { calls: number; sourceOf: SourceOf }): string {
  const selfMicroseconds = new Map<number, number>()
  for (const [at, id] of profile.samples.entries()) {
    selfMicroseconds.set(id, (selfMicroseconds.get(id) ?? 0) + (profile.timeDeltas[at] ?? 0))
  }
  const places = profile.nodes
    .filter(({ callFrame }) => callFrame.functionName !== IDLE)
    .map(({ id, callFrame }) => ({ id, source: sourceOf(callFrame), microseconds: selfMicroseconds.get(id) ?? 0 }))
  const sources = new Map(places.map(({ id, source }) => [id, source]))
  const callers = new Map(profile.nodes.flatMap(({ id, children }) => children.map((child) => [child, id] as const)))
  const stackOf = (id: number): Source[] => {
    const stack: Source[] = []
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
      const source = sources.get(at)
      if (source !== undefined) stack.push(source)
    }
    return stack
  }
  const total = places.reduce((sum, { microseconds }) => sum + microseconds, 0)
  const table = (title: string, keysOf: (place: Place) => Iterable<string>): string => {
    const sums = new Map<string, number>()
    for (const place of places) {
      for (const key of keysOf(place)) sums.set(key, (sums.get(key) ?? 0) + place.microseconds)
    }
    const rows = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN)
    const cells = rows.map(([what, sum]) => [what, ((sum / total) * 100).toFixed(1), (sum / calls).toFixed(1)])
    return plainTable([[title, '%', 'µs/request'], ...cells])
  }
  return [
    `${name}: ${calls} calls, ${(total / calls).toFixed(0)} µs each in the isolate`,
    table('self time by file', ({ source }) => [source.file]),
    table('self time by function', ({ source }) => [nameOf(source)]),
    table('time by function, with what it calls', ({ id }) => new Set(stackOf(id).map(nameOf))),
  ].join('\n\n')
}

type Source = { file: string; place: string }
/** `id`: of the node in the profile. */
type Place = { id: number; source: Source; microseconds: number }

const nameOf = ({ file, place }: Source): string => `${place} · ${file}`

type SourceOf = (frame: Frame) => Source

const SourceMapSchema = z.object({
  version: z.int(),
  file: z.string().default(''),
  sources: z.array(z.string()),
  /** null of what the bundler has put in itself. */
  sourcesContent: z.array(
    z
      .string()
      .nullable()
      .transform((text) => text ?? ''),
  ),
  names: z.array(z.string()),
  mappings: z.string(),
  sourceRoot: z.string().default(''),
})
const EntrySchema = z.object({ originalSource: z.string(), originalLine: z.int(), name: z.string().optional() })

function readSourceMap(bundleFolder: string): SourceOf {
  const map = new SourceMap(
    SourceMapSchema.parse(JSON.parse(readFileSync(join(bundleFolder, 'worker.js.map'), 'utf8'))),
  )
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const entry = EntrySchema.safeParse(url === '' ? null : map.findEntry(lineNumber, columnNumber)).data
    if (entry === undefined) return { file: '(runtime)', place: functionName || '(native)' }
    const file = entry.originalSource.replace(/^.*?(?=src\/|node_modules\/)/, '')
    return { file, place: `${entry.name ?? functionName}:${entry.originalLine + 1}` }
  }
}
