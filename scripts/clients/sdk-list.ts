// The list of all tested SDKs with their pinned versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Api } from './sdk-features.ts'
import { NODE_CLIENTS } from './drive-node.ts'
import { clientName, type NodeClient } from './node/node-client.ts'

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

const PYTHON_PROGRAMS: readonly PythonProgram[] = [
  { client: 'openai-python', api: 'chat', module: 'openai_sdk', requirements: OPENAI },
  { client: 'openai-python', api: 'responses', module: 'openai_sdk', requirements: OPENAI },
]

const PinsSchema = z.object({ devDependencies: z.object({ openai: z.string() }) })

function openAiPin(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  return PinsSchema.parse(JSON.parse(manifest)).devDependencies.openai
}

export function listSdks(): readonly Sdk[] {
  const version = openAiPin()
  return [
    ...NODE_CLIENTS.map((program): Sdk => ({
      name: clientName(program),
      versions: [`openai ${version}`],
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
