// The form of data/models.json: models with their life cycle, prices over time, limits, abilities, and the routes to each. A host,
// a path or a key has no place in it.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { dataRegionOf, EEA_CH_COUNTRIES } from '../platform/data-region.ts'

const MICROUSD_PER_USD = 1_000_000

function usdToMicrousd(usd: string): number {
  const [whole = '0', fraction = ''] = usd.split('.')
  return Number(whole) * MICROUSD_PER_USD + Number(fraction.padEnd(6, '0'))
}

/** Reads dollars as decimal text; returns micro-dollars as an exact integer. */
const UsdSchema = once(() =>
  z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/)
    .transform(usdToMicrousd),
)

const TokenPricesSchema = once(() =>
  z
    .strictObject({
      input: UsdSchema(),
      cachedInput: UsdSchema(),
      cacheWrite: UsdSchema(),
      cacheWriteHour: UsdSchema().describe('what is to be kept for an hour and not for minutes'),
      output: UsdSchema(),
    })
    .describe('micro-dollars per million tokens'),
)

const TokensSchema = once(() => z.int().positive())

/** Reads a date; returns the milliseconds of its first moment in UTC. */
const DayStartSchema = once(() => z.iso.date().transform((day) => Date.parse(day)))

const SOURCE = once(() => ({ source: z.string().min(1), readOn: z.iso.date() }))

const PricesSchema = once(() =>
  z.strictObject({
    from: DayStartSchema().nullable().describe('null: as long as there has been the model'),
    until: DayStartSchema().nullable().describe('the day on which the next prices begin; null: no end is known'),
    usdPerMillion: TokenPricesSchema(),
    /** Above this many input tokens the whole request is billed at these prices. */
    longContext: z.strictObject({ aboveInputTokens: TokensSchema(), usdPerMillion: TokenPricesSchema() }).nullable(),
    ...SOURCE(),
    verified: z.boolean().describe('whether the source is the provider’s own page and has all of these prices'),
  }),
)

export type Prices = Infer<typeof PricesSchema>
export type TokenPrices = Infer<typeof TokenPricesSchema>
export type PricesOverTime = readonly [Prices, ...Prices[]]

/** Returns true if the prices cover all time in order, without gap or overlap. */
const coverAllTime = (prices: readonly Prices[]): boolean =>
  prices[0]?.from === null &&
  prices.at(-1)?.until === null &&
  prices.every(({ from, until }, at) => {
    if (from !== null && until !== null && until <= from) return false
    return at === 0 || (from !== null && from === prices[at - 1]?.until)
  })

const MediaTypesSchema = once(() =>
  z.array(z.string().regex(/^[a-z]+\/([a-z0-9.+-]+|\*)$/)).describe('`text/*` is any text'),
)

const CapabilitiesSchema = once(() =>
  z.strictObject({
    tools: z.boolean(),
    toolsWithReasoning: z
      .boolean()
      .describe('whether tools are taken while it reasons; else it does not reason beside them'),
    parallelToolCalls: z
      .boolean()
      .describe('whether its provider can be told to call one tool at a time; elsewhere the first call is the answer'),
    strictTools: z.boolean(),
    customTools: z.boolean().describe('whether tools are taken that are called with free text'),
    imageSources: z.array(z.enum(['data', 'https'])),
    imageTypes: MediaTypesSchema().describe('of pictures sent as data'),
    imageDetail: z.boolean(),
    fileSources: z.array(z.enum(['data', 'https'])).describe('whether documents are taken, and how'),
    fileTypes: MediaTypesSchema().describe('of documents sent as data'),
    toolResultMedia: z.boolean().describe('whether a tool may answer with pictures and files'),
    cacheMarks: z.boolean().describe('whether the caller marks what the provider is to keep of a prompt'),
    webSearch: z.boolean().describe('whether web_search_options mean something to it'),
    responseFormats: z.array(z.enum(['json_object', 'json_schema'])),
    /** Null: the model takes only the default 1. Not honoured: the provider accepts a value and ignores it. */
    temperature: z.strictObject({ max: z.number().positive(), honoured: z.boolean() }).nullable(),
    topP: z.boolean(),
    samplingWithReasoning: z
      .boolean()
      .describe(
        'whether it can be told how to sample, and tells probabilities, while it reasons; else only where it does not',
      ),
    temperatureWithTopP: z.boolean(),
    seed: z.boolean(),
    maxChoices: z.int().min(1),
    maxStopSequences: z.int().min(0),
    messageNames: z.boolean().describe('whether there is a member for names; elsewhere they stand before the text'),
    prefill: z.boolean().describe('whether the conversation may end with the assistant'),
    prefillWithSchema: z.boolean().describe('whether it may do so beside a schema of the answer'),
    looseTurns: z
      .boolean()
      .describe('whether instructions may stand alone, a user say nothing, and the arguments of a call be any text'),
    systemTurns: z
      .boolean()
      .describe('whether instructions are taken within the conversation; elsewhere they stand there as the user’s'),
    reasoningEfforts: z.array(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
    reasoningByDefault: z.boolean(),
    extraParameters: z.array(z.string()).describe('standard parameters forwarded as they are'),
  }),
)

export const LIFECYCLE_STATUSES = ['active', 'legacy', 'deprecated'] as const

const LifecycleSchema = once(() =>
  z
    .strictObject({
      status: z.enum(LIFECYCLE_STATUSES).describe('legacy: its provider has a newer one and no end is set'),
      deprecatedOn: z.iso.date().nullable().describe('the day on which its provider announced the end'),
      retiresOn: z.iso.date().nullable().describe('the day on which its provider ends it'),
      replacement: z
        .string()
        .min(1)
        .nullable()
        .describe('what its provider names in its place; the catalogue may not have it'),
      ...SOURCE(),
    })
    .refine(
      ({ status, deprecatedOn, retiresOn }) =>
        (status === 'deprecated') === (retiresOn !== null) && (retiresOn === null) === (deprecatedOn === null),
      'deprecated goes with an end and the day of its announcement',
    ),
)

/** The countries that a route may name. A country outside Europe is added here when a provider names it. */
const COUNTRIES = [...EEA_CH_COUNTRIES, 'GB', 'US']

const RouteSchema = once(() =>
  z
    .strictObject({
      endpoint: z.string().min(1).describe('one of the registry'),
      wireModel: z.string().min(1).describe('the name that the endpoint knows the model by'),
      // A preset alone may resolve to another vendor's model, so the model is always sent with it.
      preset: z.enum(['fast', 'low', 'medium', 'high', 'xhigh']).optional().describe('of Perplexity’s Agent API'),
      schemaAs: z
        .literal('forced_tool')
        .optional()
        .describe(
          'how a JSON schema is sent where the endpoint does not take one: as the only tool, which must be called',
        ),
      capabilities: CapabilitiesSchema().partial().optional().describe('what differs from the model’s own'),
      places: z
        .array(z.enum(COUNTRIES))
        .min(1)
        .refine((places) => new Set(places).size === places.length, 'countries must differ')
        .nullable()
        .describe('the countries in which the provider may process the text; null: it does not say'),
      surchargePercent: z.int().min(1).max(100).optional().describe('added to the model’s prices'),
      promise: z
        .strictObject({
          text: z.string().min(1).describe('the provider’s own words'),
          excludes: z.string().min(1).nullable().describe('what the provider leaves out of its promise'),
          outside: z.array(z.enum(['schema'])).describe('the parts of a request among these'),
          ...SOURCE(),
          verified: z
            .boolean()
            .describe('whether the source is the provider’s own page or a recorded exchange, and covers this model'),
        })
        .nullable(),
    })
    .refine(
      ({ places, promise }) => dataRegionOf(places) === 'any' || promise !== null,
      'a route inside Europe needs the provider’s promise',
    ),
)

export type RouteEntry = Infer<typeof RouteSchema>
export type RegionPromise = NonNullable<RouteEntry['promise']>

const ModelSchema = once(() =>
  z.strictObject({
    id: z.string().min(1),
    ownedBy: z.string().min(1),
    gateway: z.boolean().describe('offered by the gateway; the readers may use others'),
    costEffective: z.boolean(),
    lifecycle: LifecycleSchema(),
    routes: z
      .tuple([RouteSchema()], RouteSchema())
      .refine(
        (routes) => new Set(routes.map(({ endpoint }) => endpoint)).size === routes.length,
        'endpoints must differ',
      )
      .describe('the preferred one first'),
    prices: z
      .tuple([PricesSchema()], PricesSchema())
      .refine(coverAllTime, 'prices must follow one another without gap or overlap'),
    limits: z.strictObject({
      contextTokens: TokensSchema(),
      maxOutputTokens: TokensSchema(),
      imageTokens: TokensSchema().describe('the most that one picture is counted as'),
      cacheableTokens: TokensSchema()
        .nullable()
        .describe('the least that is kept of a prompt which is marked to be kept'),
      silenceSeconds: z.int().positive().describe('how long it may send nothing, thinking included'),
    }),
    search: z
      .strictObject({
        steps: z.int().positive().describe('how often the model may look something up and go on; sent as the limit'),
        inputTokens: TokensSchema().describe('the most that all it finds, and instructions of its own, are counted as'),
        feesUsd: UsdSchema().describe('the most that looking up costs beside tokens'),
      })
      .nullable()
      .describe('what a model looks up by itself'),
    capabilities: CapabilitiesSchema(),
  }),
)

const GoneModelSchema = once(() =>
  z.strictObject({
    id: z.string().min(1),
    replacement: z.string().min(1).describe('the model that callers should use, one of those offered'),
    since: z.iso.date().describe('the day from which the provider answers with the replacement, or not at all'),
    ...SOURCE(),
  }),
)

export const CatalogueSchema = once(() =>
  z
    .strictObject({ models: z.array(ModelSchema()).min(1), gone: z.array(GoneModelSchema()) })
    .refine(
      ({ models, gone }) => new Set([...models, ...gone].map(({ id }) => id)).size === models.length + gone.length,
      'model ids must differ',
    )
    .refine(
      ({ models, gone }) =>
        gone.every(({ replacement }) => models.some(({ id, gateway }) => gateway && id === replacement)),
      'a replacement must be a model that the gateway offers',
    ),
)

export type ModelEntry = Infer<typeof ModelSchema>
export type GoneModel = Infer<typeof GoneModelSchema>
export type Capabilities = Infer<typeof CapabilitiesSchema>
