// LangChain in JavaScript: ChatOpenAI with its defaults.
import { HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'
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

const open = ({ baseUrl, key, model }: Run, more: ChatOpenAIFields = {}) =>
  new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: baseUrl }, maxRetries: 0, ...more })

const LONGEST_LOOP = 6

async function callTools(run: Run, stream: boolean): Promise<void> {
  const called: string[] = []
  const tools = [
    tool((input) => weather(called, input), {
      name: 'get_weather',
      description: WEATHER_DESCRIPTION,
      schema: WeatherInput,
    }),
    tool((input) => time(called, input), { name: 'get_time', description: TIME_DESCRIPTION, schema: TimeInput }),
  ]
  const model = open(run).bindTools(tools)
  const prompts = [PROMPTS.again, PROMPTS.tools]
  const messages: BaseMessage[] = [new HumanMessage(run.prompt(prompts.pop() ?? ''))]
  for (let turn = 0; turn < LONGEST_LOOP; turn++) {
    const answer = stream ? await whole(await model.stream(messages)) : await model.invoke(messages)
    messages.push(answer)
    for (const call of answer.tool_calls ?? []) {
      const result: unknown = await tools.find(({ name }) => name === call.name)?.invoke({ ...call, type: 'tool_call' })
      if (result instanceof ToolMessage) messages.push(result)
    }
    if ((answer.tool_calls ?? []).length > 0) continue
    expectEmulated(answer.text)
    const next = prompts.pop()
    if (next === undefined) break
    messages.push(new HumanMessage(run.prompt(next)))
  }
  expect(inOrder(called) === EXPECTED_CALLS, `called ${called.join(', ')}`)
}

async function whole(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let answer: AIMessageChunk | null = null
  for await (const chunk of stream) answer = answer === null ? chunk : answer.concat(chunk)
  if (answer === null) throw new Error('the stream is empty')
  return answer
}

async function readStream(run: Run, most = Infinity): Promise<string> {
  const leaving = new AbortController()
  let text = ''
  let pieces = 0
  for await (const chunk of await open(run).stream(run.prompt(PROMPTS.plain), { signal: leaving.signal })) {
    text += chunk.text
    pieces += 1
    if (pieces === most) {
      leaving.abort()
      break
    }
  }
  return text
}

export const langChain: NodeProgram = {
  client: 'LangChain.js',
  api: 'its choice',
  packages: ['@langchain/openai', '@langchain/core'],
  features: {
    async create(run) {
      const { text, usage_metadata: usage } = await open(run).invoke(run.prompt(PROMPTS.plain))
      expectEmulated(text)
      expect(usage !== undefined, 'no usage')
    },
    stream: async (run) => expectEmulated(await readStream(run)),
    tools: (run) => callTools(run, false),
    'streamed tools': (run) => callTools(run, true),
    async 'output by tool'(run) {
      const model = open(run).withStructuredOutput(Place, { name: 'place', method: 'functionCalling' })
      Place.parse(await model.invoke(run.prompt(PROMPTS.place)))
    },
    async 'output by schema'(run) {
      const model = open(run).withStructuredOutput(Place, { name: 'place', method: 'jsonSchema' })
      Place.parse(await model.invoke(run.prompt(PROMPTS.place)))
    },
    async 'JSON mode'(run) {
      const model = open(run).withStructuredOutput({ type: 'object' }, { method: 'jsonMode' })
      expect(typeof (await model.invoke(run.prompt(PROMPTS.json))) === 'object', 'no JSON object')
    },
    async images(run) {
      const content = [
        { type: 'text', text: run.prompt(PROMPTS.image) },
        { type: 'image_url', image_url: { url: PIXEL_URL } },
      ]
      expectEmulated((await open(run).invoke([new HumanMessage({ content })])).text)
    },
    async errors(run) {
      const prompt = run.prompt(PROMPTS.plain)
      return [
        await expectError('AuthenticationError', open({ ...run, key: run.badKey }).invoke(prompt)),
        await expectError('NotFoundError', open({ ...run, model: UNKNOWN_MODEL }).invoke(prompt)),
        await expectError('BadRequestError', open(run, { temperature: REFUSED_TEMPERATURE }).invoke(prompt)),
      ]
    },
    'failing stream': async (run) => void (await expectError('APIError', readStream(run))),
    cancellation: async (run) => void (await readStream(run, 3)),
    models: { cannot: 'it does not list models' },
  },
}
