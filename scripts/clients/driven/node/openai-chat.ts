// openai-node, chat completions: its own helpers for tools and typed answers, as its README shows them.
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
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

export const openOpenAi = ({ baseUrl, key }: { baseUrl: string; key: string }): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: baseUrl })

const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content })

const runnable = (called: string[]) => [
  zodFunction({
    name: 'get_weather',
    description: WEATHER_DESCRIPTION,
    parameters: WeatherInput,
    function: (input) => weather(called, input),
  }),
  zodFunction({
    name: 'get_time',
    description: TIME_DESCRIPTION,
    parameters: TimeInput,
    function: (input) => time(called, input),
  }),
]

/** Two turns of a conversation in which tools are called, the whole of the first sent back in the second. */
async function callTools(run: Run, stream: boolean): Promise<void> {
  const openai = openOpenAi(run)
  const called: string[] = []
  let messages: ChatCompletionMessageParam[] = []
  for (const prompt of [PROMPTS.tools, PROMPTS.again]) {
    messages.push(user(run.prompt(prompt)))
    const asked = { model: run.model, messages, tools: runnable(called) }
    const runner = stream
      ? openai.chat.completions.runTools({ ...asked, stream: true })
      : openai.chat.completions.runTools(asked)
    expectEmulated(await runner.finalContent())
    messages = [...runner.messages]
  }
  expect(inOrder(called) === EXPECTED_CALLS, `called ${called.join(', ')}`)
}

async function readStream(run: Run, most = Infinity): Promise<string> {
  const stream = await openOpenAi(run).chat.completions.create({
    model: run.model,
    messages: [user(run.prompt(PROMPTS.plain))],
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let pieces = 0
  for await (const { choices } of stream) {
    text += choices[0]?.delta.content ?? ''
    pieces += 1
    if (pieces === most) break
  }
  return text
}

export const openAiChat: NodeProgram = {
  client: 'openai-node',
  api: 'chat',
  packages: ['openai'],
  features: {
    async create(run) {
      const messages = [user(run.prompt(PROMPTS.plain))]
      const completion = await openOpenAi(run).chat.completions.create({ model: run.model, messages })
      expectEmulated(completion.choices[0]?.message.content)
      expect((completion.usage?.total_tokens ?? 0) > 0, 'no usage')
    },
    async stream(run) {
      expectEmulated(await readStream(run))
      const messages = [user(run.prompt(PROMPTS.again))]
      const helper = openOpenAi(run).chat.completions.stream({ model: run.model, messages })
      expectEmulated((await helper.finalChatCompletion()).choices[0]?.message.content)
    },
    tools: (run) => callTools(run, false),
    'streamed tools': (run) => callTools(run, true),
    async 'output by tool'(run) {
      const completion = await openOpenAi(run).chat.completions.parse({
        model: run.model,
        messages: [user(run.prompt(PROMPTS.place))],
        tools: [zodFunction({ name: 'place', parameters: Place })],
        tool_choice: { type: 'function', function: { name: 'place' } },
      })
      const call = completion.choices[0]?.message.tool_calls?.[0]
      Place.parse(call?.type === 'function' ? call.function.parsed_arguments : null)
    },
    async 'output by schema'(run) {
      const openai = openOpenAi(run)
      const format = { response_format: zodResponseFormat(Place, 'place') }
      const messages = [user(run.prompt(PROMPTS.place))]
      const first = await openai.chat.completions.parse({ model: run.model, messages, ...format })
      const message = first.choices[0]?.message
      Place.parse(message?.parsed)
      if (message === undefined) return
      const more = [...messages, message, user(run.prompt(PROMPTS.again))]
      const second = openai.chat.completions.stream({ model: run.model, messages: more, ...format })
      Place.parse((await second.finalChatCompletion()).choices[0]?.message.parsed)
    },
    async 'JSON mode'(run) {
      const completion = await openOpenAi(run).chat.completions.create({
        model: run.model,
        messages: [user(run.prompt(PROMPTS.json))],
        response_format: { type: 'json_object' },
      })
      JSON.parse(completion.choices[0]?.message.content ?? '')
    },
    async images(run) {
      const completion = await openOpenAi(run).chat.completions.create({
        model: run.model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: run.prompt(PROMPTS.image) },
              { type: 'image_url', image_url: { url: PIXEL_URL } },
            ],
          },
        ],
      })
      expectEmulated(completion.choices[0]?.message.content)
    },
    async errors(run) {
      const messages = [user(run.prompt(PROMPTS.plain))]
      const { completions } = openOpenAi(run).chat
      const stranger = openOpenAi({ ...run, key: run.badKey })
      const wrong = { model: run.model, messages, temperature: REFUSED_TEMPERATURE }
      return [
        await expectError('AuthenticationError', stranger.chat.completions.create({ model: run.model, messages })),
        await expectError('NotFoundError', completions.create({ model: UNKNOWN_MODEL, messages })),
        await expectError('BadRequestError', completions.create(wrong)),
      ]
    },
    'failing stream': async (run) => void (await expectError('APIError', readStream(run))),
    cancellation: async (run) => void (await readStream(run, 3)),
    async models(run) {
      const { models } = openOpenAi(run)
      const ids = (await models.list()).data.map(({ id }) => id)
      expect(ids.includes(run.model), 'the model is not on the list')
      expect((await models.retrieve(run.model)).id === run.model, 'another model was read')
    },
  },
}
