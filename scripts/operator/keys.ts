// npm run keys: issues, lists, shows and revokes API keys.
import { SandboxKeySchema } from '../../src/referral/sandbox-key.schema.ts'
import { CreatedKeySchema, KeySchema, PepperSchema, RevokedKeySchema } from '../../src/keys/key.schema.ts'
import { listSchema } from '../../src/platform/pagination.schema.ts'
import { wholeNumber } from '../command-line.ts'
import { callOperator } from './operator-client.ts'
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

const HELP = `Usage: npm run keys -- VERB [options]

Creates, lists, shows, revokes and shares API keys. Counts what a pepper seals besides them.

  create --prefix PREFIX --name NAME [options]
                       prints the full key, once
  list [--cursor ID]   newest first, 50 per page
  show KEY_ID
  revoke KEY_ID        also revokes the keys that this key created
  peppers              counts the authenticator apps that each pepper seals
  share KEY            shares a sandbox key with all visitors of the front page; none: shares none

  --org ID             the organisation; not for share and peppers
  --prefix PREFIX      vk_test_ (sandbox), vk_live_ (live), aqta_ or sk-aqta- (gateway)
  --expires-at TIME    in UTC, such as 2027-01-31T00:00:00Z (default never)
  --scopes LIST        with commas (default chat; for vk_, referral:read,waiting-lists:read)
  --per-minute N       requests per minute
  --per-day N          requests per day
  --data-region REGION eu, eea_ch or any (default: the organisation’s policy decides)

${TARGET_HELP}

Examples:
  npm run keys -- create --org org_… --prefix aqta_ --name laptop
  npm run keys -- list --org org_…

${OPERATOR_EXIT_CODES}`

const keysOf = ({ flags }: CommandCall): string =>
  `/organisations/${encodeURIComponent(requireOption(flags, 'org'))}/keys`

const keyOf = (call: CommandCall): string => `${keysOf(call)}/${requireId(call.id, 'the key’s id, key_…')}`

export const keys: Command = {
  help: HELP,
  options: ['org', 'cursor', 'prefix', 'name', 'expires-at', 'scopes', 'per-minute', 'per-day', 'data-region'],
  verbs: {
    create: callRoute('POST', keysOf, CreatedKeySchema(), newKey),
    list: callRoute('GET', (call) => keysOf(call) + pageQuery(call.flags), listSchema(KeySchema())),
    show: callRoute('GET', keyOf, KeySchema()),
    revoke: callRoute('DELETE', keyOf, RevokedKeySchema()),
    peppers: callRoute('GET', () => '/peppers', listSchema(PepperSchema())),
    share: ({ target, id }) => {
      const key = requireId(id, 'the whole key, vk_test_…, or none')
      return callOperator(target, SandboxKeySchema(), 'PUT', '/sandbox-key', { key: key === 'none' ? null : key })
    },
  },
}

function newKey(flags: Flags): object {
  const number = (name: string): number | undefined => {
    const text = flags[name]
    return text === undefined ? undefined : wholeNumber(name, text, 0)
  }
  return {
    prefix: requireOption(flags, 'prefix'),
    name: requireOption(flags, 'name'),
    expires_at: flags['expires-at'],
    scopes: flags['scopes']?.split(','),
    requests_per_minute: number('per-minute'),
    requests_per_day: number('per-day'),
    data_region: flags['data-region'],
  }
}
