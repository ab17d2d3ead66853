// Playground: keeps what is typed in this tab, and the last calls by id and outcome. Never what a call said.
import type { ShownOutcome } from '../../../evidence/records/call-endings.ts'
import { readJson } from '../../../platform/json.ts'
import { keepInTab, keptInTab } from '../../api/tab-storage.ts'
import { organisation, session } from '../session.ts'
import type { Draft } from './call-request.ts'

export type PastCall = { id: string; outcome: ShownOutcome; model: string; at: string }

const nameOf = (what: keyof Kept): string => `playground-${what} ${organisation().id} ${session().user.id}`

type Kept = { request: Draft; calls: readonly PastCall[] }

/** Only this module writes these. */
const kept = <What extends keyof Kept>(what: What): Kept[What] | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below, in this tab
  (readJson(keptInTab(nameOf(what)) ?? '') ?? null) as Kept[What] | null

export const keptRequest = (): Draft | null => kept('request')

/** Returns false if the browser does not keep it. @param draft null forgets it */
export const keepRequest = (draft: Draft | null): boolean =>
  keepInTab(nameOf('request'), draft && JSON.stringify(draft))

/** The last calls of this tab, the newest first. */
export const pastCalls = (): readonly PastCall[] => kept('calls') ?? []

const MOST_CALLS = 5

export const keepCall = (call: PastCall): boolean =>
  keepInTab(nameOf('calls'), JSON.stringify([call, ...pastCalls()].slice(0, MOST_CALLS)))
