// Test driver for the OpenAI Agents SDK in JavaScript, with the Responses API (its default) and with chat completions.
import { Agent, OpenAIProvider, Runner, tool, type AgentInputItem } from '@openai/agents'
import type { Api } from '../sdk-features.ts'
import {
  CitySchema,
  OPENAI_ERRORS,
  PlaceSchema,
  PROMPTS,
  REFUSED_TEMPERATURE,
  type NodeClient,
  type RunContext,
} from './node-client.ts'

const agentFor = ({ model }: RunContext, modelSettings: { temperature?: number } = {}) =>
  new Agent({ name: 'Guide', instructions: 'Be brief.', model, modelSettings })

function agents(api: Api): NodeClient {
  /** Opens the SDK with tracing off, because traces would go to OpenAI. */
  const open = ({ baseUrl, key }: RunContext) =>
    new Runner({
      modelProvider: new OpenAIProvider({ apiKey: key, baseURL: baseUrl, useResponses: api === 'responses' }),
      tracingDisabled: true,
    })
  return {
    client: 'Agents SDK, JavaScript',
    api,
    packages: ['@openai/agents'],
    errors: OPENAI_ERRORS,
    models: { cannot: 'it does not list models' },
    byTool: { cannot: 'its typed answers are by schema' },
    anyJson: { cannot: 'its typed answers are by schema' },
    async ask(run, prompt, isWrong = false) {
      const agent = agentFor(run, isWrong ? { temperature: REFUSED_TEMPERATURE } : {})
      return { text: (await open(run).run(agent, prompt)).finalOutput }
    },
    async *stream(run, prompt) {
      const controller = new AbortController()
      try {
        const result = await open(run).run(agentFor(run), prompt, { stream: true, signal: controller.signal })
        yield* result.toTextStream()
        await result.completed
      } finally {
        controller.abort()
      }
    },
    async *converse(run, prompts, tools, isStreamed) {
      const bound = tools.specifications.map(({ name, description }) =>
        tool({ name, description, parameters: CitySchema, execute: (input) => tools.call(name, input) }),
      )
      const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', model: run.model, tools: bound })
      let input: AgentInputItem[] = []
      for (const prompt of prompts) {
        input.push({ role: 'user', content: prompt })
        const runner = open(run)
        const result = isStreamed ? await runner.run(agent, input, { stream: true }) : await runner.run(agent, input)
        if ('completed' in result) await result.completed
        yield result.finalOutput
        input = result.history
      }
    },
    async bySchema(run) {
      const agent = new Agent({ name: 'Guide', model: run.model, outputType: PlaceSchema })
      return [(await open(run).run(agent, run.prompt(PROMPTS.place))).finalOutput]
    },
    async askAboutImage(run, prompt, url) {
      const content = [
        { type: 'input_text' as const, text: prompt },
        { type: 'input_image' as const, image: url },
      ]
      return (await open(run).run(agentFor(run), [{ role: 'user', content }])).finalOutput
    },
  }
}

export const agentsResponses = agents('responses')
export const agentsChat = agents('chat')
