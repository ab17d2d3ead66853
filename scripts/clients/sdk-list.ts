// The list of all tested SDKs with their pinned versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { clientName, type Api } from './sdk-features.ts'
import { NODE_CLIENTS } from './drive-node.ts'
import type { NodeClient } from './node/node-client.ts'

export type PythonProgram = {
  readonly client: string
  readonly api: Api
  /** The file's name in python/, without its ending. */
  readonly module: string
  /** Requirements in pip's form. The first one is the client. */
  readonly requirements: readonly string[]
}

export type Sdk = {
  /** The name in the table, such as `openai-node (chat)`. */
  readonly name: string
  /** Names and versions, such as `openai 7.55.0`. */
  readonly versions: readonly string[]
} & (
  | { readonly runtime: 'node'; readonly program: NodeClient }
  | { readonly runtime: 'python'; readonly program: PythonProgram }
)

const OPENAI = ['openai==3.52.0']
const ANTHROPIC = ['anthropic==2.14.0']

const PYTHON_PROGRAMS: readonly PythonProgram[] = [
  { client: 'openai-python', api: 'chat', module: 'openai_sdk', requirements: OPENAI },
  { client: 'openai-python', api: 'responses', module: 'openai_sdk', requirements: OPENAI },
  { client: 'anthropic-python', api: 'messages', module: 'anthropic_sdk', requirements: ANTHROPIC },
]

const PinsSchema = z.object({ devDependencies: z.record(z.string(), z.string()) })

/** The package of each Node client's API. */
const PACKAGES: Readonly<Record<Api, string>> = { chat: 'openai', responses: 'openai', messages: '@anthropic-ai/sdk' }

export function listSdks(): readonly Sdk[] {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const pins = PinsSchema.parse(JSON.parse(manifest)).devDependencies
  return [
    ...NODE_CLIENTS.map((program): Sdk => ({
      name: clientName(program),
      versions: [`${PACKAGES[program.api]} ${pins[PACKAGES[program.api]]}`],
      runtime: 'node',
      program,
    })),
    ...PYTHON_PROGRAMS.map((program): Sdk => ({
      name: clientName(program),
      versions: program.requirements.map((pin) => pin.replace('==', ' ')),
      runtime: 'python',
      program,
    })),
  ]
}
