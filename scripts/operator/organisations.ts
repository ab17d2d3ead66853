// npm run orgs: creates, lists, shows and changes organisations, and invites people to them.
import { ROLES } from '../../src/accounts/access/roles.policy.ts'
import { CreatedInvitationSchema } from '../../src/accounts/members/members.schema.ts'
import { OrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import { listSchema } from '../../src/platform/pagination.schema.ts'
import { EUROPEAN_REGIONS, REGIONS } from '../../src/platform/config.ts'
import { TIERS } from '../../src/policies/tier.policy.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'
import { UsageError, wholeNumber } from '../command-line.ts'
import {
  requireId,
  requireOption,
  pageQuery,
  callRoute,
  OPERATOR_EXIT_CODES,
  TARGET_HELP,
  type Command,
  type CommandCall,
  type Flags,
} from './command.ts'

/** Each provider with the regions in which it processes prompts. */
const regions = PROVIDER_IDS.map((provider) => {
  const places = catalogueModels()
    .filter((model) => model.gateway && model.provider === provider)
    .map(({ region }) => region)
  return `${provider} (${[...new Set(places)].join(', ')})`
})

type OptionReader = (text: string, name: string) => unknown

const count: OptionReader = (text, name) => wholeNumber(name, text, 0)

const asText: OptionReader = (text) => text

type Setting = {
  /** Its member of the request. */
  member: string
  read: OptionReader
}

/** The options that are settings, each with what it takes and its words in the help. */
const SETTINGS: Readonly<Record<string, Setting & { takes: string; help: readonly string[] }>> = {
  tier: { member: 'tier', read: asText, takes: 'TIER', help: [`${TIERS.join(', ')} (default ${TIERS[0]})`] },
  providers: {
    member: 'enabled_providers',
    read: listProviders,
    takes: 'LIST',
    help: [
      'providers that may get prompts: names with commas, all or none',
      '(default none); each processes prompts in:',
      regions.join(', '),
    ],
  },
  rate: {
    member: 'requests_per_minute',
    read: numberOrNone,
    takes: 'N',
    help: ['requests per minute (pro, enterprise), or none for the tier’s limit'],
  },
  quota: {
    member: 'requests_per_month',
    read: numberOrNone,
    takes: 'N',
    help: ['requests per month (enterprise), or none for the tier’s limit'],
  },
  budget: {
    member: 'monthly_budget_eur',
    read: numberOrNone,
    takes: 'EUR',
    help: ['monthly budget for models, or none'],
  },
  'max-tokens': {
    member: 'default_max_tokens',
    read: count,
    takes: 'N',
    help: ['default max output tokens (default 16384)'],
  },
  'cache-instructions': {
    member: 'cache_instructions',
    read: yesOrNo,
    takes: 'yes|no',
    help: ['lets Anthropic cache long system messages (default no)'],
  },
  'idempotent-replays': {
    member: 'idempotent_replays',
    read: yesOrNo,
    takes: 'yes|no',
    help: ['repeats the first answer to a repeated idempotency key (default no)'],
  },
  unsupported: {
    member: 'unsupported',
    read: asText,
    takes: 'drop|refuse',
    help: ['for parameters that a model does not take (default drop)'],
  },
  retention: {
    member: 'retention_days',
    read: numberOrNone,
    takes: 'N',
    help: ['days to keep details of decisions, or none for the tier’s'],
  },
  'content-logging': {
    member: 'content_logging',
    read: contentLogging,
    takes: 'N',
    help: ['days to keep encrypted prompts and answers, or none (default none)'],
  },
  'loop-repeats': {
    member: 'loop_repeats',
    read: count,
    takes: 'N',
    help: ['equal requests that are a loop within --loop-window (default 5)'],
  },
  'loop-window': {
    member: 'loop_window_seconds',
    read: count,
    takes: 'SECONDS',
    help: ['the time for --loop-repeats (default 60)'],
  },
  'loop-rounds': {
    member: 'loop_cycle_rounds',
    read: count,
    takes: 'N',
    help: ['rounds of 2 to 4 requests that are a loop (default 5)'],
  },
  'loop-cycle-window': {
    member: 'loop_cycle_window_seconds',
    read: count,
    takes: 'SECONDS',
    help: ['the time for --loop-rounds (default 300)'],
  },
}

const HELP_COLUMN = 27

function settingsHelp(): string {
  const lines = Object.entries(SETTINGS).map(([name, { takes, help }]) => {
    const option = `  --${name} ${takes}`
    const isShort = option.length < HELP_COLUMN - 1
    const words = help.join(`\n${' '.repeat(HELP_COLUMN)}`)
    return isShort ? option.padEnd(HELP_COLUMN) + words : `${option}\n${' '.repeat(HELP_COLUMN)}${words}`
  })
  return lines.join('\n')
}

/** Options that only `create` takes. */
const CREATE_OPTIONS: Readonly<Record<string, Setting>> = {
  jurisdiction: { member: 'jurisdiction', read: asText },
  region: { member: 'region', read: asText },
  demo: { member: 'demo', read: yesOrNo },
}

const HELP = `Usage: npm run orgs -- VERB [options]

Creates, lists, shows and changes organisations, and invites people to them.

  create --name NAME [options]
  list [--cursor ID]       newest first, 50 per page
  show ID
  set ID [--name NAME] [settings]
  invite --org ID --email ADDRESS --role ROLE
                           prints the link if the deployment sends no mail

  --role ROLE              ${ROLES.join(', ')}
  --jurisdiction PLACE     eu or global; cannot be changed later (default eu)
  --region REGION          preferred location of the data; cannot be changed later:
                           ${REGIONS.join(', ')};
                           in the jurisdiction eu ${EUROPEAN_REGIONS.join(' or ')} (default ${EUROPEAN_REGIONS[0]})
  --demo yes|no            marks every answer as invented data; cannot be changed later (default no)

Settings, for create and set:
${settingsHelp()}

${TARGET_HELP}

Examples:
  npm run orgs -- create --name "St Example" --providers openai,anthropic
  npm run orgs -- list

${OPERATOR_EXIT_CODES}`

const ID_HINT = 'the organisation’s id, org_…'

const organisationOf = ({ id }: CommandCall): string => `/organisations/${requireId(id, ID_HINT)}`

export const organisations: Command = {
  help: HELP,
  options: ['name', ...Object.keys(SETTINGS), ...Object.keys(CREATE_OPTIONS), 'cursor', 'org', 'email', 'role'],
  verbs: {
    create: callRoute(
      'POST',
      () => '/organisations',
      OrganisationSchema,
      (flags) => ({ name: requireOption(flags, 'name'), ...read(flags, { ...CREATE_OPTIONS, ...SETTINGS }) }),
    ),
    list: callRoute('GET', ({ flags }) => `/organisations${pageQuery(flags)}`, listSchema(OrganisationSchema)),
    show: callRoute('GET', organisationOf, OrganisationSchema),
    invite: callRoute(
      'POST',
      ({ flags }) => `/organisations/${requireId(flags['org'], ID_HINT)}/invitations`,
      CreatedInvitationSchema,
      (flags) => ({ email: requireOption(flags, 'email'), role: requireOption(flags, 'role') }),
    ),
    set: callRoute('PATCH', organisationOf, OrganisationSchema, (flags) =>
      read(flags, { name: { member: 'name', read: asText }, ...SETTINGS }),
    ),
  },
}

/** Returns the request's members for the given options. Throws UsageError. */
const read = (flags: Flags, settings: Readonly<Record<string, Setting>>): object =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, { member, read: readText }]) => {
      const text = flags[name]
      return text === undefined ? [] : [[member, readText(text, name)]]
    }),
  )

function listProviders(text: string): readonly string[] {
  if (text === 'all') return PROVIDER_IDS
  return text === 'none' ? [] : text.split(',').map((provider) => provider.trim())
}

function yesOrNo(text: string, name: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new UsageError(`--${name} needs yes or no.`)
  return text === 'yes'
}

function numberOrNone(text: string, name: string): number | null {
  if (text === 'none') return null
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`--${name} needs a number or none.`)
  return Number(text)
}

function contentLogging(text: string, name: string): object | null {
  const days = numberOrNone(text, name)
  return days === null ? null : { retention_days: days }
}
