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
  /** The argument of the module's `open_client`: the API, or one of its classes. */
  readonly variant: string
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
const LLAMA_INDEX = ['llama-index-llms-openai==0.8.3', 'llama-index-llms-openai-like==0.8.1', 'openai==2.54.0']
const PYDANTIC_AI = ['pydantic-ai-slim[openai]==2.68.0', ...OPENAI]
const AGENTS = ['openai-agents==0.24.0', ...OPENAI]
const LLM = ['llm==0.36', ...OPENAI]

const python = (client: string, api: Api, module: string, requirements: readonly string[], variant: string = api) => ({
  client,
  api,
  module,
  requirements,
  variant,
})

const PYTHON_PROGRAMS: readonly PythonProgram[] = [
  python('openai-python', 'chat', 'openai_sdk', OPENAI),
  python('openai-python', 'responses', 'openai_sdk', OPENAI),
  python('LangChain, Python', 'its choice', 'langchain_sdk', ['langchain-openai==1.7.3', ...OPENAI]),
  python('LlamaIndex OpenAI', 'chat', 'llama_index_sdk', LLAMA_INDEX, 'openai'),
  python('LlamaIndex OpenAILike', 'chat', 'llama_index_sdk', LLAMA_INDEX, 'openai_like'),
  python('pydantic-ai', 'chat', 'pydantic_ai_sdk', PYDANTIC_AI),
  python('pydantic-ai', 'responses', 'pydantic_ai_sdk', PYDANTIC_AI),
  python('Agents SDK, Python', 'responses', 'agents_sdk', AGENTS),
  python('Agents SDK, Python', 'chat', 'agents_sdk', AGENTS),
  python('instructor', 'chat', 'instructor_sdk', ['instructor==1.17.0', 'openai==3.3.0']),
  python('litellm', 'chat', 'litellm_sdk', ['litellm==1.105.3']),
  python('llm', 'chat', 'llm_sdk', LLM),
  python('llm', 'responses', 'llm_sdk', LLM),
]

const PinsSchema = z.object({ devDependencies: z.record(z.string(), z.string()) })

function npmPins(): Record<string, string> {
  const manifest = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')
  return PinsSchema.parse(JSON.parse(manifest)).devDependencies
}

export function listSdks(): readonly Sdk[] {
  const pins = npmPins()
  return [
    ...NODE_CLIENTS.map((program): Sdk => ({
      name: clientName(program),
      versions: program.packages.map((name) => `${name} ${pins[name] ?? ''}`),
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
