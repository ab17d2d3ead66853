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
  --tier TIER              ${TIERS.join(', ')} (default ${TIERS[0]})
  --providers LIST         providers that may get prompts: names with commas, all or none
                           (default none); each processes prompts in:
                           ${regions.join(', ')}
  --rate N                 requests per minute (pro, enterprise), or none for the tier's limit
  --quota N                requests per month (enterprise), or none for the tier's limit
  --budget EUR             monthly budget for models, or none
  --max-tokens N           default max output tokens (default 16384)
  --cache-instructions yes|no
                           lets Anthropic cache long system messages (default no)
  --idempotent-replays yes|no
                           repeats the first answer to a repeated idempotency key (default no)
  --unsupported drop|refuse
                           for sampling parameters that a model does not take (default drop)
  --retention N            days to keep details of decisions, or none for the tier's
  --content-logging N      days to keep encrypted prompts and answers, or none (default none)
  --loop-repeats N, --loop-window SECONDS
                           N equal requests in this time are a loop (default 5 in 60)
  --loop-rounds N, --loop-cycle-window SECONDS
                           N rounds of 2 to 4 requests in this time are a loop (default 5 in 300)

${TARGET_HELP}

Examples:
  npm run orgs -- create --name "St Example" --providers openai,anthropic
  npm run orgs -- list

${OPERATOR_EXIT_CODES}`

type OptionReader = (text: string, name: string) => unknown

const count: OptionReader = (text, name) => wholeNumber(name, text, 0)

const asText: OptionReader = (text) => text

/** Maps each option that is a setting to its member of the request and the reader of its text. */
const SETTINGS: Readonly<Record<string, readonly [member: string, read: OptionReader]>> = {
  tier: ['tier', asText],
  providers: ['enabled_providers', listProviders],
  rate: ['requests_per_minute', numberOrNone],
  quota: ['requests_per_month', numberOrNone],
  budget: ['monthly_budget_eur', numberOrNone],
  'max-tokens': ['default_max_tokens', count],
  'cache-instructions': ['cache_instructions', yesOrNo],
  'idempotent-replays': ['idempotent_replays', yesOrNo],
  unsupported: ['unsupported', asText],
  retention: ['retention_days', numberOrNone],
  'content-logging': ['content_logging', contentLogging],
  'loop-repeats': ['loop_repeats', count],
  'loop-window': ['loop_window_seconds', count],
  'loop-rounds': ['loop_cycle_rounds', count],
  'loop-cycle-window': ['loop_cycle_window_seconds', count],
}

/** Options that only `create` takes. */
const CREATE_OPTIONS: typeof SETTINGS = {
  jurisdiction: ['jurisdiction', asText],
  region: ['region', asText],
  demo: ['demo', yesOrNo],
}

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
      read(flags, { name: ['name', asText], ...SETTINGS }),
    ),
  },
}

/** Returns the request's members for the given options. Throws UsageError. */
const read = (flags: Flags, settings: typeof SETTINGS): object =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, [member, readText]]) => {
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
