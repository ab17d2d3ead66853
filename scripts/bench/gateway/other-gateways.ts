// Starts gateways of others (--beside), each installed in a folder of its own, with the emulator as their provider and no other
// setting than they need.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../command-line.ts'
import { listen } from '../../local-http-server.ts'
import { killOnExit, stopProcess, type RunningWorkerd } from '../../workerd/start-workerd.ts'
import type { EmulatorProcess } from './emulator-process.ts'

type Upstream = Pick<EmulatorProcess, 'openAi' | 'key'>

type Product = {
  /** The program in the folder, and how it comes there. */
  program: string
  installation: string
  command: (program: string, port: number, config: string) => [file: string, ...args: string[]]
  config: (upstream: Upstream) => object
  /** The key of each call, and its other headers. */
  key: (upstream: Upstream) => string
  headers: (upstream: Upstream) => OutgoingHttpHeaders
}

/** LiteLLM does not start without one. */
const MASTER_KEY = `sk-${randomBytes(32).toString('hex')}`

const PORTKEY: Product = {
  program: 'node_modules/@portkey-ai/gateway/build/start-server.js',
  installation:
    '`npm install @portkey-ai/gateway@1.15.2`, with {"overrides": {"@hono/node-server": "1.3.3"}} in package.json',
  command: (program, port) => [process.execPath, program, `--port=${port}`, '--headless'],
  config: () => ({}),
  key: ({ key }) => key,
  headers: ({ openAi }) => ({ 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${openAi}/v1` }),
}

const LITELLM: Product = {
  program: 'bin/litellm',
  installation: '`python3 -m venv`, then `pip install "litellm[proxy]==1.105.3"` in it',
  command: (program, port, config) => [program, '--host', '127.0.0.1', '--port', String(port), '--config', config],
  config: ({ openAi, key }) => {
    const litellmParams = { model: 'openai/gpt-4.1-mini', api_base: `${openAi}/v1`, api_key: key }
    return {
      general_settings: { master_key: MASTER_KEY },
      model_list: [{ model_name: 'gpt-4.1-mini', litellm_params: litellmParams }],
    }
  },
  key: () => MASTER_KEY,
  headers: () => ({}),
}

const PRODUCTS = new Map([
  ['portkey', PORTKEY],
  ['litellm', LITELLM],
])

export type OtherGateway = { name: string; folder: string; product: Product }

/** Reads `NAME=FOLDER`. Throws UsageError if the name is not known or the folder does not have the program. */
export function readOtherGateway(text: string): OtherGateway {
  const [, name = '', folder = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  const product = PRODUCTS.get(name)
  if (product === undefined) {
    throw new UsageError(`--beside needs NAME=FOLDER. NAME is ${[...PRODUCTS.keys()].join(' or ')}.`)
  }
  const { program, installation } = product
  if (existsSync(join(folder, program))) return { name, folder, product }
  throw new UsageError(`--beside: ${folder} has no ${program}. Install it there: ${installation}.`)
}

const LONGEST_START_MS = 120_000
const PAUSE_MS = 200

/** No look-ups on the network; and the emulator's streams, which repeat themselves, are not cut. */
const LITELLM_ENV = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', REPEATED_STREAMING_CHUNK_LIMIT: '1000000' }

/** @param workFolder for its configuration */
export async function startOtherGateway(
  { name, folder, product }: OtherGateway,
  upstream: Upstream,
  workFolder: string,
): Promise<Pick<RunningWorkerd, 'pid' | 'port' | 'stop'>> {
  const config = join(workFolder, `${name}.yaml`)
  await mkdir(workFolder, { recursive: true })
  // JSON is YAML too.
  await writeFile(config, JSON.stringify(product.config(upstream)))
  const port = await findFreePort()
  const [file, ...args] = product.command(resolve(folder, product.program), port, config)
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production', ...LITELLM_ENV }
  const child = spawn(file, args, { cwd: workFolder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  killOnExit(child)
  const stop = () => stopProcess(child)
  const startedAt = performance.now()
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null))) {
    if (child.exitCode === null && performance.now() - startedAt < LONGEST_START_MS) await sleep(PAUSE_MS)
    else {
      await stop()
      throw new Error(`${name} did not start. Its output is above.`)
    }
  }
  return { pid: child.pid ?? 0, port, stop }
}

async function findFreePort(): Promise<number> {
  const { url, close } = await listen(createServer())
  await close()
  return Number(new URL(url).port)
}
