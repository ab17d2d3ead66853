// Test drivers for Vercel's AI SDK. One uses its provider for OpenAI, whose default is the Responses API. The other uses its
// provider for OpenAI-compatible services.
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, Output, streamText, tool, type LanguageModel, type ModelMessage } from 'ai'
import {
  CitySchema,
  PlaceSchema,
  PROMPTS,
  REFUSED_TEMPERATURE,
  type NodeClient,
  type RunContext,
} from './node-client.ts'

type OpenModel = (run: RunContext) => LanguageModel

/** `schemas: false` is this provider's default: a typed answer is then asked for as any JSON object. */
const openCompatible =
  (schemas: boolean): OpenModel =>
  ({ baseUrl, key, model }) =>
    createOpenAICompatible({
      name: 'countersign',
      baseURL: baseUrl,
      apiKey: key,
      includeUsage: true,
      supportsStructuredOutputs: schemas,
    })(model)

const openResponses: OpenModel = ({ baseUrl, key, model }) => createOpenAI({ baseURL: baseUrl, apiKey: key })(model)

const STEPS = isStepCount(4)

/** The wrong settings. The SDK sends no temperature to OpenAI's reasoning models, so a `user` that is too long is sent too. */
const WRONG_SETTINGS = { temperature: REFUSED_TEMPERATURE, providerOptions: { openai: { user: 'u'.repeat(300) } } }

/** Collects the errors that a stream reports, because the SDK does not throw them. */
function collectStreamErrors() {
  const problems: unknown[] = []
  return {
    onError: ({ error }: { error: unknown }): void => void problems.push(error),
    throwFirst: (): void => {
      const [problem] = problems
      if (problem !== undefined) throw problem instanceof Error ? problem : new Error(JSON.stringify(problem))
    },
  }
}

function aiSdk(
  named: Pick<NodeClient, 'client' | 'api' | 'packages'>,
  open: OpenModel,
  openAnyJson: OpenModel,
): NodeClient {
  return {
    ...named,
    errors: { key: 'APICallError', model: 'APICallError', setting: 'APICallError', stream: null },
    models: { cannot: 'it does not list models' },
    byTool: { cannot: 'it has no typed answer by a tool' },
    async ask(run, prompt, isWrong = false) {
      const { text, usage } = await generateText({ model: open(run), prompt, ...(isWrong ? WRONG_SETTINGS : {}) })
      return { text, hasUsage: (usage.totalTokens ?? 0) > 0 }
    },
    async *stream(run, prompt) {
      const leaving = new AbortController()
      const { onError, throwFirst } = collectStreamErrors()
      try {
        yield* streamText({ model: open(run), prompt, abortSignal: leaving.signal, onError }).textStream
        throwFirst()
      } finally {
        leaving.abort()
      }
    },
    async *converse(run, prompts, tools, isStreamed) {
      const bound = Object.fromEntries(
        tools.specifications.map(({ name, description }) => [
          name,
          tool({ description, inputSchema: CitySchema, execute: (input) => tools.call(name, input) }),
        ]),
      )
      const messages: ModelMessage[] = []
      for (const prompt of prompts) {
        messages.push({ role: 'user', content: prompt })
        const asked = { model: open(run), messages, tools: bound, stopWhen: STEPS }
        if (isStreamed) {
          const { onError, throwFirst } = collectStreamErrors()
          const result = streamText({ ...asked, onError })
          await result.consumeStream()
          throwFirst()
          yield await result.text
          messages.push(...(await result.response).messages)
        } else {
          const { text, response } = await generateText(asked)
          yield text
          messages.push(...response.messages)
        }
      }
    },
    async bySchema(run) {
      const asked = { model: open(run), output: Output.object({ schema: PlaceSchema }) }
      const { output } = await generateText({ ...asked, prompt: run.prompt(PROMPTS.place) })
      return [output, await streamText({ ...asked, prompt: run.prompt(PROMPTS.json) }).output]
    },
    async anyJson(run) {
      const asked = { model: openAnyJson(run), prompt: run.prompt(PROMPTS.json), output: Output.json() }
      return (await generateText(asked)).output
    },
    async askAboutImage(run, prompt, url) {
      const content = [
        { type: 'text' as const, text: prompt },
        { type: 'file' as const, data: url, mediaType: 'image/png' },
      ]
      return (await generateText({ model: open(run), messages: [{ role: 'user', content }] })).text
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
  openResponses,
)
