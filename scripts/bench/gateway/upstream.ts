// The model emulator in a process of its own, so that what it costs is not counted as anybody else's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROJECT } from '../../workerd/bundle.ts'
import { endWithUs } from '../../workerd/server.ts'

export type Upstream = {
  pid: number
  port: number
  /** The base URL of its OpenAI, and a key that it accepts. */
  openAi: string
  key: string
  /** From the next request on. */
  behave: (behaviour: string) => Promise<void>
  stop: () => Promise<void>
}

/** The emulator takes one from its queue for each request, and as many as this at a time: more than a run asks for. */
const QUEUED_AT_ONCE = 10_000
const QUEUED_TIMES = 3

export async function startUpstream(): Promise<Upstream> {
  const child = spawn(process.execPath, [join(PROJECT, 'scripts/emulator.ts'), '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endWithUs(child)
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
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
          await control(url, 'behave', { provider: 'openai', behaviours })
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** It says where it listens in its first line. */
async function listeningUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\S+$/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('The emulator ended before it listened; what it said stands above.')
}

async function control(url: string, what: 'behave' | 'reset', body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${url}/_emulator/${what}`, init)
  if (!answer.ok) throw new Error(`The emulator refuses to ${what}: ${await answer.text()}`)
}
