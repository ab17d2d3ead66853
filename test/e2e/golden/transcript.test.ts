// The answers of every operation, byte for byte but for what differs between two runs. `npx vitest -u` writes them anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '../../support/e2e/golden/chapter.ts'
import { missingFrom, UNREACHABLE, type Document } from '../../support/e2e/golden/coverage.ts'
import { openStage, type Stage, type Script } from '../../support/e2e/golden/stage.ts'
import { approvals } from './chapters/approvals.ts'
import { attestations } from './chapters/attestations.ts'
import { chat } from './chapters/chat.ts'
import { compliance } from './chapters/compliance.ts'
import { doors } from './chapters/doors.ts'
import { erasure } from './chapters/erasure.ts'
import { health } from './chapters/health.ts'
import { keys } from './chapters/keys.ts'
import { limits } from './chapters/limits.ts'
import { members } from './chapters/members.ts'
import { notifications } from './chapters/notifications.ts'
import { operator } from './chapters/operator.ts'
import { oversight } from './chapters/oversight.ts'
import { policies } from './chapters/policies.ts'
import { readings } from './chapters/readings.ts'
import { responses } from './chapters/responses.ts'
import { settings } from './chapters/settings.ts'
import { signIn } from './chapters/sign-in.ts'
import { waitingLists } from './chapters/waiting-lists.ts'

const CHAPTERS: Record<string, Script> = {
  // The first: what it says of the public log holds while that has nothing else.
  attestations,
  health,
  readings,
  'waiting-lists': waitingLists,
  chat,
  responses,
  limits,
  policies,
  approvals,
  keys,
  members,
  settings,
  notifications,
  oversight,
  compliance,
  'sign-in': signIn,
  operator,
  erasure,
  doors,
}

let stage: Stage
const sent: Sent[] = []

beforeAll(async () => {
  await turnOfTheHour()
  stage = await openStage()
})
afterAll(() => stage.close())

/** An hour, a day or a month that ends meanwhile adds entries to logs and begins other counts. */
async function turnOfTheHour(): Promise<void> {
  const left = 3_600_000 - (Date.now() % 3_600_000)
  if (left < 100_000) await new Promise((resolve) => setTimeout(resolve, left + 1000))
}

describe('the transcript', () => {
  it.each(Object.entries(CHAPTERS))('of %s', async (name, script) => {
    const chapter = stage.chapter()
    await script({ stage, send: (...request) => chapter.send(...request) })
    sent.push(...chapter.sent)
    await expect(chapter.text()).toMatchFileSnapshot(`../../fixtures/golden/${name}.txt`)
  })

  it('has every answer that an operation declares, but for those that cannot be had over HTTP', async () => {
    const response = await fetch(`${stage.service.url}/v1/openapi.json`)
    const missing = missingFrom(sent, (await response.json()) as Document)
    const reasons = Object.values(UNREACHABLE)
    expect(missing.filter((answer) => !reasons.some((reason) => reason.test(answer)))).toEqual([])
    expect(reasons.filter((reason) => !missing.some((answer) => reason.test(answer)))).toEqual([])
  })
})
