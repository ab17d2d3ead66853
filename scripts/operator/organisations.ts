// npm run orgs: creates, lists, shows and changes organisations, and invites people to them.
import { ROLES } from '../../src/accounts/access/roles.policy.ts'
import { CreatedInvitationSchema } from '../../src/accounts/members/members.schema.ts'
import { OrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import { listOf } from '../../src/platform/pagination.schema.ts'
import { EUROPEAN_REGIONS, REGIONS } from '../../src/platform/config.ts'
import { TIERS } from '../../src/policies/tier.policy.ts'
import { catalogueModels } from '../../src/providers/catalogue.ts'
import { PROVIDER_IDS } from '../../src/providers/registry.ts'
import { UsageError, wholeNumber } from '../command-line.ts'
import { idFor, need, pageQuery, route, TARGET_HELP, type Command, type CommandCall, type Flags } from './command.ts'

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

type Reading = (text: string, name: string) => unknown

const count: Reading = (text, name) => wholeNumber(name, text, 0)

const asGiven: Reading = (text) => text

/** Options that are settings: each one's name in the request, and how its text is read. */
const SETTINGS: Readonly<Record<string, readonly [member: string, read: Reading]>> = {
  tier: ['tier', asGiven],
  providers: ['enabled_providers', listProviders],
  rate: ['requests_per_minute', numberOrNone],
  quota: ['requests_per_month', numberOrNone],
  budget: ['monthly_budget_eur', numberOrNone],
  'max-tokens': ['default_max_tokens', count],
  'cache-instructions': ['cache_instructions', yesOrNo],
  'idempotent-replays': ['idempotent_replays', yesOrNo],
  unsupported: ['unsupported', asGiven],
  retention: ['retention_days', numberOrNone],
  'content-logging': ['content_logging', contentLogging],
  'loop-repeats': ['loop_repeats', count],
  'loop-window': ['loop_window_seconds', count],
  'loop-rounds': ['loop_cycle_rounds', count],
  'loop-cycle-window': ['loop_cycle_window_seconds', count],
}

/** Options that only `create` takes. */
const CHOSEN_ONCE: typeof SETTINGS = {
  jurisdiction: ['jurisdiction', asGiven],
  region: ['region', asGiven],
  demo: ['demo', yesOrNo],
}

const WHICH = 'which organisation: its id, org_…'

const organisationOf = ({ id }: CommandCall): string => `/organisations/${idFor(id, WHICH)}`

export const organisations: Command = {
  help: HELP,
  options: ['name', ...Object.keys(SETTINGS), ...Object.keys(CHOSEN_ONCE), 'cursor', 'org', 'email', 'role'],
  verbs: {
    create: route(
      'POST',
      () => '/organisations',
      OrganisationSchema,
      (flags) => ({ name: need(flags, 'name'), ...read(flags, { ...CHOSEN_ONCE, ...SETTINGS }) }),
    ),
    list: route('GET', ({ flags }) => `/organisations${pageQuery(flags)}`, listOf(OrganisationSchema)),
    show: route('GET', organisationOf, OrganisationSchema),
    invite: route(
      'POST',
      ({ flags }) => `/organisations/${idFor(flags['org'], WHICH)}/invitations`,
      CreatedInvitationSchema,
      (flags) => ({ email: need(flags, 'email'), role: need(flags, 'role') }),
    ),
    set: route('PATCH', organisationOf, OrganisationSchema, (flags) =>
      read(flags, { name: ['name', asGiven], ...SETTINGS }),
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
