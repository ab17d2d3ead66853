// Vercel's AI SDK, by its provider for OpenAI itself (whose default is the Responses API) and by the one for services that
// are compatible with it.
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, Output, streamText, tool, type LanguageModel, type ModelMessage } from 'ai'
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

type Open = (run: { baseUrl: string; key: string; model: string }) => LanguageModel

/** `schemas: false` is this provider's default: a typed answer is then asked for as any JSON object. */
const openCompatible =
  (schemas: boolean): Open =>
  ({ baseUrl, key, model }) =>
    createOpenAICompatible({
      name: 'countersign',
      baseURL: baseUrl,
      apiKey: key,
      includeUsage: true,
      supportsStructuredOutputs: schemas,
    })(model)

const openResponses: Open = ({ baseUrl, key, model }) => createOpenAI({ baseURL: baseUrl, apiKey: key })(model)

const STEPS = isStepCount(4)

/** It sends no temperature to OpenAI's models that reason. */
const TOO_LONG = { openai: { user: 'u'.repeat(300) } }

const toolsFor = (called: string[]) => ({
  get_weather: tool({
    description: WEATHER_DESCRIPTION,
    inputSchema: WeatherInput,
    execute: (input) => weather(called, input),
  }),
  get_time: tool({ description: TIME_DESCRIPTION, inputSchema: TimeInput, execute: (input) => time(called, input) }),
})

async function callTools(open: Open, run: Run, stream: boolean): Promise<void> {
  const called: string[] = []
  const messages: ModelMessage[] = []
  for (const prompt of [PROMPTS.tools, PROMPTS.again]) {
    messages.push({ role: 'user', content: run.prompt(prompt) })
    const asked = { model: open(run), messages, tools: toolsFor(called), stopWhen: STEPS }
    const problems: unknown[] = []
    const result = stream
      ? streamText({ ...asked, onError: ({ error }) => void problems.push(error) })
      : await generateText(asked)
    if ('consumeStream' in result) await result.consumeStream()
    if (problems[0] instanceof Error) throw problems[0]
    expectEmulated(await result.text)
    messages.push(...(await result.response).messages)
  }
  expect(inOrder(called) === EXPECTED_CALLS, `called ${called.join(', ')}`)
}

/** Throws what the stream reported. */
async function readStream(open: Open, run: Run, most = Infinity): Promise<string> {
  const leaving = new AbortController()
  const problems: unknown[] = []
  const { textStream } = streamText({
    model: open(run),
    prompt: run.prompt(PROMPTS.plain),
    abortSignal: leaving.signal,
    onError: ({ error }) => void problems.push(error),
  })
  let text = ''
  let pieces = 0
  for await (const piece of textStream) {
    text += piece
    pieces += 1
    if (pieces === most) {
      leaving.abort()
      return text
    }
  }
  const [problem] = problems
  if (problem !== undefined) throw problem instanceof Error ? problem : new Error(JSON.stringify(problem))
  return text
}

async function expectProblem(reading: Promise<unknown>): Promise<void> {
  const isTold = await reading.then(
    () => false,
    () => true,
  )
  expect(isTold, 'the stream ended as if it were whole')
}

type Named = { client: string; api: Api; packages: readonly string[] }

function aiSdk(named: Named, open: Open, openAnyJson: Open | null): NodeProgram {
  return {
    ...named,
    features: {
      async create(run) {
        const { text, usage } = await generateText({ model: open(run), prompt: run.prompt(PROMPTS.plain) })
        expectEmulated(text)
        expect((usage.totalTokens ?? 0) > 0, 'no usage')
      },
      stream: async (run) => expectEmulated(await readStream(open, run)),
      tools: (run) => callTools(open, run, false),
      'streamed tools': (run) => callTools(open, run, true),
      'output by tool': { cannot: 'it has no typed answer by a tool' },
      async 'output by schema'(run) {
        const asked = { model: open(run), output: Output.object({ schema: Place }) }
        Place.parse((await generateText({ ...asked, prompt: run.prompt(PROMPTS.place) })).output)
        const streamed = streamText({ ...asked, prompt: run.prompt(PROMPTS.json) })
        Place.parse(await streamed.output)
      },
      'JSON mode': async (run) => {
        const model = (openAnyJson ?? open)(run)
        const { output } = await generateText({ model, prompt: run.prompt(PROMPTS.json), output: Output.json() })
        expect(typeof output === 'object' && output !== null, 'no JSON object')
      },
      async images(run) {
        const { text } = await generateText({
          model: open(run),
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: run.prompt(PROMPTS.image) },
                { type: 'file', data: PIXEL_URL, mediaType: 'image/png' },
              ],
            },
          ],
        })
        expectEmulated(text)
      },
      async errors(run) {
        const prompt = run.prompt(PROMPTS.plain)
        return [
          await expectError('APICallError', generateText({ model: open({ ...run, key: run.badKey }), prompt })),
          await expectError('APICallError', generateText({ model: open({ ...run, model: UNKNOWN_MODEL }), prompt })),
          await expectError(
            'APICallError',
            generateText({ model: open(run), prompt, temperature: REFUSED_TEMPERATURE, providerOptions: TOO_LONG }),
          ),
        ]
      },
      'failing stream': (run) => expectProblem(readStream(open, run)),
      cancellation: async (run) => void (await readStream(open, run, 3)),
      models: { cannot: 'it does not list models' },
    },
  }
}

export const aiSdkCompatible = aiSdk(
  { client: 'AI SDK, @ai-sdk/openai-compatible', api: 'chat', packages: ['@ai-sdk/openai-compatible', 'ai'] },
  openCompatible(true),
  openCompatible(false),
)

export const aiSdkOpenAi = aiSdk(
  { client: 'AI SDK, @ai-sdk/openai', api: 'responses', packages: ['@ai-sdk/openai', 'ai'] },
  openResponses,
  null,
)
