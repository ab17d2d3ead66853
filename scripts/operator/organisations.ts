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

const HELP = `npm run orgs -- VERB [options]

  create --name NAME [--jurisdiction eu|global] [--region REGION] [--demo yes] [SETTINGS]
                                                             found an organisation (tier free, jurisdiction eu)
  list [--cursor ID]                                         newest first, 50 a page
  show ID
  set ID [--name NAME] [SETTINGS]
  invite --org ID --email ADDRESS --role ROLE               such as its first owner; prints the link where this deployment
                                                             sends no mail

ROLE: ${ROLES.join(', ')}

SETTINGS
  --tier TIER       one of ${TIERS.join(', ')}
  --providers LIST  where the gateway may send prompts: a list with commas, all, or none (none until chosen), and
                    where each processes them: ${regions.join(', ')}
  --rate N          requests a minute of its own (pro, enterprise), or none for the tier’s
  --quota N         requests a month of its own (enterprise), or none for the tier’s
  --budget EUR      the most that models may cost in a month, or none
  --max-tokens N    how many tokens a model may write where a request does not say (16384)
  --cache-instructions yes|no
                    whether long system messages are marked to be kept by Anthropic where a request marks nothing (no)
  --idempotent-replays yes|no
  --unsupported drop|refuse
                    whether a call that is sent again under its idempotency key gets its first answer (no)
  --retention N     for how many days details of decisions are kept from then on, or none for the tier’s
  --content-logging N
                    for how many days prompts and answers are kept, sealed, of calls from then on; or none (none)
  --loop-repeats N, --loop-window SECONDS
                    the same request of a key so often within so long is a loop (5, 60)
  --loop-rounds N, --loop-cycle-window SECONDS
                    two to four requests in turn, so many rounds within so long, are one too (5, 300)

--demo yes: its data is to be invented, and every answer says so; chosen once and never changed.

REGION: where its object is asked to be, once, when it is founded: ${REGIONS.join(', ')}.
  In the jurisdiction eu one of ${EUROPEAN_REGIONS.join(', ')} (${EUROPEAN_REGIONS[0]} where you do not say).

${TARGET_HELP}`

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

const ID_HINT = 'which organisation: its id, org_…'

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
  if (text !== 'yes' && text !== 'no') throw new UsageError(`--${name} takes yes or no.`)
  return text === 'yes'
}

function numberOrNone(text: string, name: string): number | null {
  if (text === 'none') return null
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`--${name} takes a number, or none.`)
  return Number(text)
}

function contentLogging(text: string, name: string): object | null {
  const days = numberOrNone(text, name)
  return days === null ? null : { retention_days: days }
}
