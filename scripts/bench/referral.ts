// What a call of the referral service costs beside the floor of its durable writes and beside a bare hello, on workerd over
// the built bundles. `npm run bench -- referral --help`; docs/performance.md says what the figures mean.
import { Agent } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { runMeasurement } from './run-measurement.ts'
import { cycle, readCalls, waitingListCalls } from './service/calls.ts'
import { issueKeys, startService } from './service/start-service.ts'
import { startFloor, startHello } from './service/yardsticks.ts'
import { send, type Call } from './workerd/load.ts'
import { reportRatios, reportTable } from './workerd/report.ts'
import { measureRounds, type Case } from './workerd/rounds.ts'
import type { Server } from './workerd/server.ts'

const HELP = `npm run bench -- referral [options]

  --rounds N          how often each case is run; the figures are medians of the rounds (5)
  --seconds S         how long each run lasts (1)
  --organisations N   how many organisations the keys are spread over (1)
  --keys N            how many sandbox keys there are; each is good for 60 calls a minute (1200)
  --help              this text`

const CONNECTIONS = [1, 16]
/** CPU of a request at most this many times the floor's. */
const TARGET = 1.5

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    organisations: { type: 'string', default: '1' },
    keys: { type: 'string', default: '1200' },
    help: { type: 'boolean', short: 'h' },
  },
})

const isRunnable = (): boolean =>
  [options.rounds, options.organisations, options.keys].every((text) => /^[1-9]\d{0,5}$/.test(text)) &&
  Number(options.seconds) > 0

async function bench(folder: string, servers: Server[]): Promise<void> {
  const organisations = Number(options.organisations)
  const keysOfEach = Math.ceil(Number(options.keys) / organisations)
  const roundOptions = {
    rounds: Number(options.rounds),
    durationMs: Number(options.seconds) * 1000,
    connections: CONNECTIONS,
  }

  process.stderr.write('Building and starting the service\n')
  const { server: service, target } = await startService(join(folder, 'service'))
  servers.push(service)
  process.stderr.write(`Issuing ${keysOfEach * organisations} keys\n`)
  const nextKey = cycle(await issueKeys(target, organisations, keysOfEach))
  const nextRead = readCalls(nextKey)
  const nextLists = waitingListCalls(nextKey, await publishedSpecialties(service, nextKey()))

  process.stderr.write('Building and starting the floor and the hello\n')
  const readAnswer = await answerOf(service, nextRead())
  const listsAnswer = await answerOf(service, nextLists())
  const floorOptions = { objects: organisations, readAnswer, listsAnswer }
  const floor = await startFloor(join(folder, 'floor'), floorOptions)
  servers.push(floor)
  const hello = await startHello(join(folder, 'hello'))
  servers.push(hello)

  const cases: Case[] = [
    { name: 'bare hello', server: hello, nextCall: () => HELLO },
    { name: 'floor of a read', server: floor, nextCall: withAnswer(nextRead, readAnswer) },
    { name: 'sandbox read', server: service, nextCall: nextRead },
    { name: 'floor of waiting lists', server: floor, nextCall: withAnswer(nextLists, listsAnswer) },
    { name: 'waiting lists', server: service, nextCall: nextLists },
  ]
  const measured = await measureRounds(cases, roundOptions)
  console.log(reportTable(measured))
  console.log(
    reportRatios(measured, {
      pairs: [
        { name: 'sandbox read', floor: 'floor of a read', hello: 'bare hello' },
        { name: 'waiting lists', floor: 'floor of waiting lists', hello: 'bare hello' },
      ],
      target: TARGET,
    }),
  )
}

const HELLO: Call = { method: 'GET', path: '/', isRight: (body) => body === '{"message":"hello"}' }

/** The same calls, sent to a Worker that answers them all alike. */
function withAnswer(nextCall: () => Call, answer: string): () => Call {
  return () => ({ ...nextCall(), isRight: (body) => body === answer })
}

const SpecialtiesSchema = z.object({
  specialties: z.array(z.object({ name: z.string(), ageGroups: z.array(z.string()) })),
})

async function publishedSpecialties(service: Server, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await answerOf(service, { method: 'GET', path: '/v1/specialties', headers, isRight: () => true })
  return SpecialtiesSchema.parse(JSON.parse(answer)).specialties
}

async function answerOf(server: Server, call: Call): Promise<string> {
  const agent = new Agent()
  try {
    return (await send(agent, server.port, call)).body
  } finally {
    agent.destroy()
  }
}

async function run(folder: string): Promise<void> {
  const servers: Server[] = []
  try {
    await bench(folder, servers)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const WRONG = 'Rounds, organisations and keys are whole numbers from 1, seconds a number above 0.'

await runMeasurement({
  help: HELP,
  isHelpWanted: options.help === true,
  refusal: isRunnable() ? null : WRONG,
  run: run,
})
