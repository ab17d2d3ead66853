// Streams that last for minutes through the gateway on workerd over the built bundle, several at a time. Every
// stream must arrive whole, and the isolate must keep no more at the end than at the beginning.
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openHeap } from '../bench/gateway/heap.ts'
import { startGateway } from '../bench/gateway/systems.ts'
import { startUpstream } from '../bench/gateway/upstream.ts'
import { runMeasurement } from '../bench/run-measurement.ts'
import { send, type Call } from '../bench/workerd/load.ts'

const HELP = `npm run soak -- gateway [options]

  --minutes N   how long each stream lasts (10)
  --streams N   how many there are at a time (4)
  --help        this text`

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    streams: { type: 'string', default: '4' },
    help: { type: 'boolean', short: 'h' },
  },
})

const MIB = 1024 * 1024
const GAP_MS = 100
const LOOKS = 10
/** The isolate may keep this much more at the last look than at the first. */
const MOST_GROWTH_BYTES = MIB

async function soak(folder: string): Promise<void> {
  const durationMs = Number(options.minutes) * 60_000
  const events = Math.ceil(durationMs / GAP_MS)
  const upstream = await startUpstream()
  process.stderr.write('Building and starting the service\n')
  const { server, keys } = await startGateway({ folder, upstream, organisations: 1 }, { inspector: '127.0.0.1:0' })
  const agent = new Agent({ keepAlive: true })
  try {
    const heap = await openHeap(server)
    const [key = ''] = keys
    await upstream.behave(`stream,${events},${GAP_MS}`)
    const streams = Array.from({ length: Number(options.streams) }, () =>
      send(agent, server.port, longStream(key, events)),
    )
    const heaps: number[] = []
    for (let look = 1; look <= LOOKS; look++) {
      await Promise.race([sleep((durationMs / LOOKS) * 0.95), Promise.all(streams)])
      heaps.push(await heap.settled())
      process.stderr.write(`${look} of ${LOOKS}: ${((heaps.at(-1) ?? 0) / MIB).toFixed(2)} MiB\n`)
    }
    const ended = await Promise.all(streams)
    const longest = Math.max(...ended.map(({ timing }) => timing.longestGapMs))
    const growth = (heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN)
    const isKept = growth <= MOST_GROWTH_BYTES
    console.log(`${ended.length} streams of ${events} events, all whole; longest gap ${longest.toFixed(0)} ms`)
    console.log(
      `the isolate's heap grew by ${(growth / MIB).toFixed(2)} MiB from the first look to the last: ${
        isKept ? 'holds' : `MISSED, at most ${MOST_GROWTH_BYTES / MIB}`
      }`,
    )
    if (!isKept) process.exitCode = 1
    heap.close()
  } finally {
    agent.destroy()
    await server.stop()
    await upstream.stop()
  }
}

function longStream(key: string, events: number): Call {
  const messages = [{ role: 'user', content: `Question ${crypto.randomUUID()}` }]
  const body = JSON.stringify({ model: 'gpt-4.1-mini', messages, stream: true, max_completion_tokens: events + 100 })
  return {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
    isRight: (answer) =>
      answer.split('data: {').length > events && answer.includes('"aqta"') && answer.endsWith('data: [DONE]\n\n'),
    gapsUntil: '"finish_reason":"stop"',
  }
}

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: null, run: soak })
