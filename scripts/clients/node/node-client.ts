// The interface NodeClient, which the test client of each Node SDK implements. Also the tests' prompts, tools and answer schemas.
import * as z from 'zod'
import type { Api } from '../sdk-features.ts'

export type RunContext = {
  /** The base URL, which ends in /v1. Each run has its own, so that its requests can be recognised. */
  readonly baseUrl: string
  readonly key: string
  readonly model: string
  /** Makes a text different from every other run's, because the same request repeated looks like a loop. */
  readonly prompt: (text: string) => string
}

type Answer = { readonly text: string | null | undefined; readonly hasUsage: boolean }

export type NodeClient = {
  readonly client: string
  readonly api: Api
  /** Requests a whole answer. `isWrong` sends a setting that the service refuses by its name. */
  readonly ask: (run: RunContext, prompt: string, isWrong?: boolean) => Promise<Answer>
  /** Yields the pieces of a streamed answer. Ending the iteration cancels the stream. */
  readonly stream: (run: RunContext, prompt: string) => AsyncIterable<string>
  /** Requests a streamed answer by the client's own helper. */
  readonly streamWhole: (run: RunContext, prompt: string) => Promise<Answer['text']>
  /** Holds a conversation with tools. Each request sends all earlier messages back. */
  readonly converse: (
    run: RunContext,
    prompts: readonly string[],
    tools: Tools,
    isStreamed: boolean,
  ) => AsyncIterable<Answer['text']>
  /** Requests typed answers through a tool; `bySchema` does so through a schema. Each answer must parse as a Place. */
  readonly byTool: (run: RunContext) => Promise<unknown[]>
  readonly bySchema: (run: RunContext) => Promise<unknown[]>
  readonly anyJson?: (run: RunContext) => Promise<unknown>
  readonly askAboutImage: (run: RunContext, prompt: string, imageUrl: string) => Promise<Answer['text']>
  /** Reads the ids of all models, and reads one model alone. */
  readonly models: (run: RunContext) => Promise<{ ids: string[]; read: string }>
}

/** The class names of the errors for a wrong key, an unknown model, a refused setting, and a stream. */
export const ERRORS = {
  key: 'AuthenticationError',
  model: 'NotFoundError',
  setting: 'BadRequestError',
  stream: 'APIError',
}

/** A temperature outside every model's range. */
export const REFUSED_TEMPERATURE = 5

export const PROMPTS = {
  plain: 'Say good day.',
  tools: 'Use get_weather and get_time.',
  again: 'Use get_time once more.',
  place: 'Name a place.',
  json: 'Name a place, as a JSON object.',
  image: 'What is in this picture?',
}

/** An image of one red pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A typical type of a caller's structured answer: a choice, a list, a nested object and an optional member. */
export const PlaceSchema = z.object({
  name: z.string().describe('What people call it'),
  country: z.enum(['Ireland', 'Portugal']),
  population: z.number().int().nullable(),
  streets: z.array(z.object({ name: z.string(), isLong: z.boolean() })),
})

export const CitySchema = z.object({ city: z.string() })
type ToolName = 'get_weather' | 'get_time'

export type Tools = {
  readonly specifications: readonly { readonly name: ToolName; readonly description: string }[]
  readonly call: (name: string, input: z.infer<typeof CitySchema>) => string
}

/** Returns the tools, and a check that each was called as the prompts ask: both at once, then one in the next turn. */
export function createTools(): Tools & { readonly expectAllCalled: () => void } {
  const called: string[] = []
  return {
    specifications: [
      { name: 'get_weather', description: 'The weather in a city' },
      { name: 'get_time', description: 'The time in a city' },
    ],
    call(name, { city }) {
      called.push(`${name} ${city}`)
      return name === 'get_time' ? 'Noon.' : 'Rain.'
    },
    expectAllCalled() {
      const ordered = [...called.slice(0, 2).toSorted(), ...called.slice(2)].join(',')
      const isRight = ordered === 'get_time emulator,get_weather emulator,get_time emulator'
      if (!isRight) throw new Error(`called ${called.join(', ')}`)
    },
  }
}
