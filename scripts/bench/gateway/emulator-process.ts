// Starts the model emulator, the gateway's provider, in its own process. So the emulator's CPU and memory are not counted as the
// gateway's.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROJECT_FOLDER } from '../../workerd/build-bundle.ts'
import { killOnExit, stopProcess } from '../../workerd/start-workerd.ts'

export type EmulatorProcess = {
  pid: number
  port: number
  /** The base URL of the emulated OpenAI. `key` is a key that it accepts. */
  openAi: string
  key: string
  /** Sets the behaviour from the next request on. */
  behave: (behaviour: string) => Promise<void>
  stop: () => Promise<void>
}

/** The number of queued behaviours, which is more than a run needs. Each request takes one from the queue. */
const QUEUED_AT_ONCE = 10_000
const QUEUED_TIMES = 3

export async function startEmulatorProcess(): Promise<EmulatorProcess> {
  const child = spawn(process.execPath, [join(PROJECT_FOLDER, 'scripts/emulator.ts'), '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killOnExit(child)
  const stop = () => stopProcess(child)
  try {
    const url = await listeningUrl(child.stdout)
    return {
      pid: child.pid ?? 0,
      port: Number(new URL(url).port),
      openAi: `${url}/openai`,
      key: 'emulator-bench',
      async behave(behaviour) {
        await control(url, 'reset', {})
        if (behaviour === 'ok') return
        const behaviours = Array<string>(QUEUED_AT_ONCE).fill(behaviour)
        for (let time = 1; time <= QUEUED_TIMES; time++)
          await control(url, 'behave', { endpoint: 'openai', behaviours })
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads the URL that the emulator prints in its first line. */
async function listeningUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\S+$/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('The emulator ended before it listened. Its output is above.')
}

async function control(url: string, what: 'behave' | 'reset', body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${url}/_emulator/${what}`, init)
  if (!answer.ok) throw new Error(`The emulator refuses to ${what}: ${await answer.text()}`)
}
