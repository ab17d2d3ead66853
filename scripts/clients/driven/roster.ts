// Every client that is driven, with the versions that it is.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Api } from './feature.ts'
import { NODE_CLIENTS } from './drive-node.ts'
import { nameOf, type NodeClient } from './node/client.ts'

export type PythonProgram = {
  readonly client: string
  readonly api: Api
  /** In python/, without its ending. */
  readonly module: string
  /** As pip takes them; the first is the client. */
  readonly requirements: readonly string[]
}

export type DrivenClient = {
  /** As the table has it, such as `openai-node (chat)`. */
  readonly name: string
  /** Names and versions, such as `openai 7.55.0`. */
  readonly versions: readonly string[]
} & (
  | { readonly runtime: 'node'; readonly program: NodeClient }
  | { readonly runtime: 'python'; readonly program: PythonProgram }
)

const OPENAI = ['openai==3.52.0']
const LLAMA_INDEX = ['llama-index-llms-openai==0.8.3', 'llama-index-llms-openai-like==0.8.1', 'openai==2.54.0']
const PYDANTIC_AI = ['pydantic-ai-slim[openai]==2.68.0', 'openai==3.52.0']
const AGENTS = ['openai-agents==0.24.0', 'openai==3.52.0']
const LLM = ['llm==0.36', 'openai==3.52.0']

const PYTHON_PROGRAMS: readonly PythonProgram[] = [
  { client: 'openai-python', api: 'chat', module: 'openai_chat', requirements: OPENAI },
  { client: 'openai-python', api: 'responses', module: 'openai_responses', requirements: OPENAI },
  {
    client: 'LangChain, Python',
    api: 'its choice',
    module: 'langchain_chat',
    requirements: ['langchain-openai==1.7.3', 'openai==3.52.0'],
  },
  { client: 'LlamaIndex OpenAI', api: 'chat', module: 'llama_index_openai', requirements: LLAMA_INDEX },
  { client: 'LlamaIndex OpenAILike', api: 'chat', module: 'llama_index_openai_like', requirements: LLAMA_INDEX },
  { client: 'pydantic-ai', api: 'chat', module: 'pydantic_ai_chat', requirements: PYDANTIC_AI },
  { client: 'pydantic-ai', api: 'responses', module: 'pydantic_ai_responses', requirements: PYDANTIC_AI },
  { client: 'Agents SDK, Python', api: 'responses', module: 'agents_responses', requirements: AGENTS },
  { client: 'Agents SDK, Python', api: 'chat', module: 'agents_chat', requirements: AGENTS },
  {
    client: 'instructor',
    api: 'chat',
    module: 'instructor_chat',
    requirements: ['instructor==1.17.0', 'openai==3.3.0'],
  },
  { client: 'litellm', api: 'chat', module: 'litellm_chat', requirements: ['litellm==1.105.3'] },
  { client: 'llm', api: 'chat', module: 'llm_chat', requirements: LLM },
  { client: 'llm', api: 'responses', module: 'llm_responses', requirements: LLM },
]

const PinsSchema = z.object({ devDependencies: z.record(z.string(), z.string()) })

function npmPins(): Record<string, string> {
  const manifest = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')
  return PinsSchema.parse(JSON.parse(manifest)).devDependencies
}

export function drivenClients(): readonly DrivenClient[] {
  const pins = npmPins()
  return [
    ...NODE_CLIENTS.map((program): DrivenClient => ({
      name: nameOf(program),
      versions: program.packages.map((name) => `${name} ${pins[name] ?? ''}`),
      runtime: 'node',
      program,
    })),
    ...PYTHON_PROGRAMS.map((program): DrivenClient => ({
      name: nameOf(program),
      versions: program.requirements.map((pin) => pin.replace('==', ' ')),
      runtime: 'python',
      program,
    })),
  ]
}
