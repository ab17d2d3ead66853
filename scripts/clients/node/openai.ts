// Test drivers for openai-node: chat completions and the Responses API, with the SDK's helpers for tools and typed answers.
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import {
  CitySchema,
  PlaceSchema,
  PROMPTS,
  REFUSED_TEMPERATURE,
  type NodeClient,
  type RunContext,
} from './node-client.ts'

const open = ({ baseUrl, key }: RunContext): OpenAI => new OpenAI({ apiKey: key, baseURL: baseUrl })
const completionsOf = (run: RunContext): OpenAI['chat']['completions'] => open(run).chat.completions
const user = (content: string) => ({ role: 'user' as const, content })
const withRefusedTemperature = (isWrong: boolean) => (isWrong ? { temperature: REFUSED_TEMPERATURE } : {})

async function models(run: RunContext): Promise<{ ids: string[]; read: string }> {
  const { models: all } = open(run)
  const ids = (await all.list()).data.map(({ id }) => id)
  return { ids, read: (await all.retrieve(run.model)).id }
}

export const openAiChat: NodeClient = {
  client: 'openai-node',
  api: 'chat',
  models,
  async ask(run, prompt, isWrong = false) {
    const request = { model: run.model, messages: [user(prompt)], ...withRefusedTemperature(isWrong) }
    const { choices, usage } = await completionsOf(run).create(request)
    return { text: choices[0]?.message.content, hasUsage: (usage?.total_tokens ?? 0) > 0 }
  },
  async *stream(run, prompt) {
    const stream = await completionsOf(run).create({
      model: run.model,
      messages: [user(prompt)],
      stream: true,
      stream_options: { include_usage: true },
    })
    for await (const { choices } of stream) yield choices[0]?.delta.content ?? ''
  },
  async streamWhole(run, prompt) {
    const helper = completionsOf(run).stream({ model: run.model, messages: [user(prompt)] })
    return (await helper.finalChatCompletion()).choices[0]?.message.content
  },
  async *converse(run, prompts, tools, isStreamed) {
    const runnable = tools.specifications.map(({ name, description }) =>
      zodFunction({ name, description, parameters: CitySchema, function: (input) => tools.call(name, input) }),
    )
    let messages: ChatCompletionMessageParam[] = []
    for (const prompt of prompts) {
      messages.push(user(prompt))
      const request = { model: run.model, messages, tools: runnable }
      const completions = completionsOf(run)
      const runner = isStreamed ? completions.runTools({ ...request, stream: true }) : completions.runTools(request)
      yield await runner.finalContent()
      messages = [...runner.messages]
    }
  },
  async byTool(run) {
    const { choices } = await completionsOf(run).parse({
      model: run.model,
      messages: [user(run.prompt(PROMPTS.place))],
      tools: [zodFunction({ name: 'place', parameters: PlaceSchema })],
      tool_choice: { type: 'function', function: { name: 'place' } },
    })
    const call = choices[0]?.message.tool_calls?.[0]
    return [call?.type === 'function' ? call.function.parsed_arguments : null]
  },
  async bySchema(run) {
    const request = { model: run.model, response_format: zodResponseFormat(PlaceSchema, 'place') }
    const messages = [user(run.prompt(PROMPTS.place))]
    const message = (await completionsOf(run).parse({ ...request, messages })).choices[0]?.message
    if (message === undefined) return [null]
    const more = [...messages, message, user(run.prompt(PROMPTS.again))]
    const second = await completionsOf(run)
      .stream({ ...request, messages: more })
      .finalChatCompletion()
    return [message.parsed, second.choices[0]?.message.parsed]
  },
  async anyJson(run) {
    const { choices } = await completionsOf(run).create({
      model: run.model,
      messages: [user(run.prompt(PROMPTS.json))],
      response_format: { type: 'json_object' },
    })
    return JSON.parse(choices[0]?.message.content ?? '') as unknown
  },
  async askAboutImage(run, prompt, url) {
    const content = [
      { type: 'text' as const, text: prompt },
      { type: 'image_url' as const, image_url: { url } },
    ]
    const messages = [{ role: 'user' as const, content }]
    return (await completionsOf(run).create({ model: run.model, messages })).choices[0]?.message.content
  },
}

/** Works without stored state: each turn sends the earlier output back as input. */
export const openAiResponses: NodeClient = {
  client: 'openai-node',
  api: 'responses',
  models,
  async ask(run, input, isWrong = false) {
    const request = { model: run.model, input, instructions: 'Be brief.', ...withRefusedTemperature(isWrong) }
    const response = await open(run).responses.create(request)
    return { text: response.output_text, hasUsage: (response.usage?.total_tokens ?? 0) > 0 }
  },
  async *stream(run, input) {
    for await (const event of await open(run).responses.create({ model: run.model, input, stream: true })) {
      if (event.type === 'response.output_text.delta') yield event.delta
    }
  },
  async streamWhole(run, input) {
    return (await open(run).responses.stream({ model: run.model, input }).finalResponse()).output_text
  },
  async *converse(run, prompts, tools, isStreamed) {
    const { responses } = open(run)
    const functions = tools.specifications.map((tool) => zodResponsesFunction({ ...tool, parameters: CitySchema }))
    const input: ResponseInputItem[] = []
    for (const prompt of prompts) {
      input.push(user(prompt))
      for (let isCalling = true; isCalling;) {
        const request = { model: run.model, input, tools: functions, store: false }
        const response = isStreamed ? await responses.stream(request).finalResponse() : await responses.create(request)
        const calls = response.output.filter((item) => item.type === 'function_call')
        isCalling = calls.length > 0
        for (const item of response.output) {
          if (item.type === 'message' || item.type === 'reasoning') input.push(item)
          if (item.type !== 'function_call') continue
          const output = tools.call(item.name, CitySchema.parse(JSON.parse(item.arguments)))
          input.push(item, { type: 'function_call_output', call_id: item.call_id, output })
        }
        if (!isCalling) yield response.output_text
      }
    }
  },
  async byTool(run) {
    const response = await open(run).responses.parse({
      model: run.model,
      input: run.prompt(PROMPTS.place),
      tools: [zodResponsesFunction({ name: 'place', parameters: PlaceSchema })],
      tool_choice: { type: 'function', name: 'place' },
    })
    return response.output.flatMap((item): unknown[] => (item.type === 'function_call' ? [item.parsed_arguments] : []))
  },
  async bySchema(run) {
    const { responses } = open(run)
    const request = { model: run.model, text: { format: zodTextFormat(PlaceSchema, 'place') } }
    const first = await responses.parse({ ...request, input: run.prompt(PROMPTS.place) })
    const second = await responses.stream({ ...request, input: run.prompt(PROMPTS.json) }).finalResponse()
    return [first.output_parsed, second.output_parsed]
  },
  async anyJson(run) {
    const text = { format: { type: 'json_object' as const } }
    const response = await open(run).responses.create({ model: run.model, input: run.prompt(PROMPTS.json), text })
    return JSON.parse(response.output_text) as unknown
  },
  async askAboutImage(run, prompt, url) {
    const content: ResponseInputItem.Message['content'] = [
      { type: 'input_text', text: prompt },
      { type: 'input_image', image_url: url, detail: 'auto' },
    ]
    return (await open(run).responses.create({ model: run.model, input: [{ role: 'user', content }] })).output_text
  },
}
