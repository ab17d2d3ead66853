// What every operation answers: its statuses, errors, headers, members and types. `npx vitest -u` writes the files anew.
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Exchange } from '../../support/e2e/golden/chapter.ts'
import { missingFrom, UNREACHABLE, type Document } from '../../support/e2e/golden/coverage.ts'
import { doorsTable } from '../../support/e2e/golden/doors-table.ts'
import { operationFiles } from '../../support/e2e/golden/operation-files.ts'
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
import { messages } from './chapters/messages.ts'
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
  messages,
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

const FOLDER = join(import.meta.dirname, '../../fixtures/golden/transcript')

let stage: Stage
const chapters = new Map<string, readonly Exchange[]>()
const played = new Set<string>()

beforeAll(async () => {
  await turnOfTheHour()
  stage = await openStage()
})
afterAll(() => stage.close())

/** An hour, a day or a month that ends meanwhile adds entries to logs and begins other counts. */
async function turnOfTheHour(): Promise<void> {
  const left = 3_600_000 - (Date.now() % 3_600_000)
  if (left < 150_000) await new Promise((resolve) => setTimeout(resolve, left + 1000))
}

describe('the transcript', () => {
  it.each(Object.entries(CHAPTERS))('plays %s', async (name, script) => {
    const chapter = stage.chapter()
    chapters.set(name, chapter.exchanges)
    await script({ stage, send: (...request) => chapter.send(...request) })
    played.add(name)
  })

  it('is that of the files, and there is no other file', async () => {
    // Half a chapter must not overwrite or delete files.
    const missing = Object.keys(CHAPTERS).filter((name) => !played.has(name))
    if (missing.length > 0)
      throw new Error(`Nothing was compared or written: ${missing.join(', ')} did not play to the end.`)
    const { doors: atTheDoor = [], ...others } = Object.fromEntries(chapters)
    const files = operationFiles(new Map(Object.entries(others)), await document())
    files.set('doors.txt', doorsTable(atTheDoor))
    for (const [file, text] of files) await expect.soft(text).toMatchFileSnapshot(join(FOLDER, file))
    const stale = globSync('**/*.txt', { cwd: FOLDER }).filter((file) => !files.has(file))
    if (expect.getState().snapshotState.snapshotUpdateState !== 'all') expect(stale).toEqual([])
    else for (const file of stale) rmSync(join(FOLDER, file))
  })

  it('has every answer that an operation declares, but for those that cannot be had over HTTP', async () => {
    const missing = missingFrom([...chapters.values()].flat(), await document())
    const reasons = Object.values(UNREACHABLE)
    expect(missing.filter((answer) => !reasons.some((reason) => reason.test(answer)))).toEqual([])
    expect(reasons.filter((reason) => !missing.some((answer) => reason.test(answer)))).toEqual([])
  })
})

async function document(): Promise<Document> {
  const response = await fetch(`${stage.service.url}/v1/openapi.json`)
  return (await response.json()) as Document
}
