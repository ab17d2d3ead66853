// An organisation that is overseen, in which calls are made and answered, and its checklist asked for.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Control, ComplianceReport } from '../../../../src/reports/report/report.schema.ts'
import { positionOf, type ChatKey, type FactsChange } from '../../organisation/chat-organisation.ts'
import type { ChatSettlement } from '../../../../src/organisation/admit/settle-chat.ts'
import { manage, type Asker, type Managed } from '../managed.ts'

export type Score = Pick<ComplianceReport, 'score' | 'controls' | 'cannot_show' | 'checklist' | 'law_as_of'> & {
  checked_at: string
  report_id: string | null
}

export type Overseen = Managed & {
  owner: Asker
  key: ChatKey
  /** A call that is let pass and has ended. Says at which position it was decided. */
  call: (facts?: FactsChange, settlement?: Partial<ChatSettlement>) => Promise<number>
  /** Each by its id. */
  controls: () => Promise<Map<string, Control>>
}

/** @param bindings of the service that is asked, where they are others than the runtime's */
export async function oversee(settings: object = {}, bindings: object = {}): Promise<Overseen> {
  const managed = await manage({ tier: 'healthcare', ...settings }, bindings)
  const owner = await managed.signIn('owner')
  const { organisation } = managed
  const key = await organisation.issueKey()
  return {
    ...managed,
    owner,
    key,
    async call(facts = {}, settlement = {}) {
      const position = positionOf(await organisation.admit(key, facts))
      await organisation.settle(position, 1000, settlement)
      return position
    },
    controls: async () => new Map((await readScore(owner)).controls.map((control) => [control.id, control])),
  }
}

/** Changes what the log's own triggers would keep as it is. */
export const tamper = ({ organisation }: Managed, change: string): Promise<unknown> =>
  runInDurableObject(
    env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)),
    (_, { storage: { sql } }) => {
      for (const trigger of ['entries_never_change', 'entries_stay_until_archived']) {
        sql.exec(`DROP TRIGGER IF EXISTS ${trigger}`)
      }
      sql.exec(change)
    },
  )

export async function readScore(asker: Asker, query = ''): Promise<Score> {
  const answer = await asker.ask('GET', `/api/compliance/score${query}`)
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.json()
}
