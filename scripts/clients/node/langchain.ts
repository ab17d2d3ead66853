// Test driver for LangChain in JavaScript: ChatOpenAI with its defaults.
import { HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'
import {
  CitySchema,
  OPENAI_ERRORS,
  PlaceSchema,
  PROMPTS,
  REFUSED_TEMPERATURE,
  type NodeClient,
  type RunContext,
} from './node-client.ts'

const openModel = ({ baseUrl, key, model }: RunContext, more: ChatOpenAIFields = {}) =>
  new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: baseUrl }, maxRetries: 0, ...more })

async function joinChunks(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let answer: AIMessageChunk | null = null
  for await (const chunk of stream) answer = answer === null ? chunk : answer.concat(chunk)
  if (answer === null) throw new Error('the stream is empty')
  return answer
}

async function askForPlace(run: RunContext, method: 'functionCalling' | 'jsonSchema'): Promise<unknown[]> {
  const model = openModel(run).withStructuredOutput(PlaceSchema, { name: 'place', method })
  return [await model.invoke(run.prompt(PROMPTS.place))]
}

export const langChain: NodeClient = {
  client: 'LangChain.js',
  api: 'its choice',
  packages: ['@langchain/openai', '@langchain/core'],
  errors: OPENAI_ERRORS,
  models: { cannot: 'it does not list models' },
  async ask(run, prompt, isWrong = false) {
    const answer = await openModel(run, isWrong ? { temperature: REFUSED_TEMPERATURE } : {}).invoke(prompt)
    return { text: answer.text, hasUsage: answer.usage_metadata !== undefined }
  },
  async *stream(run, prompt) {
    const leaving = new AbortController()
    try {
      for await (const { text } of await openModel(run).stream(prompt, { signal: leaving.signal })) yield text
    } finally {
      leaving.abort()
    }
  },
  async *converse(run, prompts, tools, isStreamed) {
    const bound = tools.specifications.map(({ name, description }) =>
      tool((input) => tools.call(name, input), { name, description, schema: CitySchema }),
    )
    const model = openModel(run).bindTools(bound)
    const messages: BaseMessage[] = []
    for (const prompt of prompts) {
      messages.push(new HumanMessage(prompt))
      for (let isCalling = true; isCalling;) {
        const answer = isStreamed ? await joinChunks(await model.stream(messages)) : await model.invoke(messages)
        const calls = answer.tool_calls ?? []
        isCalling = calls.length > 0
        messages.push(answer)
        for (const call of calls) {
          const result: unknown = await bound
            .find(({ name }) => name === call.name)
            ?.invoke({ ...call, type: 'tool_call' })
          if (result instanceof ToolMessage) messages.push(result)
        }
        if (!isCalling) yield answer.text
      }
    }
  },
  byTool: (run) => askForPlace(run, 'functionCalling'),
  bySchema: (run) => askForPlace(run, 'jsonSchema'),
  anyJson: (run) =>
    openModel(run).withStructuredOutput({ type: 'object' }, { method: 'jsonMode' }).invoke(run.prompt(PROMPTS.json)),
  async askAboutImage(run, prompt, url) {
    const content = [
      { type: 'text', text: prompt },
      { type: 'image_url', image_url: { url } },
    ]
    return (await openModel(run).invoke([new HumanMessage({ content })])).text
  },
}
