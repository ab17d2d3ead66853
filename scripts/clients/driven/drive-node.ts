// Runs the Node programs, in this process, one run after the other.
import type { Outcome, RunName, Verdict } from './feature.ts'
import { FEATURES } from './feature.ts'
import { nameOf, type Drive, type NodeProgram } from './program.ts'
import { agentsChat, agentsResponses } from './node/agents.ts'
import { aiSdkCompatible, aiSdkOpenAi } from './node/ai-sdk.ts'
import { langChain } from './node/langchain.ts'
import { openAiChat } from './node/openai-chat.ts'
import { openAiResponses } from './node/openai-responses.ts'
import { BAD_KEY, type Stage } from './stage.ts'

export const NODE_PROGRAMS: readonly NodeProgram[] = [
  openAiChat,
  openAiResponses,
  aiSdkCompatible,
  aiSdkOpenAi,
  langChain,
  agentsResponses,
  agentsChat,
]

export type OnVerdict = (run: RunName, verdict: Verdict) => void

export async function driveNode(program: NodeProgram, stage: Stage, onVerdict: OnVerdict): Promise<void> {
  for (const feature of FEATURES) {
    for (const { id: model } of stage.models) {
      const run = { client: nameOf(program), feature, model }
      const drive = program.features[feature]
      if (typeof drive !== 'function') {
        onVerdict(run, { kind: 'n/a', why: drive.cannot })
        continue
      }
      stage.begin()
      const outcome = await outcomeOf(drive, run, stage)
      onVerdict(run, await stage.end(run, outcome))
    }
  }
}

const LONGEST_RUN_MS = 30_000

async function outcomeOf(drive: Drive, run: RunName, { proxy, key }: Stage): Promise<Outcome> {
  const { client, feature, model } = run
  const prompt = (text: string): string => `${text} (${client}, ${feature})`
  const driven = drive({ baseUrl: proxy.baseUrlOf(run), key, badKey: BAD_KEY, model, prompt })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the client did not end')), LONGEST_RUN_MS)
  })
  try {
    return { problem: null, told: (await Promise.race([driven, late])) ?? [] }
  } catch (thrown) {
    return { problem: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown), told: [] }
  } finally {
    clearTimeout(timer)
  }
}
