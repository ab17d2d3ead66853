// npm run bench -- readings: counts the requests of live readings, and measures their cost and time, with the default models and
// the emulator as both providers. One run has readers whose samples agree, the other readers of whose five samples one differs.
// Also measures what the signature of a reading's record takes.
import { join } from 'node:path'
import { systemRuntime } from '../../src/providers/http-exchange.ts'
import { readEndpointSettings } from '../../src/providers/endpoint-settings.ts'
import { createReaders } from '../../src/referral/readers/readers.ts'
import { runCommand } from '../command-line.ts'
import { startEmulator, type Emulator } from '../emulator/server.ts'
import { readLabelledLetters } from '../eval/labelled-files.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../local/emulated-providers.ts'
import { SAMPLE_SPECIALTIES } from '../sample-dataset.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { bundleWorker } from '../workerd/build-bundle.ts'
import { startWorkerd } from '../workerd/start-workerd.ts'
import { cpuOf } from './process-stats.ts'
import { median } from './statistics.ts'

const HELP = `Usage: npm run bench -- readings

Counts the requests of live readings, and measures their cost and time, with the emulator.
Then measures the CPU time that a reading's signed record takes.

Example:
  npm run bench -- readings

Exit codes: 0 done, 2 wrong command line.`

/** The emulator's delay before each answer. */
const ANSWER_MS = 150

const CASES = [
  ['samples agree', []],
  ['one of five differs', ['vary,1']],
] as const

export const benchReadings = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {},
    async run() {
      const emulator = await startEmulator({ delayMs: ANSWER_MS })
      try {
        for (const [name, behaviours] of CASES) console.log(`${name}: ${await measureReadings(emulator, behaviours)}`)
        console.log(`the signed record: ${(await measureSigning()).toFixed(0)} µs of CPU, median of ${ROUNDS} rounds`)
      } finally {
        await emulator.close()
      }
    },
  })

/** Returns means of cost and requests, and the median time. */
async function measureReadings(emulator: Emulator, behaviours: readonly string[]): Promise<string> {
  const endpoints = readEndpointSettings(emulatedProviders(emulator.url, PREFERRED_ENDPOINTS), 'local')
  const sent = { openai: 0, google: 0 }
  const fetchCounted: typeof systemRuntime.fetch = (url, init) => {
    const endpoint = url.includes('/openai/') ? 'openai' : 'google'
    sent[endpoint] += 1
    emulator.behave(endpoint, behaviours)
    return systemRuntime.fetch(url, init)
  }
  const readers = createReaders({
    readers: {
      dataRegion: 'any',
      models: ['gpt-4.1-mini', 'gemini-3.6-flash'],
      samples: 5,
      timeLimitMs: 12_000,
      graceMs: 1500,
    },
    eurPerUsd: { rate: '1', date: null },
    endpoints,
    runtime: { ...systemRuntime, fetch: fetchCounted },
  })
  if (readers === null) throw new Error('the emulator has keys')
  const letters = readLabelledLetters('data/eval')
  const times: number[] = []
  let microUsd = 0
  for (const { text } of letters) {
    emulator.reset()
    const startedAt = performance.now()
    const { costMicroeur } = await readers.prepareReading({ text, specialties: SAMPLE_SPECIALTIES }).read()
    times.push(performance.now() - startedAt)
    microUsd += costMicroeur
  }
  const mean = (total: number): string => (total / letters.length).toFixed(1)
  return (
    `${letters.length} letters, ${mean(sent.openai)} requests of Reader A and ${mean(sent.google)} of Reader B, ` +
    `$${((microUsd / letters.length) * 1e-3).toFixed(3)} a thousand readings, ${median(times).toFixed(0)} ms`
  )
}

const ROUNDS = 20
const SIGNED_A_ROUND = 500

/** Returns the CPU microseconds in workerd of making the signed bytes, their hash and the signature. */
async function measureSigning(): Promise<number> {
  const folder = await makeTemporaryFolder()
  const bundle = await bundleWorker(join(folder, 'bundle'), 'scripts/bench/signing-worker.ts')
  const workerd = await startWorkerd(folder, { bundle, bindings: [] }, null)
  const signSome = (): Promise<string> => fetch(`${workerd.url}/${SIGNED_A_ROUND}`).then((answer) => answer.text())
  try {
    await signSome()
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) times.push((await cpuOf(workerd.pid, signSome)) / SIGNED_A_ROUND)
    return median(times)
  } finally {
    await workerd.stop()
  }
}
