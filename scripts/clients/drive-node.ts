// Runs the Node SDKs in this process, one run after the other, through each feature that the SDK has.
import { clientName, featuresOf, type Feature, type Outcome, type RunName, type Verdict } from './sdk-features.ts'
import {
  createTools,
  ERRORS,
  PIXEL,
  PlaceSchema,
  PROMPTS,
  type NodeClient,
  type RunContext,
} from './node/node-client.ts'
import { anthropicMessages } from './node/anthropic.ts'
import { openAiChat, openAiResponses } from './node/openai.ts'
import { BAD_KEY, type SdkTestSetup } from './sdk-test-setup.ts'

export const NODE_CLIENTS: readonly NodeClient[] = [openAiChat, openAiResponses, anthropicMessages]

const UNKNOWN_MODEL = 'no-such-model'

/** Uses one feature. Throws if the client misbehaves. Returns the messages of the errors that it was expected to raise. */
type Drive = (run: RunContext, client: NodeClient) => Promise<readonly string[] | void>

const FEATURE_DRIVES: Readonly<Record<Feature, Drive>> = {
  async create(run, client) {
    const { text, hasUsage } = await client.ask(run, run.prompt(PROMPTS.plain))
    expectEmulated(text)
    expect(hasUsage, 'no usage')
  },
  async stream(run, client) {
    expectEmulated(await readStream(run, client))
    expectEmulated(await client.streamWhole(run, run.prompt(PROMPTS.again)))
  },
  tools: (run, client) => callTools(run, client, false),
  'streamed tools': (run, client) => callTools(run, client, true),
  'output by tool': async (run, client) => parsePlaces(await client.byTool(run)),
  'output by schema': async (run, client) => parsePlaces(await client.bySchema(run)),
  async 'JSON mode'(run, client) {
    const value = await client.anyJson?.(run)
    expect(typeof value === 'object' && value !== null, 'no JSON object')
  },
  async images(run, client) {
    expectEmulated(await client.askAboutImage(run, run.prompt(PROMPTS.image), `data:image/png;base64,${PIXEL}`))
  },
  async errors(run, client) {
    const prompt = run.prompt(PROMPTS.plain)
    return [
      await expectError(ERRORS.key, client.ask({ ...run, key: BAD_KEY }, prompt)),
      await expectError(ERRORS.model, client.ask({ ...run, model: UNKNOWN_MODEL }, prompt)),
      await expectError(ERRORS.setting, client.ask(run, prompt, true)),
    ]
  },
  'failing stream': async (run, client) => void (await expectError(ERRORS.stream, readStream(run, client))),
  cancellation: async (run, client) => void (await readStream(run, client, 3)),
  async models(run, client) {
    const { ids, read } = await client.models(run)
    expect(ids.includes(run.model), 'the model is not on the list')
    expect(read === run.model, 'another model was read')
  },
}

function parsePlaces(values: readonly unknown[]): void {
  expect(values.length > 0, 'no typed answer')
  for (const value of values) PlaceSchema.parse(value)
}

async function callTools(run: RunContext, client: NodeClient, isStreamed: boolean): Promise<void> {
  const tools = createTools()
  const prompts = [run.prompt(PROMPTS.tools), run.prompt(PROMPTS.again)]
  for await (const text of client.converse(run, prompts, tools, isStreamed)) expectEmulated(text)
  tools.expectAllCalled()
}

/** Returns the text of a stream. Stops reading after `most` pieces. */
async function readStream(run: RunContext, client: NodeClient, most = Infinity): Promise<string> {
  let text = ''
  let pieces = 0
  for await (const piece of client.stream(run, run.prompt(PROMPTS.plain))) {
    text += piece
    pieces += 1
    if (pieces === most) break
  }
  return text
}

/** Matches only a whole answer, so that a stream without its end fails. */
const EMULATED = /Countersign emulator, not a model\. You sent \d+ messages?, \d+ characters?\./

function expectEmulated(text: string | null | undefined): void {
  expect(EMULATED.test(text ?? ''), `the answer is not the emulator's: ${String(text)}`)
}

function expect(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise)
}

/** Returns the message of the thrown error. Its class must have this name. */
async function expectError(className: string, promise: PromiseLike<unknown>): Promise<string> {
  const thrown: unknown = await Promise.resolve(promise).then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Error)) throw new Error(`no ${className} was thrown`)
  const { name } = thrown.constructor
  expect(name === className, `${name} and not ${className}: ${thrown.message}`)
  return thrown.message
}

export type OnVerdict = (run: RunName, verdict: Verdict) => void

export async function driveNodeClient(client: NodeClient, setup: SdkTestSetup, onVerdict: OnVerdict): Promise<void> {
  const name = clientName(client)
  for (const feature of featuresOf(name)) {
    for (const { id: model } of setup.models) {
      const run = { client: name, feature, model }
      setup.begin()
      onVerdict(run, await setup.end(run, await runFeature(client, run, setup)))
    }
  }
}

const LONGEST_RUN_MS = 30_000

async function runFeature(client: NodeClient, name: RunName, { proxy, key }: SdkTestSetup): Promise<Outcome> {
  const { feature, model } = name
  const prompt = (text: string): string => `${text} (${name.client}, ${feature})`
  const driven = FEATURE_DRIVES[feature]({ baseUrl: proxy.baseUrlOf(name), key, model, prompt }, client)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the client did not end')), LONGEST_RUN_MS)
  })
  try {
    return { problem: null, told: (await Promise.race([driven, late])) ?? [] }
  } catch (thrown) {
    return { problem: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown), told: [] }
  } finally {
    clearTimeout(timer)
  }
}
