// npm run keys: issues, lists, shows and revokes API keys.
import { CreatedKeySchema, KeySchema, RevokedKeySchema } from '../../src/keys/key.schema.ts'
import { listSchema } from '../../src/platform/pagination.schema.ts'
import { wholeNumber } from '../command-line.ts'
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

const HELP = `npm run keys -- VERB --org ID [options]

  create --org ID --prefix PREFIX --name NAME [--expires-at TIME] [--scopes LIST] [--per-minute N] [--per-day N]
  list --org ID [--cursor ID]   newest first, 50 a page
  show --org ID KEY_ID
  revoke --org ID KEY_ID        and the keys that it made (also_revoked), from their next request on

  PREFIX is vk_test_ (sandbox), vk_live_ (live), aqta_ or sk-aqta- (gateway). The full key is printed once, by create.
  TIME is RFC 3339 in UTC, such as 2027-01-31T00:00:00Z. LIST is comma-separated, such as referral:read.
${TARGET_HELP}`

const keysOf = ({ flags }: CommandCall): string =>
  `/organisations/${encodeURIComponent(requireOption(flags, 'org'))}/keys`

const keyOf = (call: CommandCall): string => `${keysOf(call)}/${requireId(call.id, 'which key: its id, key_…')}`

export const keys: Command = {
  help: HELP,
  options: ['org', 'cursor', 'prefix', 'name', 'expires-at', 'scopes', 'per-minute', 'per-day'],
  verbs: {
    create: callRoute('POST', keysOf, CreatedKeySchema, newKey),
    list: callRoute('GET', (call) => keysOf(call) + pageQuery(call.flags), listSchema(KeySchema)),
    show: callRoute('GET', keyOf, KeySchema),
    revoke: callRoute('DELETE', keyOf, RevokedKeySchema),
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
  }
}
