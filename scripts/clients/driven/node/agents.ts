// The OpenAI Agents SDK in JavaScript, by the Responses API (its default) and by chat completions.
import { Agent, OpenAIProvider, Runner, tool, type AgentInputItem } from '@openai/agents'
import type { Api } from '../feature.ts'
import {
  expect,
  expectEmulated,
  expectError,
  PIXEL_URL,
  PROMPTS,
  REFUSED_TEMPERATURE,
  UNKNOWN_MODEL,
  type NodeProgram,
  type Run,
} from '../program.ts'
import {
  EXPECTED_CALLS,
  inOrder,
  Place,
  time,
  TIME_DESCRIPTION,
  TimeInput,
  weather,
  WEATHER_DESCRIPTION,
  WeatherInput,
} from './tools.ts'

/** Traces would go to OpenAI. */
const open = ({ baseUrl, key }: Run, api: Api) =>
  new Runner({
    modelProvider: new OpenAIProvider({ apiKey: key, baseURL: baseUrl, useResponses: api === 'responses' }),
    tracingDisabled: true,
  })

const agentFor = ({ model }: Run, settings: { temperature?: number } = {}) =>
  new Agent({ name: 'Guide', instructions: 'Be brief.', model, modelSettings: settings })

const user = (content: string): AgentInputItem => ({ role: 'user', content })

async function callTools(run: Run, api: Api, stream: boolean): Promise<void> {
  const called: string[] = []
  const tools = [
    tool({
      name: 'get_weather',
      description: WEATHER_DESCRIPTION,
      parameters: WeatherInput,
      execute: (input) => weather(called, input),
    }),
    tool({
      name: 'get_time',
      description: TIME_DESCRIPTION,
      parameters: TimeInput,
      execute: (input) => time(called, input),
    }),
  ]
  const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', model: run.model, tools })
  let input: AgentInputItem[] = []
  for (const prompt of [PROMPTS.tools, PROMPTS.again]) {
    input.push(user(run.prompt(prompt)))
    const runner = open(run, api)
    const result = stream ? await runner.run(agent, input, { stream: true }) : await runner.run(agent, input)
    if ('completed' in result) await result.completed
    expectEmulated(result.finalOutput)
    input = result.history
  }
  expect(inOrder(called) === EXPECTED_CALLS, `called ${called.join(', ')}`)
}

async function readStream(run: Run, api: Api, most = Infinity): Promise<string> {
  const leaving = new AbortController()
  const asked = { stream: true, signal: leaving.signal } as const
  const result = await open(run, api).run(agentFor(run), run.prompt(PROMPTS.plain), asked)
  let text = ''
  let pieces = 0
  for await (const piece of result.toTextStream()) {
    text += piece
    pieces += 1
    if (pieces === most) {
      leaving.abort()
      return text
    }
  }
  await result.completed
  return text
}

function agents(api: Api): NodeProgram {
  return {
    client: 'Agents SDK, JavaScript',
    api,
    packages: ['@openai/agents'],
    features: {
      async create(run) {
        const result = await open(run, api).run(agentFor(run), run.prompt(PROMPTS.plain))
        expectEmulated(result.finalOutput)
      },
      stream: async (run) => expectEmulated(await readStream(run, api)),
      tools: (run) => callTools(run, api, false),
      'streamed tools': (run) => callTools(run, api, true),
      'output by tool': { cannot: 'its typed answers are by schema' },
      async 'output by schema'(run) {
        const agent = new Agent({ name: 'Guide', model: run.model, outputType: Place })
        Place.parse((await open(run, api).run(agent, run.prompt(PROMPTS.place))).finalOutput)
      },
      'JSON mode': { cannot: 'its typed answers are by schema' },
      async images(run) {
        const input: AgentInputItem[] = [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: run.prompt(PROMPTS.image) },
              { type: 'input_image', image: PIXEL_URL },
            ],
          },
        ]
        expectEmulated((await open(run, api).run(agentFor(run), input)).finalOutput)
      },
      async errors(run) {
        const prompt = run.prompt(PROMPTS.plain)
        const unknown = { ...run, model: UNKNOWN_MODEL }
        const wrong = agentFor(run, { temperature: REFUSED_TEMPERATURE })
        return [
          await expectError('AuthenticationError', open({ ...run, key: run.badKey }, api).run(agentFor(run), prompt)),
          await expectError('NotFoundError', open(run, api).run(agentFor(unknown), prompt)),
          await expectError('BadRequestError', open(run, api).run(wrong, prompt)),
        ]
      },
      'failing stream': async (run) => void (await expectError('APIError', readStream(run, api))),
      cancellation: async (run) => void (await readStream(run, api, 3)),
      models: { cannot: 'it does not list models' },
    },
  }
}

export const agentsResponses = agents('responses')
export const agentsChat = agents('chat')
