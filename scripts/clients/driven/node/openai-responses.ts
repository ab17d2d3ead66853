// openai-node, the Responses API, stateless: what came out is sent back as input.
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { ResponseCreateParams, ResponseInputItem } from 'openai/resources/responses/responses'
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
import { openAiChat, openOpenAi } from './openai-chat.ts'
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

const TOOLS = [
  zodResponsesFunction({ name: 'get_weather', description: WEATHER_DESCRIPTION, parameters: WeatherInput }),
  zodResponsesFunction({ name: 'get_time', description: TIME_DESCRIPTION, parameters: TimeInput }),
]
const LONGEST_LOOP = 6

const user = (content: string): ResponseInputItem => ({ role: 'user', content })

async function callTools(run: Run, stream: boolean): Promise<void> {
  const { responses } = openOpenAi(run)
  const called: string[] = []
  const prompts = [PROMPTS.again, PROMPTS.tools]
  const input: ResponseInputItem[] = [user(run.prompt(prompts.pop() ?? ''))]
  for (let turn = 0; turn < LONGEST_LOOP; turn++) {
    const asked = { model: run.model, input, tools: TOOLS, store: false }
    const response = stream ? await responses.stream(asked).finalResponse() : await responses.create(asked)
    let isCalling = false
    for (const item of response.output) {
      if (item.type === 'message' || item.type === 'reasoning') input.push(item)
      if (item.type !== 'function_call') continue
      isCalling = true
      const given: unknown = JSON.parse(item.arguments)
      const output =
        item.name === 'get_time' ? time(called, TimeInput.parse(given)) : weather(called, WeatherInput.parse(given))
      input.push(item, { type: 'function_call_output', call_id: item.call_id, output })
    }
    if (isCalling) continue
    expectEmulated(response.output_text)
    const next = prompts.pop()
    if (next === undefined) break
    input.push(user(run.prompt(next)))
  }
  expect(inOrder(called) === EXPECTED_CALLS, `called ${called.join(', ')}`)
}

async function readStream(run: Run, most = Infinity): Promise<string> {
  const asked = { model: run.model, input: run.prompt(PROMPTS.plain), stream: true } as const
  const stream = await openOpenAi(run).responses.create(asked)
  let text = ''
  let pieces = 0
  for await (const event of stream) {
    if (event.type !== 'response.output_text.delta') continue
    text += event.delta
    pieces += 1
    if (pieces === most) break
  }
  return text
}

export const openAiResponses: NodeProgram = {
  client: 'openai-node',
  api: 'responses',
  packages: ['openai'],
  features: {
    async create(run) {
      const response = await openOpenAi(run).responses.create({
        model: run.model,
        input: run.prompt(PROMPTS.plain),
        instructions: 'Be brief.',
      })
      expectEmulated(response.output_text)
      expect((response.usage?.total_tokens ?? 0) > 0, 'no usage')
    },
    async stream(run) {
      expectEmulated(await readStream(run))
      const helper = openOpenAi(run).responses.stream({ model: run.model, input: run.prompt(PROMPTS.again) })
      expectEmulated((await helper.finalResponse()).output_text)
    },
    tools: (run) => callTools(run, false),
    'streamed tools': (run) => callTools(run, true),
    async 'output by tool'(run) {
      const response = await openOpenAi(run).responses.parse({
        model: run.model,
        input: run.prompt(PROMPTS.place),
        tools: [zodResponsesFunction({ name: 'place', parameters: Place })],
        tool_choice: { type: 'function', name: 'place' },
      })
      const call = response.output.find((item) => item.type === 'function_call')
      Place.parse(call?.parsed_arguments)
    },
    async 'output by schema'(run) {
      const { responses } = openOpenAi(run)
      const asked = { model: run.model, text: { format: zodTextFormat(Place, 'place') } }
      Place.parse((await responses.parse({ ...asked, input: run.prompt(PROMPTS.place) })).output_parsed)
      const second = responses.stream({ ...asked, input: run.prompt(PROMPTS.json) })
      Place.parse((await second.finalResponse()).output_parsed)
    },
    async 'JSON mode'(run) {
      const response = await openOpenAi(run).responses.create({
        model: run.model,
        input: run.prompt(PROMPTS.json),
        text: { format: { type: 'json_object' } },
      })
      JSON.parse(response.output_text)
    },
    async images(run) {
      const content: ResponseInputItem.Message['content'] = [
        { type: 'input_text', text: run.prompt(PROMPTS.image) },
        { type: 'input_image', image_url: PIXEL_URL, detail: 'auto' },
      ]
      const response = await openOpenAi(run).responses.create({ model: run.model, input: [{ role: 'user', content }] })
      expectEmulated(response.output_text)
    },
    async errors(run) {
      const input = run.prompt(PROMPTS.plain)
      const create = (body: Partial<ResponseCreateParams>, key = run.key) =>
        openOpenAi({ ...run, key }).responses.create({ model: run.model, input, ...body, stream: false })
      return [
        await expectError('AuthenticationError', create({}, run.badKey)),
        await expectError('NotFoundError', create({ model: UNKNOWN_MODEL })),
        await expectError('BadRequestError', create({ temperature: REFUSED_TEMPERATURE })),
      ]
    },
    'failing stream': async (run) => void (await expectError('APIError', readStream(run))),
    cancellation: async (run) => void (await readStream(run, 3)),
    models: openAiChat.features.models,
  },
}
