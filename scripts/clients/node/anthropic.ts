// Test driver for Anthropic's SDK for Node: Messages, with the SDK's helpers for tools and typed answers.
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import * as z from 'zod'
import {
  CitySchema,
  PlaceSchema,
  PROMPTS,
  REFUSED_TEMPERATURE,
  type NodeClient,
  type RunContext,
} from './node-client.ts'

/** The SDK adds /v1 itself. */
const open = ({ baseUrl, key }: RunContext): Anthropic =>
  new Anthropic({ apiKey: key, baseURL: baseUrl.replace(/\/v1$/, '') })
const user = (content: string) => ({ role: 'user' as const, content })
const asked = ({ model }: RunContext, prompt: string) => ({ model, max_tokens: 1024, messages: [user(prompt)] })

type Block = { readonly type: string; readonly text?: string }
const textOf = ({ content }: { content: readonly Block[] }): string => content.map(({ text = '' }) => text).join('')

export const anthropicMessages: NodeClient = {
  client: 'anthropic-node',
  api: 'messages',
  async ask(run, prompt, isWrong = false) {
    const wrong = isWrong ? { temperature: REFUSED_TEMPERATURE } : {}
    const message = await open(run).messages.create({ ...asked(run, prompt), system: 'Be brief.', ...wrong })
    return { text: textOf(message), hasUsage: message.usage.input_tokens > 0 && message.usage.output_tokens > 0 }
  },
  async *stream(run, prompt) {
    for await (const event of await open(run).messages.create({ ...asked(run, prompt), stream: true })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text
    }
  },
  streamWhole: (run, prompt) => open(run).messages.stream(asked(run, prompt)).finalText(),
  async *converse(run, prompts, tools, isStreamed) {
    const runnable = tools.specifications.map((tool) =>
      betaZodTool({ ...tool, inputSchema: CitySchema, run: (input) => tools.call(tool.name, input) }),
    )
    let messages: Anthropic.Beta.BetaMessageParam[] = []
    for (const prompt of prompts) {
      messages.push(user(prompt))
      const request = { model: run.model, max_tokens: 1024, messages, tools: runnable }
      const runner = open(run).beta.messages.toolRunner({ ...request, stream: isStreamed })
      yield textOf(await runner.runUntilDone())
      messages = [...runner.params.messages]
    }
  },
  async byTool(run) {
    const { content } = await open(run).messages.create({
      ...asked(run, run.prompt(PROMPTS.place)),
      tools: [{ name: 'place', input_schema: { ...z.toJSONSchema(PlaceSchema), type: 'object' } }],
      tool_choice: { type: 'tool', name: 'place' },
    })
    return content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []))
  },
  async bySchema(run) {
    const { messages } = open(run)
    const format = { output_config: { format: zodOutputFormat(PlaceSchema) } }
    const first = await messages.parse({ ...asked(run, run.prompt(PROMPTS.place)), ...format })
    const more = asked(run, run.prompt(PROMPTS.place)).messages
    const history = [...more, { role: 'assistant' as const, content: first.content }, user(run.prompt(PROMPTS.again))]
    const second = await messages.stream({ ...asked(run, ''), messages: history, ...format }).finalMessage()
    return [first.parsed_output, second.parsed_output]
  },
  async askAboutImage(run, prompt, url) {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: url.slice(url.indexOf(',') + 1) }
    const content = [
      { type: 'text' as const, text: prompt },
      { type: 'image' as const, source },
    ]
    return textOf(await open(run).messages.create({ ...asked(run, prompt), messages: [{ role: 'user', content }] }))
  },
  async models(run) {
    const { models: all } = open(run)
    const ids: string[] = []
    for await (const { id } of all.list()) ids.push(id)
    return { ids, read: (await all.retrieve(run.model)).id }
  },
}
