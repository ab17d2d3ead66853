// Stores what a local start is: its addresses (for npm run tour, and so that ports stay), and the shell variables and the letter
// that pasted lines use.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import * as z from 'zod'
import { EXAMPLES } from '../example-letters.ts'
import type { FilledYear } from './demo-year/fill-year.ts'
import { DOCUMENTS_TIER, type LocalOrganisations } from './local-organisations.ts'

/** The addresses of a start. Null: .dev.vars names a real server. */
export const LocalFactsSchema = z.object({
  url: z.string(),
  /** True if the start was made with --demo. */
  demo: z.boolean(),
  emulator: z.string().nullable(),
  mailbox: z.string(),
  webhookReceiver: z.string(),
  identityProvider: z.string().nullable(),
  witness: z.object({ url: z.string(), vkey: z.string(), logs: z.array(z.string()) }).nullable(),
})

export type LocalFacts = z.infer<typeof LocalFactsSchema>

export const DEFAULT_STATE = '.wrangler/state'

const factsFile = (state: string): string => join(state, 'local.json')

/** Returns the addresses of the last start with this state, or null if there was none. */
export function readLocalFacts(state: string): LocalFacts | null {
  try {
    return LocalFactsSchema.parse(JSON.parse(readFileSync(factsFile(state), 'utf8')))
  } catch {
    return null
  }
}

export const writeLocalFacts = (state: string, facts: LocalFacts): void =>
  writeFileSync(factsFile(state), `${JSON.stringify(LocalFactsSchema.parse(facts), null, 2)}\n`)

/** The files that pasted lines read. */
export const environmentFile = (state: string): string => join(state, 'env')
export const letterFile = (state: string): string => join(state, 'letter.json')
const approvedRequestFile = (state: string): string => join(state, 'approved-request.json')

/** Writes the shell variables of the documents' lines (mode 0600, because keys are among them) and the letter. */
export function writePasteFiles(state: string, facts: LocalFacts, demo: LocalOrganisations, filled: FilledYear | null) {
  writeFileSync(letterFile(state), JSON.stringify({ text: agreedLetter() }))
  const { email, password, key, managementKey } = demo.tenants[DOCUMENTS_TIER]
  const variables: Record<string, string | undefined> = {
    URL: facts.url,
    KEY: demo.sandboxKey,
    LIVE_KEY: demo.liveKey,
    GATEWAY_KEY: key,
    MANAGEMENT_KEY: managementKey,
    EMAIL: email,
    PASSWORD: password,
    LETTER: resolve(letterFile(state)),
    MAILBOX: facts.mailbox,
    RECEIVER: facts.webhookReceiver,
    EMULATOR: facts.emulator ?? undefined,
    LOG_VKEY: facts.witness?.logs[0],
    WITNESS_VKEY: facts.witness?.vkey,
    ...(filled !== null && yearVariables(state, filled)),
  }
  const lines = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${quoteForShell(value)}\n`],
  )
  writeFileSync(environmentFile(state), lines.join(''), { mode: 0o600 })
}

function yearVariables(state: string, year: FilledYear): Record<string, string | undefined> {
  const { key, chatKey, owner, days, approved } = year
  if (approved !== null) writeFileSync(approvedRequestFile(state), JSON.stringify({ request: approved.body }))
  return {
    DEMO_KEY: chatKey,
    DEMO_EMAIL: owner.email,
    DEMO_PASSWORD: owner.password,
    DEMO_MANAGEMENT_KEY: key,
    FIRST_DAY: firstDayOf(days),
    APPROVED_ID: approved?.attestationId,
    APPROVED_REQUEST: approved === null ? undefined : resolve(approvedRequestFile(state)),
  }
}

const DAY_MS = 86_400_000

/** Returns the first of the last `days` days, as 2026-01-31. */
const firstDayOf = (days: number): string => new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)

/** Returns the shortest example letter on which the readers agree. */
function agreedLetter(): string {
  const letters = EXAMPLES.list.filter(({ action, expected }) => action === null && expected.decision === 'yes')
  return letters.map(({ text }) => text).toSorted((a, b) => a.length - b.length)[0] ?? ''
}

/** Returns a path as a person types it in the project's folder, quoted if a shell needs that. */
export function pathForShell(path: string): string {
  const short = relative('.', path)
  const shown = short.startsWith(`..${sep}`) ? resolve(path) : short
  return /^[\w./-]+$/.test(shown) ? shown : quoteForShell(shown)
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
