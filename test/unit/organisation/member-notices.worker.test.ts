// Tests the mails that members choose: to whom, of what, how often, and what they do not say.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NoticeType } from '../../../src/notifications/notices.words.ts'
import { openStores } from '../../../src/organisation/organisation-stores.ts'
import { mailDueNotices } from '../../../src/organisation/notifications/notices.target.ts'
import { createTurnRunner } from '../../../src/organisation/turns.ts'
import type { Mail } from '../../../src/platform/mail.ts'
import { addMember, addPerson } from '../../support/unit/session.ts'
import { hook, objectOf, receive } from '../notifications/receiver.ts'
import { foundOrganisation, noon, positionOf, type ChatKey, type ChatOrganisation } from './chat-organisation.ts'

const HOUR = 3_600_000
const ORIGIN = 'https://countersign.test'

let organisation: ChatOrganisation
let key: ChatKey

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  receive()
  organisation = await foundOrganisation({ tier: 'enterprise', monthly_budget_eur: 0.001 })
  key = await organisation.issueKey({ name: 'marked' })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

async function addReader(types: readonly NoticeType[], role = 'owner', person: object = {}) {
  const id = await addPerson(person)
  await addMember(organisation.id, id, role, noon + HOUR)
  const organisationId = organisation.id as `org_${string}`
  await objectOf(organisation).notices.choose({ personId: id, organisationId, origin: ORIGIN, types })
  return id
}

const changePolicy = (day_eur: number) =>
  objectOf(organisation).policy.change(
    {
      document: { budget_guard: { day_eur, alert_percent: [10] }, medical_use_cases: ['marked-use'] },
      ifVersion: null,
    },
    { actor: 'usr_marked', act: 'policies.update', requestId: 'req_marked' },
  )

/** Returns the mails of one wake. */
const wake = (outcome: 'sent' | 'failed' = 'sent'): Promise<Mail[]> =>
  runInDurableObject(objectOf(organisation), async (_, { storage }) => {
    const mails: Mail[] = []
    const stores = openStores(storage.sql, 'object')
    const mailer = {
      sends: true,
      send: async (mail: Mail) => {
        mails.push(mail)
        return outcome
      },
    }
    const takeTurn = createTurnRunner(storage, stores)
    await mailDueNotices({ db: env.DB, store: stores.outbox.members, takeTurn, mailer: () => mailer }, Date.now())
    return mails
  })

const spend = async (microeur: number): Promise<unknown> =>
  organisation.settle(positionOf(await organisation.admit(key, { upFrontMicroeur: microeur })), microeur)

describe('a mail', () => {
  it('says what happened and where to look, and nothing of a call, a policy or a person', async () => {
    const id = await addReader(['policy.changed'])
    await changePolicy(1)
    expect(await wake()).toEqual([
      {
        to: `${id}@example.org`,
        subject: 'The policy was changed',
        text: expect.stringMatching(
          new RegExp(
            `^In the organisation “[^”]+” at ${ORIGIN}, since 2091-03-15 12:00 UTC: the policy was changed. Version \\d is in force.\n\n${ORIGIN}/app/policies\\?org=${organisation.id}\n`,
          ),
        ) as string,
      },
    ])
    expect(JSON.stringify(await organisation.query('SELECT * FROM notice_mails'))).not.toContain('marked')
  })

  it('comes once an hour of each type, with how often it happened since', async () => {
    await addReader(['policy.changed', 'budget.threshold_reached'])
    await changePolicy(1)
    expect((await wake()).length).toBe(1)
    for (const [n, euros] of [2, 3].entries()) {
      vi.setSystemTime(noon + HOUR / 2 + n)
      await changePolicy(euros)
    }
    expect(await wake()).toEqual([])
    await spend(800)
    expect((await wake()).map(({ subject }) => subject)).toEqual(['80% of a budget is used'])
    vi.setSystemTime(noon + HOUR)
    await organisation.evict()
    expect((await wake()).map(({ subject }) => subject)).toEqual(['The policy was changed 2 times'])
    vi.setSystemTime(noon + 3 * HOUR)
    expect(await wake()).toEqual([])
  })

  it('wakes the object at once', async () => {
    await addReader(['policy.changed'])
    await changePolicy(1)
    expect(await organisation.alarmAt()).toBeLessThanOrEqual(noon)
  })

  it('is listed for its reader alone, also one that could not be sent', async () => {
    const [reader, other] = [await addReader(['policy.changed']), await addReader(['key.expiring'])]
    await changePolicy(1)
    await wake('failed')
    const { notices } = objectOf(organisation)
    const mail = { type: 'policy.changed', count: 1, detail: 'Version 1 is in force.', sentAt: noon, outcome: 'failed' }
    expect(await notices.read(reader)).toEqual({ types: ['policy.changed'], mails: [mail] })
    expect(await notices.read(other)).toEqual({ types: ['key.expiring'], mails: [] })
  })

  it.each([
    ['nobody', 'chose it', () => addReader(['key.expiring'])],
    [
      'somebody',
      'got another role since',
      async () => {
        const id = await addReader(['policy.changed'])
        const facts = { change: 'role', role: 'clinician', previous_role: 'owner' } as const
        const change = {
          personId: id,
          keysReach: null,
          mayDecide: true,
          changedAt: noon,
          facts,
          messageId: 'msg_1',
        } as const
        await objectOf(organisation).keys.changeMember(change, {
          actor: 'operator',
          act: 'member.role',
          requestId: 'req_1',
        })
      },
    ],
    ['somebody', 'never confirmed the address', () => addReader(['policy.changed'], 'owner', { emailProvenAt: null })],
    [
      'somebody',
      'is no member any more',
      async () => {
        const id = await addReader(['policy.changed'])
        await env.DB.prepare('DELETE FROM members WHERE person_id = ?').bind(id).run()
      },
    ],
    [
      'an auditor',
      'has no access any more',
      async () => {
        await addReader(['policy.changed'], 'auditor')
        vi.setSystemTime(noon + 2 * HOUR)
      },
    ],
    [
      'somebody',
      'took it back',
      async () => {
        const personId = await addReader(['policy.changed'])
        const organisationId = organisation.id as `org_${string}`
        await objectOf(organisation).notices.choose({ personId, organisationId, origin: ORIGIN, types: [] })
      },
    ],
  ])('is not sent where %s %s', async (_, __, prepare) => {
    await prepare()
    await changePolicy(1)
    expect(await wake()).toEqual([])
  })
})

describe('a budget', () => {
  it('is mailed at 80 percent, once, whatever the policy tells the webhook', async () => {
    await hook(organisation)
    await addReader(['budget.threshold_reached'])
    await changePolicy(1)
    for (const microeur of [799, 1, 100]) {
      await spend(microeur)
      vi.setSystemTime(Date.now() + HOUR)
      expect((await wake()).length).toBe(microeur === 1 ? 1 : 0)
    }
  })
})

describe('a key', () => {
  it('is mailed of once, a week before it ends, and not where it was made for less', async () => {
    await addReader(['key.expiring'])
    const day = 24 * HOUR
    const endsAt = (days: number): string => new Date(noon + days * day).toISOString()
    await organisation.issueKey({ expires_at: endsAt(9) })
    await organisation.issueKey({ expires_at: endsAt(2) })
    await organisation.issueKey({ expires_at: endsAt(30) })
    const told: string[][] = []
    for (const days of [1, 3, 4, 5]) {
      vi.setSystemTime(noon + days * day)
      await organisation.runAlarm()
      told.push((await wake()).map(({ subject }) => subject))
    }
    expect(told).toEqual([[], ['An API key ends within a week'], [], []])
  })
})
